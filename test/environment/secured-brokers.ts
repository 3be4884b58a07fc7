// Three brokers as a bank runs them, and the settings with which the services reach them: TLS with certificates on both
// sides, and a login by SCRAM. A record is acknowledged when two brokers have it.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kafkaSettings, readEnvironment, settingNames } from "@sluice/config";
import { machineTime, silentLogger } from "@sluice/kernel";
import { type SecuredKafka, startSecuredKafka } from "@sluice/local-servers/secured-kafka";
import type { KafkaConnection } from "@sluice/messaging";
import { kafkaConnection } from "@sluice/process";
import { createCertificateAuthority } from "@sluice/testkit";

export interface SecuredBrokers {
  readonly kafka: SecuredKafka;
  /** The connection settings of a service, with the addresses. */
  readonly variables: Readonly<Record<string, string>>;
  /** A connection with these settings. */
  readonly connection: KafkaConnection;
}

/** What topics need on three brokers: a record is in two of them before it is acknowledged. */
export const threeReplicas = { replication: 3, minInsync: 2 } as const;
const user = "sluice";
const passwords = { "SCRAM-SHA-256": "not-used-256", "SCRAM-SHA-512": "secret-512", PLAIN: "not-used-plain" } as const;

/** `opened` ends the brokers and removes the files. */
export async function startSecuredBrokers(opened: AsyncDisposableStack): Promise<SecuredBrokers> {
  const authority = createCertificateAuthority("Brokers", machineTime.nowMs());
  const broker = authority.issue({ name: "broker", hosts: ["127.0.0.1"] });
  const client = authority.issue({ name: user });
  const folder = await mkdtemp(join(tmpdir(), "sluice-brokers-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const { keyPem, certificatePem } = broker;
  const kafka = opened.use(await startSecuredKafka({ keyPem, certificatePem, authorityPem: authority.pem, user, passwords }));
  const write = async (name: string, content: string): Promise<string> => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const variables = {
    KAFKA_BROKERS: kafka.brokers.join(","),
    KAFKA_TLS: "on",
    KAFKA_TLS_CA_FILE: await write("ca.pem", authority.pem),
    KAFKA_TLS_CERTIFICATE_FILE: await write("certificate.pem", client.certificatePem),
    KAFKA_TLS_KEY_FILE: await write("key.pem", client.keyPem),
    KAFKA_SASL_MECHANISM: "scram-sha-512",
    KAFKA_SASL_USERNAME: user,
    KAFKA_SASL_PASSWORD_FILE: await write("password", passwords["SCRAM-SHA-512"]),
  };
  const environment = readEnvironment(variables, settingNames(kafkaSettings));
  const connection = await kafkaConnection("test", environment, { time: machineTime, logger: silentLogger, opened });
  return { kafka, variables, connection };
}
