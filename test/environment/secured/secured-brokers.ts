// Three brokers as a bank runs them, and the settings with which the services reach them: TLS with certificates on both
// sides, and a login by SCRAM. A record is acknowledged when two brokers have it. Or one broker at which each service
// has a user of its own and the rights that ACLs give it.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brokerServices } from "@sluice/contracts";
import { kafkaSettings, readEnvironment, settingNames } from "@sluice/config";
import { machineTime, silentLogger } from "@sluice/kernel";
import { type SecuredKafka, startSecuredKafka } from "@sluice/local-servers/secured-kafka";
import type { KafkaConnection } from "@sluice/messaging";
import { kafkaConnection } from "@sluice/process";
import type { provision } from "@sluice/process/provision";
import { createCertificateAuthority } from "@sluice/testkit";

export interface SecuredBrokers {
  readonly kafka: SecuredKafka;
  /** The connection settings of a service, with the addresses. */
  readonly variables: Readonly<Record<string, string>>;
  /** What differs for a service that has a user of its own; nothing where all share one. */
  readonly variablesOf: (service: string) => Readonly<Record<string, string>>;
  /** The topics' copies, and the principal of a service where each has its own. */
  readonly provisioning: Pick<Parameters<typeof provision>[0], "topics" | "principalOf">;
  /** A connection with these settings. */
  readonly connection: KafkaConnection;
}

/** What topics need on three brokers: a record is in two of them before it is acknowledged. */
const threeReplicas = { replication: 3, minInsync: 2 } as const;
const oneReplica = { replication: 1, minInsync: 1 } as const;
const user = "sluice";
const passwords = { "SCRAM-SHA-256": "not-used-256", "SCRAM-SHA-512": "secret-512", PLAIN: "not-used-plain" } as const;

const userOf = (service: string): string => `sluice-${service}`;

/** `opened` ends the broker and removes the files. */
export async function startBrokerWithRights(opened: AsyncDisposableStack): Promise<SecuredBrokers> {
  return await startBrokers(opened, true);
}

/** `opened` ends the brokers and removes the files. */
export async function startSecuredBrokers(opened: AsyncDisposableStack): Promise<SecuredBrokers> {
  return await startBrokers(opened, false);
}

async function startBrokers(opened: AsyncDisposableStack, hasRights: boolean): Promise<SecuredBrokers> {
  const authority = createCertificateAuthority("Brokers", machineTime.nowMs());
  const broker = authority.issue({ name: "broker", hosts: ["127.0.0.1"] });
  const client = authority.issue({ name: user });
  const folder = await mkdtemp(join(tmpdir(), "sluice-brokers-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const { keyPem, certificatePem } = broker;
  const users = Object.fromEntries(brokerServices.map((service) => [userOf(service), `secret-of-${service}`]));
  const started = { keyPem, certificatePem, authorityPem: authority.pem, user, passwords };
  const kafka = opened.use(await startSecuredKafka(hasRights ? { ...started, users, brokerCount: 1 } : started));
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
  const files = Object.fromEntries(
    await Promise.all(Object.entries(users).map(async ([name, secret]) => [name, await write(name, secret)] as const)),
  );
  const login = (name: string) => ({ KAFKA_SASL_USERNAME: name, KAFKA_SASL_PASSWORD_FILE: files[name] ?? "" });
  return {
    kafka,
    variables,
    variablesOf: (service) => (hasRights ? { ...login(userOf(service)), KAFKA_FEW_REPLICAS: "allowed" } : {}),
    provisioning: hasRights ? { topics: oneReplica, principalOf: (service) => `User:${userOf(service)}` } : { topics: threeReplicas },
    connection,
  };
}
