// Brokers as a bank runs them, for tests of secured connections: clients need a certificate and log in, and a record is
// acknowledged when two brokers have it. Three of them, unless one is asked for.
//
// #1 Each broker has two listeners: SECURED (TLS with client certificates and SASL) for clients, and INTERNAL, plain
//    and on the loopback address alone, for the brokers themselves and for changes of users.
// #2 SCRAM users are made when the storage is formatted. Their passwords are replaced by Kafka's own program.
// #3 With `users` clients have only the rights that ACLs give them, but for the first user and the INTERNAL listener,
//    which have all. The brokers log each decision about a right.
// #4 A broker that was stopped or killed is started again on the storage and at the ports that it had.

import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePorts, loopbackAddress } from "../free-ports.ts";
import { clusterId, installServers } from "../install.ts";
import { findJava, type JavaTools } from "../java-tools.ts";
import { makeRunDirectory, noteProcess } from "../running-record.ts";
import { answersApiVersions } from "./kafka-server.ts";
import type { Installed, ServerKind } from "./server-kind.ts";
import { directoryMark, type ServerProcess, startServer } from "./server-process.ts";

export interface SecuredKafkaOptions {
  /** PEM texts: the brokers' key and certificate for 127.0.0.1, and the authority of clients' certificates. */
  readonly keyPem: string;
  readonly certificatePem: string;
  readonly authorityPem: string;
  readonly user: string;
  /** By mechanism, so that a test can tell which one logged in. */
  readonly passwords: { readonly "SCRAM-SHA-256": string; readonly "SCRAM-SHA-512": string; readonly PLAIN: string };
  /** Further users, with their passwords for SCRAM-SHA-512 (#3); left out, each client may do everything. */
  readonly users?: Readonly<Record<string, string>>;
  /** 3 by default. */
  readonly brokerCount?: 1 | 3;
}

export interface SecuredKafka extends AsyncDisposable {
  /** The SECURED listeners, as host:port. */
  readonly brokers: readonly string[];
  /** The INTERNAL listeners, as host:port, for a test that asks the brokers who leads a partition. */
  readonly internalBrokers: readonly string[];
  replacePassword(mechanism: "SCRAM-SHA-256" | "SCRAM-SHA-512", password: string): Promise<void>;
  /** Ends one broker; the other two go on. */
  stopBroker(index: number): Promise<void>;
  /** Sends SIGKILL to one broker; resolves when its process has ended. */
  killBroker(index: number): Promise<void>;
  /** #4 */
  restartBroker(index: number): Promise<void>;
  /** What the brokers have logged so far (#3). */
  readLogs(): Promise<string>;
}

interface BrokerPorts {
  readonly secured: number;
  readonly internal: number;
  readonly controller: number;
}

const brokerCountDefault = 3;
const workFolder = fileURLToPath(new URL("../../../.sluice/", import.meta.url));
const run = promisify(execFile);

export async function startSecuredKafka(options: SecuredKafkaOptions): Promise<SecuredKafka> {
  const tools = await findJava(process.env);
  const installed = await installServers(join(workFolder, "java"), tools, process.env, () => {});
  const directory = await makeRunDirectory(join(workFolder, "run"), "secured");
  const brokerCount = options.brokerCount ?? brokerCountDefault;
  const taken = await freePorts(brokerCount * 3);
  const ports = Array.from({ length: brokerCount }, (_, index): BrokerPorts => {
    const [secured = 0, internal = 0, controller = 0] = taken.slice(index * 3);
    return { secured, internal, controller };
  });
  const places = ports.map((_, index): BrokerPlace => ({ options, tools, installed, directory, ports, index }));
  await Promise.all(places.map((place) => prepareBroker(place)));
  const running = await Promise.all(places.map((place) => startBroker(place)));
  return {
    brokers: ports.map(({ secured }) => `${loopbackAddress}:${secured}`),
    internalBrokers: ports.map(({ internal }) => `${loopbackAddress}:${internal}`),
    async replacePassword(mechanism, password) {
      const bootstrap = ["--bootstrap-server", `${loopbackAddress}:${ports[0]?.internal}`];
      const changed = ["--alter", "--add-config", `${mechanism}=[password=${password}]`, "--entity-type", "users"];
      const program = ["-cp", installed.libs, "kafka.admin.ConfigCommand"];
      await run(tools.java, ["-XX:TieredStopAtLevel=1", ...program, ...bootstrap, ...changed, "--entity-name", options.user]);
    },
    async stopBroker(index) {
      await running[index]?.stop();
    },
    async killBroker(index) {
      const broker = running[index];
      if (broker === undefined) return;
      process.kill(broker.pid, "SIGKILL");
      await broker.stop();
    },
    async restartBroker(index) {
      const place = places[index];
      if (place !== undefined) running[index] = await startBroker(place);
    },
    async readLogs() {
      return (await Promise.all(places.map((place) => readFile(join(brokerDirectory(place), "kafka.log"), "utf8")))).join("\n");
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((broker) => broker.stop()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface BrokerPlace {
  readonly options: SecuredKafkaOptions;
  readonly tools: JavaTools;
  readonly installed: Installed;
  readonly directory: string;
  readonly ports: readonly BrokerPorts[];
  readonly index: number;
}

function brokerDirectory({ directory, index }: BrokerPlace): string {
  return join(directory, `broker-${index + 1}`);
}

/** Writes the broker's files and formats its storage. */
async function prepareBroker(place: BrokerPlace): Promise<void> {
  const { options, tools, installed, ports, index } = place;
  const directory = brokerDirectory(place);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "key-store.pem"), `${options.keyPem}${options.certificatePem}`);
  await writeFile(join(directory, "trust-store.pem"), options.authorityPem);
  await writeFile(join(directory, "kafka.properties"), brokerProperties(options, { ports, index, logDirectory: "data" }));
  const users = (["SCRAM-SHA-256", "SCRAM-SHA-512"] as const).flatMap((mechanism) => [
    "--add-scram",
    `${mechanism}=[name=${options.user},password=${options.passwords[mechanism]}]`,
  ]);
  for (const [user, password] of Object.entries(options.users ?? {})) {
    users.push("--add-scram", `SCRAM-SHA-512=[name=${user},password=${password}]`);
  }
  const format = ["-cp", installed.libs, "kafka.tools.StorageTool", "format", "-t", clusterId, "-c", "kafka.properties", ...users];
  await run(tools.java, ["-XX:TieredStopAtLevel=1", ...format], { cwd: directory });
}

async function startBroker(broker: BrokerPlace): Promise<ServerProcess> {
  const { options, tools, installed, directory: parent, ports, index } = broker;
  const directory = brokerDirectory(broker);
  const internal = ports[index]?.internal ?? 0;
  const kind: ServerKind = {
    name: "kafka",
    ports: 3,
    hasArchive: true,
    plan: () => {
      const logged = options.users === undefined ? "log4j2.xml" : "log4j2-authorizer.xml";
      const logging = `-Dlog4j2.configurationFile=${new URL(logged, import.meta.url).href}`;
      const started = ["-Xms64m", "-Xmx320m", logging, "-cp", installed.libs, "kafka.Kafka", "kafka.properties"];
      return Promise.resolve({
        arguments: started,
        address: `${loopbackAddress}:${ports[index]?.secured}`,
        isReady: () => answersApiVersions(internal),
      });
    },
  };
  const place = { installed, directory, storage: "memory", isForLoad: false, ports: [] } as const;
  return await startServer(kind, tools, place, (pid) => {
    const mark = `${directoryMark}${directory}`;
    noteProcess(parent, { kind: "server", name: `kafka-${index + 1}`, pid, mark, ports: [] });
  });
}

/** A relative log directory is relative to the process's working directory. */
export function brokerProperties(
  { user, passwords, users }: Pick<SecuredKafkaOptions, "user" | "passwords" | "users">,
  { ports, index, logDirectory }: { readonly ports: readonly BrokerPorts[]; readonly index: number; readonly logDirectory: string },
): string {
  const { secured, internal, controller } = ports[index] ?? { secured: 0, internal: 0, controller: 0 };
  const at = (port: number): string => `${loopbackAddress}:${port}`;
  const own = `SECURED://${at(secured)},INTERNAL://${at(internal)}`;
  const security = "org.apache.kafka.common.security";
  const authorizer = "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer";
  // Brokers, and who uses the INTERNAL listener, are anonymous.
  const rights = users === undefined ? "" : `${authorizer}\nsuper.users=User:ANONYMOUS;User:${user}\n`;
  const [replicas, insync] = [ports.length, Math.min(2, ports.length)];
  return `process.roles=broker,controller
node.id=${index + 1}
controller.quorum.voters=${ports.map((one, other) => `${other + 1}@${at(one.controller)}`).join(",")}
listeners=${own},CONTROLLER://${at(controller)}
advertised.listeners=${own}
inter.broker.listener.name=INTERNAL
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT,SECURED:SASL_SSL
ssl.keystore.type=PEM
ssl.keystore.location=key-store.pem
ssl.truststore.type=PEM
ssl.truststore.location=trust-store.pem
listener.name.secured.ssl.client.auth=required
listener.name.secured.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER
listener.name.secured.scram-sha-256.sasl.jaas.config=${security}.scram.ScramLoginModule required;
listener.name.secured.scram-sha-512.sasl.jaas.config=${security}.scram.ScramLoginModule required;
listener.name.secured.plain.sasl.jaas.config=${security}.plain.PlainLoginModule required user_${user}="${passwords.PLAIN}";
listener.name.secured.oauthbearer.sasl.jaas.config=${security}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";
listener.name.secured.oauthbearer.sasl.server.callback.handler.class=${security}.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler
log.dirs=${logDirectory}
auto.create.topics.enable=false
${rights}default.replication.factor=${replicas}
min.insync.replicas=${insync}
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=4
offsets.topic.replication.factor=${replicas}
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=${replicas}
transaction.state.log.min.isr=${insync}
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=${replicas}
share.coordinator.state.topic.min.isr=${insync}
`;
}
