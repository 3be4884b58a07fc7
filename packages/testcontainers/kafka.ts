// Apache's image of Kafka for tests: one broker in KRaft mode, reached from this machine and from other containers.
//
// #1 A client connects to the address that the broker advertises, and that has the port which the engine chose. So the
//    broker is started only once that port is known: the container first waits for a file.
// #2 Kafka drops all its defaults where a single KAFKA_ variable is set, so all of them are named here.
// #3 It has started when it answers ApiVersions, the first request of every client, not when a port is open.

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { AbstractStartedContainer, GenericContainer, type StartedTestContainer, Wait } from "testcontainers";

const imageDefault = "apache/kafka:4.3.1";
const port = 9092;
/** Where other containers of a network reach it, under its name there. */
const networkPort = 19_092;
const controllerPort = 9093;
const startFile = "/tmp/advertised";
const waiting = "waits for the address to advertise";
const answerMaxMs = 1_000;
const lookMs = 100;
const startMaxMs = 60_000;

/** #2 */
const settings = {
  PROCESS_ROLES: "broker,controller",
  NODE_ID: "1",
  CONTROLLER_QUORUM_VOTERS: `1@localhost:${controllerPort}`,
  LISTENERS: `PLAINTEXT://:${port},NET://:${networkPort},CONTROLLER://:${controllerPort}`,
  LISTENER_SECURITY_PROTOCOL_MAP: "PLAINTEXT:PLAINTEXT,NET:PLAINTEXT,CONTROLLER:PLAINTEXT",
  CONTROLLER_LISTENER_NAMES: "CONTROLLER",
  INTER_BROKER_LISTENER_NAME: "NET",
  LOG_DIRS: "/tmp/kraft-combined-logs",
  AUTO_CREATE_TOPICS_ENABLE: "false",
  GROUP_INITIAL_REBALANCE_DELAY_MS: "0",
  OFFSETS_TOPIC_NUM_PARTITIONS: "4",
  OFFSETS_TOPIC_REPLICATION_FACTOR: "1",
  TRANSACTION_STATE_LOG_NUM_PARTITIONS: "1",
  TRANSACTION_STATE_LOG_REPLICATION_FACTOR: "1",
  TRANSACTION_STATE_LOG_MIN_ISR: "1",
  SHARE_COORDINATOR_STATE_TOPIC_NUM_PARTITIONS: "1",
  SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: "1",
  SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: "1",
} as const;

export class ApacheKafkaContainer extends GenericContainer {
  #networkName = "localhost";

  constructor(image = imageDefault) {
    super(image);
    const wait = `echo ${waiting}; until [ -f ${startFile} ]; do sleep 0.05; done; . ${startFile}; exec /etc/kafka/docker/run`;
    this.withExposedPorts(port).withEntrypoint(["sh", "-c", wait]).withWaitStrategy(Wait.forLogMessage(waiting));
    for (const [name, value] of Object.entries(settings)) this.withSetting(name, value);
  }

  /** A setting of the broker by the name of its variable without `KAFKA_`, such as `MIN_INSYNC_REPLICAS`. */
  withSetting(name: string, value: string): this {
    return this.withEnvironment({ [`KAFKA_${name}`]: value });
  }

  /** The first alias is the host that other containers of the network connect to. */
  override withNetworkAliases(...aliases: string[]): this {
    this.#networkName = aliases[0] ?? this.#networkName;
    return super.withNetworkAliases(...aliases);
  }

  override async start(): Promise<StartedApacheKafkaContainer> {
    const started = new StartedApacheKafkaContainer(await super.start(), this.#networkName);
    const deadlineMs = performance.now() + startMaxMs;
    while (!(await answersApiVersions(started.getHost(), started.getMappedPort(port)))) {
      if (performance.now() > deadlineMs) throw new Error(`Kafka does not answer after ${startMaxMs} ms`);
      await sleep(lookMs);
    }
    return started;
  }

  /** #1 */
  protected override async containerStarted(container: StartedTestContainer): Promise<void> {
    const outside = `PLAINTEXT://${container.getHost()}:${container.getMappedPort(port)}`;
    const content = `export KAFKA_ADVERTISED_LISTENERS=${outside},NET://${this.#networkName}:${networkPort}\n`;
    await container.copyContentToContainer([{ content, target: startFile, mode: 0o644 }]);
  }
}

export class StartedApacheKafkaContainer extends AbstractStartedContainer {
  /** Where other containers of its network reach it. */
  readonly networkBroker: string;

  constructor(started: StartedTestContainer, networkName: string) {
    super(started);
    this.networkBroker = `${networkName}:${networkPort}`;
  }

  /** Where this machine reaches it, as `host:port`. */
  get broker(): string {
    return `${this.getHost()}:${this.getMappedPort(port)}`;
  }
}

/** #3 */
function answersApiVersions(host: string, at: number): Promise<boolean> {
  const request = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff]);
  return new Promise((resolve) => {
    const socket = connect(at, host, () => socket.write(request));
    const end = (isReady: boolean): void => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(answerMaxMs, () => end(false));
    socket.once("error", () => end(false));
    socket.once("close", () => end(false));
    socket.once("data", (answer: Buffer) => end(answer.length >= 10 && answer.readInt16BE(8) === 0));
  });
}
