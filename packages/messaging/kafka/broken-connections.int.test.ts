import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import kafkajs from "kafkajs";
import { machineTime, silentLogger } from "@sluice/kernel";
import { afterEach, expect, test } from "vitest";
import { eventually, startRecorder } from "../conformance/conformance.fixture.ts";
import { clientSettings } from "./client.ts";
import { KafkaConsumer } from "./consumer.ts";
import { testConnection, createTopic, freshGroup } from "./kafka.fixture.ts";
import { createKafkaMessaging } from "./messaging.ts";
import { KafkaReader } from "./reader.ts";
import type { Messaging } from "../port.ts";

// The Kafka adapter on a real broker, over connections that hang or break at the worst moment. Letters are the rows of
// the trouble table in README.md.

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

test("Q: a broker that hung while a client connected serves that client once it goes on", async () => {
  const topic = await createTopic(1);
  await using frozen = await startFrozenBroker();
  const messaging = createKafkaMessaging({
    connection: { ...testConnection, brokers: [frozen.address] },
    time: machineTime,
    logger: silentLogger,
  });
  open.push(() => messaging.close());
  await expect(messaging.identity(topic)).rejects.toMatchObject({ code: "messaging.unavailable" });
  frozen.goOn();
  await expect(messaging.identity(topic)).resolves.toMatchObject({ clusterId: expect.any(String) });
});

test("R: a consumer whose connection breaks while it looks for the group's coordinator goes on once it can connect", async () => {
  const [topic, group] = [await createTopic(2), freshGroup()];
  const breaking = createBreakingClient();
  const first = await startRecorder(breaking.messaging, group, topic);
  await eventually("both partitions", () => first.recorded.epochs.size === 2);
  breaking.start();
  const messaging = createKafkaMessaging({ connection: testConnection, time: machineTime, logger: silentLogger });
  open.push(() => messaging.close());
  const second = await startRecorder(messaging, group, topic);
  await eventually("a broken connection", () => breaking.count() > 0);
  await eventually("the rest for the second", () => second.recorded.epochs.size === 2);
  breaking.stop();
  await eventually("a partition each", () => first.recorded.epochs.size === 1 && second.recorded.epochs.size === 1);
  expect([...first.recorded.failed, ...first.recorded.violations]).toEqual([]);
  await first.consumer.stop();
  await second.consumer.stop();
});

/** A client whose connections break, from `start` to `stop`, when it asks which broker coordinates a group. */
function createBreakingClient() {
  const findCoordinator = 10;
  const settings = clientSettings(testConnection);
  let [isBreaking, broken] = [false, 0];
  const socketFactory: typeof settings.socketFactory = (asked) => {
    const socket = settings.socketFactory(asked);
    const write: (bytes: Buffer) => boolean = socket.write.bind(socket);
    const writeOrBreak = (bytes: Buffer): boolean => {
      // A request begins with its length, in four bytes, and its kind, in two.
      if (!isBreaking || bytes.readInt16BE(4) !== findCoordinator) return write(bytes);
      broken += 1;
      socket.destroy(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
      return false;
    };
    return Object.assign(socket, { write: writeOrBreak });
  };
  const kafka = new kafkajs.Kafka({ ...settings, socketFactory, logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  const reader = new KafkaReader(testConnection, kafka, machineTime);
  open.push(() => reader.close());
  let epoch = 0;
  const consumer: Messaging["consumer"] = async (consumed) => {
    await admin.connect();
    open.push(() => admin.disconnect());
    const nextEpoch = (): number => (epoch += 1);
    const started = new KafkaConsumer(consumed, { kafka, admin, reader, time: machineTime, logger: silentLogger, nextEpoch });
    await started.start();
    return started;
  };
  return {
    messaging: { consumer },
    start: () => void (isBreaking = true),
    stop: () => void (isBreaking = false),
    count: () => broken,
  };
}

/** Accepts connections to the broker, and passes nothing on until `goOn` is called. */
async function startFrozenBroker() {
  const [host = "", port = ""] = (testConnection.brokers[0] ?? "").split(":");
  const goesOn = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect({ host, port: Number(port) });
    for (const end of [socket, upstream]) sockets.add(end.on("error", () => end.destroy()).on("close", () => sockets.delete(end)));
    socket.on("close", () => upstream.destroy());
    void goesOn.promise.then(() => socket.pipe(upstream).pipe(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    address: `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    goOn: () => goesOn.resolve(),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
