// What `./sluice up --secured` and `demo --secured` are secured with, in a folder that only its owner can read: an
// authority of this machine, certificates, and a password for each user of Kafka, the store and the registry. It is
// made once, and again before the certificates end.
//
// #1 Passwords outlive the certificates, because the broker's data has them. A user has another one at each server.
// #2 Each service is a user of its own, with the rights of `docs/security/rights.md` and `store-rights.md`; it only
//    reads the registry. What a person starts, such as provisioning and verbs that read the log, is the first user,
//    which has all rights.
// #3 A server that was not started here is reached as the environment says.

import { randomBytes, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { brokerServices } from "@sluice/contracts";
import { machineTime } from "@sluice/kernel";
import { keptSecuredKafka } from "@sluice/local-servers/kept-secured-kafka";
import { securedMongo } from "@sluice/local-servers/secured-mongo";
import { securedRegistry } from "@sluice/local-servers/secured-registry";
import type { ServerKind } from "@sluice/local-servers/server-kind";
import { buildsInRolesDefault, buildStoreRoles } from "@sluice/store/rights";
import { createCertificateAuthority } from "@sluice/testkit";

type Settings = Readonly<Record<string, string>>;

export interface Secured {
  /** Kafka, the registry and the store, to be started instead of the plain ones. */
  readonly servers: readonly ServerKind[];
  /** PEM file of the authority, which callers and browsers have to trust. */
  readonly authorityFile: string;
  /** Files of the listeners' certificate and its key. */
  readonly listener: { readonly certificateFile: string; readonly keyFile: string };
  /** Settings with which a person's programs reach the servers that were started here (#2, #3). */
  connectionsTo(started: readonly Started[]): Settings;
  /** Settings of a service: its users at these servers, and the certificate of its listeners. */
  settingsOf(service: string, started: readonly Started[]): Settings;
  readonly principalOf: (service: string) => string;
  /** Lets this process trust the authority besides the machine's. */
  trust(): void;
}

interface Started {
  readonly name: string;
}

const firstUser = "sluice";
const dayMs = 86_400_000;
const lifeMs = 365 * dayMs;
const renewedBeforeMs = 30 * dayMs;
const passwordBytes = 24;
const isSecret = { mode: 0o600 } as const;

const userOf = (service: string): string => `sluice-${service}`;

/** `database`: the name of the one in which the services may do what their roles say. */
export function prepareSecured(upFolder: string, database: string): Secured {
  const folder = join(upFolder, "secured");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = (name: string): string => join(folder, name);
  if (!isInForce(at("authority.pem"))) makeCertificates(at);
  const read = (name: string): string => readFileSync(at(name), "utf8");
  const files = { authority: at("authority.pem"), certificate: at("client.pem"), key: at("client-key.pem") };
  const passwordFile = (server: string, user: string): string => {
    const path = at(`${server === "kafka" ? "" : `${server}.`}${user}.password`);
    ensurePassword(path);
    return path;
  };
  const login = (server: string, user: string) => ({ user, password: readFileSync(passwordFile(server, user), "utf8") });
  const serverTls = { certificateFile: at("broker.pem"), keyFile: at("broker-key.pem"), authorityPem: read("authority.pem") };
  const services = brokerServices.map(userOf);
  const roles = buildStoreRoles(database, buildsInRolesDefault);

  const settingsFor = (user: string, started: readonly Started[]): Settings => {
    const isStarted = (name: string): boolean => started.some((one) => one.name === name);
    const isStoreUser = user === firstUser || roles.some(({ role }) => role === user);
    return {
      ...(isStarted("kafka") ? kafkaSettings(files, user, passwordFile("kafka", user)) : {}),
      ...(isStarted("registry") ? registrySettings(files, user, passwordFile("registry", user)) : {}),
      ...(isStarted("mongo") && isStoreUser ? storeSettings(files, user, passwordFile("store", user)) : {}),
    };
  };

  const listener = { certificateFile: at("listener.pem"), keyFile: at("listener-key.pem") };
  return {
    servers: [
      keptSecuredKafka({
        keyPem: read("broker-key.pem"),
        certificatePem: read("broker.pem"),
        authorityPem: read("authority.pem"),
        ...login("kafka", firstUser),
        users: Object.fromEntries(services.map((user) => [user, login("kafka", user).password])),
      }),
      securedRegistry({
        ...serverTls,
        users: [firstUser, ...services].map((user) => ({ ...login("registry", user), mayRegister: user === firstUser })),
      }),
      securedMongo({
        tls: serverTls,
        users: [
          { ...login("store", firstUser), privileges: null },
          ...roles.map(({ role, privileges }) => ({ ...login("store", role), privileges })),
        ],
      }),
    ],
    authorityFile: files.authority,
    listener,
    connectionsTo: (started) => settingsFor(firstUser, started),
    settingsOf: (service, started) => ({
      ...settingsFor(userOf(service), started),
      SLUICE_TLS_CERTIFICATE_FILE: listener.certificateFile,
      SLUICE_TLS_KEY_FILE: listener.keyFile,
    }),
    principalOf: (service) => `User:${userOf(service)}`,
    trust: () => setDefaultCACertificates([...new Set([...getCACertificates("default"), read("authority.pem")])]),
  };
}

interface Files {
  readonly authority: string;
  /** Client certificate and its key. */
  readonly certificate: string;
  readonly key: string;
}

function kafkaSettings({ authority, certificate, key }: Files, user: string, passwordFile: string): Settings {
  return {
    KAFKA_TLS: "on",
    KAFKA_TLS_CA_FILE: authority,
    KAFKA_TLS_CERTIFICATE_FILE: certificate,
    KAFKA_TLS_KEY_FILE: key,
    KAFKA_SASL_MECHANISM: "scram-sha-512",
    KAFKA_SASL_USERNAME: user,
    KAFKA_SASL_PASSWORD_FILE: passwordFile,
  };
}

function registrySettings({ authority }: Files, user: string, passwordFile: string): Settings {
  return {
    SCHEMA_REGISTRY_TLS_CA_FILE: authority,
    SCHEMA_REGISTRY_USERNAME: user,
    SCHEMA_REGISTRY_PASSWORD_FILE: passwordFile,
  };
}

function storeSettings({ authority }: Files, user: string, passwordFile: string): Settings {
  return { MONGO_TLS: "on", MONGO_TLS_CA_FILE: authority, MONGO_USERNAME: user, MONGO_PASSWORD_FILE: passwordFile };
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
function ensurePassword(path: string): void {
  if (!existsSync(path)) writeFileSync(path, randomBytes(passwordBytes).toString("hex"), isSecret);
}
