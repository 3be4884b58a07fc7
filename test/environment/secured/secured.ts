// What `./sluice up --secured` and `demo --secured` are secured with, in a folder that only its owner can read: an
// authority of this machine, certificates, and a password for each user of Kafka. It is made once, and again before the
// certificates end.
//
// #1 Passwords outlive the certificates, because the broker's data has them.
// #2 Each service is a user of its own, with the rights of `docs/security/rights.md`. What a person starts, such as
//    provisioning and verbs that read the log, is the first user, which has all rights.

import { randomBytes, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { brokerServices } from "@sluice/contracts";
import { machineTime } from "@sluice/kernel";
import { keptSecuredKafka } from "@sluice/local-servers/kept-secured-kafka";
import type { ServerKind } from "@sluice/local-servers/server-kind";
import { createCertificateAuthority } from "@sluice/testkit";

export interface Secured {
  readonly kafka: ServerKind;
  /** PEM file of the authority, which callers and browsers have to trust. */
  readonly authorityFile: string;
  /** Files of the listeners' certificate and its key. */
  readonly listener: { readonly certificateFile: string; readonly keyFile: string };
  /** Settings with which a person's programs reach Kafka (#2). */
  readonly connections: Readonly<Record<string, string>>;
  /** Settings of a service: its user, and the certificate of its listeners. */
  readonly settingsOf: (service: string) => Readonly<Record<string, string>>;
  readonly principalOf: (service: string) => string;
  /** Lets this process trust the authority besides the machine's. */
  trust(): void;
}

const firstUser = "sluice";
const dayMs = 86_400_000;
const lifeMs = 365 * dayMs;
const renewedBeforeMs = 30 * dayMs;
const passwordBytes = 24;
const isSecret = { mode: 0o600 } as const;

const userOf = (service: string): string => `sluice-${service}`;

export function prepareSecured(upFolder: string): Secured {
  const folder = join(upFolder, "secured");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = (name: string): string => join(folder, name);
  if (!isInForce(at("authority.pem"))) makeCertificates(at);
  const read = (name: string): string => readFileSync(at(name), "utf8");
  const users = Object.fromEntries(brokerServices.map((service) => [userOf(service), ensurePassword(at(`${userOf(service)}.password`))]));
  const password = ensurePassword(at(`${firstUser}.password`));
  const authorityFile = at("authority.pem");
  const listener = { certificateFile: at("listener.pem"), keyFile: at("listener-key.pem") };
  const connections = {
    KAFKA_TLS: "on",
    KAFKA_TLS_CA_FILE: authorityFile,
    KAFKA_TLS_CERTIFICATE_FILE: at("client.pem"),
    KAFKA_TLS_KEY_FILE: at("client-key.pem"),
    KAFKA_SASL_MECHANISM: "scram-sha-512",
    KAFKA_SASL_USERNAME: firstUser,
    KAFKA_SASL_PASSWORD_FILE: at(`${firstUser}.password`),
  };
  return {
    kafka: keptSecuredKafka({
      keyPem: read("broker-key.pem"),
      certificatePem: read("broker.pem"),
      authorityPem: read("authority.pem"),
      user: firstUser,
      password,
      users,
    }),
    authorityFile,
    listener,
    connections,
    settingsOf: (service) => ({
      ...connections,
      KAFKA_SASL_USERNAME: userOf(service),
      KAFKA_SASL_PASSWORD_FILE: at(`${userOf(service)}.password`),
      SLUICE_TLS_CERTIFICATE_FILE: listener.certificateFile,
      SLUICE_TLS_KEY_FILE: listener.keyFile,
    }),
    principalOf: (service) => `User:${userOf(service)}`,
    trust: () => setDefaultCACertificates([...new Set([...getCACertificates("default"), read("authority.pem")])]),
  };
}

/** The certificates end with their authority. */
function isInForce(authorityFile: string): boolean {
  if (!existsSync(authorityFile)) return false;
  const ends = new X509Certificate(readFileSync(authorityFile)).validToDate.getTime();
  return ends - machineTime.nowMs() > renewedBeforeMs;
}

/** The authority is written last: while it is missing all are made again. Its own key is kept nowhere. */
function makeCertificates(at: (name: string) => string): void {
  const authority = createCertificateAuthority("Sluice on this machine", machineTime.nowMs(), lifeMs);
  const hosts = ["127.0.0.1", "localhost"];
  const certificates = {
    broker: authority.issue({ name: "broker", hosts }),
    listener: authority.issue({ name: "sluice", hosts }),
    client: authority.issue({ name: firstUser }),
  };
  for (const [name, { certificatePem, keyPem }] of Object.entries(certificates)) {
    writeFileSync(at(`${name}.pem`), certificatePem);
    writeFileSync(at(`${name}-key.pem`), keyPem, isSecret);
  }
  writeFileSync(at("authority.pem"), authority.pem);
}

/** #1 */
function ensurePassword(path: string): string {
  if (!existsSync(path)) writeFileSync(path, randomBytes(passwordBytes).toString("hex"), isSecret);
  return readFileSync(path, "utf8");
}
