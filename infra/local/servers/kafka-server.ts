// Apache Kafka in KRaft mode, with broker and controller in one process.

import { cp, mkdir, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { loopbackAddress } from "../free-ports.ts";
import type { ServerKind } from "./server-kind.ts";

export const kafkaServer: ServerKind = {
  name: "kafka",
  ports: 2,
  hasArchive: true,
  async plan({ installed, directory, ports }) {
    const [brokerPort = 0, controllerPort = 0] = ports;
    const data = join(directory, "kafka");
    const isFormatted = await stat(join(data, "meta.properties")).catch(() => null);
    if (isFormatted === null) await cp(installed.kafkaTemplate, data, { recursive: true });
    await mkdir(data, { recursive: true });
    await writeFile(join(directory, "kafka.properties"), kafkaProperties({ brokerPort, controllerPort, logDirectory: "kafka" }));
    const logging = `-Dlog4j2.configurationFile=${new URL("log4j2.xml", import.meta.url).href}`;
    return {
      arguments: ["-Xms128m", "-Xmx512m", logging, "-cp", installed.libs, "kafka.Kafka", "kafka.properties"],
      address: `${loopbackAddress}:${brokerPort}`,
      isReady: () => answersApiVersions(brokerPort),
    };
  },
};

/** A relative log directory is relative to the process's working directory. */
export function kafkaProperties(place: {
  readonly brokerPort: number;
  readonly controllerPort: number;
  readonly logDirectory: string;
}): string {
  const broker = `${loopbackAddress}:${place.brokerPort}`;
  const controller = `${loopbackAddress}:${place.controllerPort}`;
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@${controller}
listeners=PLAINTEXT://${broker},CONTROLLER://${controller}
advertised.listeners=PLAINTEXT://${broker}
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=${place.logDirectory}
auto.create.topics.enable=false
min.insync.replicas=1
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
`;
}

const answerTimeoutMs = 1_000;

/**
 * Sends ApiVersions version 0, every client's first request; it is answered without an error once the broker is ready.
 */
export function answersApiVersions(port: number): Promise<boolean> {
  const body = Buffer.from([0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff]);
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length);
  return new Promise((resolve) => {
    const socket = connect(port, loopbackAddress, () => socket.write(Buffer.concat([size, body])));
    const end = (isReady: boolean): void => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(answerTimeoutMs, () => end(false));
    socket.once("error", () => end(false));
    socket.once("close", () => end(false));
    socket.once("data", (answer) => end(Buffer.isBuffer(answer) && answer.length >= 10 && answer.readInt16BE(8) === 0));
  });
}
