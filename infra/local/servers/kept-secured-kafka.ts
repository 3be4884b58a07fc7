// One broker with TLS, logins and rights, whose data is kept, for `./sluice up --secured`.
//
// #1 The data is that of the plain broker: it can be started on either way. Users are made where the data does not have
//    them, over the listener that only this machine reaches.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { loopbackAddress } from "../free-ports.ts";
import { findJava } from "../java-tools.ts";
import { answersApiVersions } from "./kafka-server.ts";
import { brokerProperties, type SecuredKafkaOptions } from "./secured-kafka.ts";
import type { Installed, ServerKind } from "./server-kind.ts";

type KeptOptions = Pick<SecuredKafkaOptions, "keyPem" | "certificatePem" | "authorityPem" | "user"> & {
  /** Of the first user. */
  readonly password: string;
  /** The others, with their passwords. */
  readonly users: Readonly<Record<string, string>>;
};

const run = promisify(execFile);
const isSecret = { mode: 0o600 } as const;

export function keptSecuredKafka({ keyPem, certificatePem, authorityPem, user, password, users }: KeptOptions): ServerKind {
  return {
    name: "kafka",
    ports: 3,
    hasArchive: true,
    async plan({ installed, directory, ports: [secured = 0, internal = 0, controller = 0] }) {
      const data = join(directory, "kafka");
      if ((await stat(join(data, "meta.properties")).catch(() => null)) === null)
        await cp(installed.kafkaTemplate, data, { recursive: true });
      const passwords = { "SCRAM-SHA-256": password, "SCRAM-SHA-512": password, PLAIN: password };
      const place = { ports: [{ secured, internal, controller }], index: 0, logDirectory: "kafka" };
      await writeFile(join(directory, "key-store.pem"), `${keyPem}${certificatePem}`, isSecret);
      await writeFile(join(directory, "trust-store.pem"), authorityPem);
      await writeFile(join(directory, "kafka.properties"), brokerProperties({ user, passwords, users }, place), isSecret);
      const logging = `-Dlog4j2.configurationFile=${new URL("log4j2.xml", import.meta.url).href}`;
      return {
        arguments: ["-Xms128m", "-Xmx512m", logging, "-cp", installed.libs, "kafka.Kafka", "kafka.properties"],
        address: `${loopbackAddress}:${secured}`,
        isReady: () => answersApiVersions(internal),
        prepare: () => makeUsers({ installed, directory, internal }, { [user]: password, ...users }),
      };
    },
  };
}

interface InternalPlace {
  readonly installed: Installed;
  readonly directory: string;
  readonly internal: number;
}

/** #1 */
async function makeUsers({ installed, directory, internal }: InternalPlace, users: Readonly<Record<string, string>>): Promise<void> {
  const made = join(directory, "kafka", "sluice-users");
  const hash = createHash("sha256").update(JSON.stringify(users)).digest("hex");
  if ((await readFile(made, "utf8").catch(() => "")) === hash) return;
  const { java } = await findJava(process.env);
  const program = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", installed.libs, "kafka.admin.ConfigCommand"];
  const broker = ["--bootstrap-server", `${loopbackAddress}:${internal}`];
  for (const [user, password] of Object.entries(users)) {
    const changed = ["--alter", "--entity-type", "users", "--entity-name", user, "--add-config", `SCRAM-SHA-512=[password=${password}]`];
    await run(java, [...program, ...broker, ...changed]);
  }
  await writeFile(made, hash);
}
