import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
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

test.each([
  ["heartbeat", 12],
  ["join", 14],
])("W: the answer to a %s that was long on its way is as old as its question", { timeout: 60_000 }, async (_what, kind) => {
  const [topic, group] = [await createTopic(1), freshGroup()];
  const held = createHeldClient(kind);
  const { consumer, recorded } = await startRecorder(held.messaging, group, topic);
  await eventually("the question", () => held.isHeld());
  await delay(heldMs);
  expect(recorded.failed).toEqual([]);
  held.letAnswersPass();
  // No later question leaves meanwhile, so all that the consumer hears is what was held.
  const ages: number[] = [];
  for (let looks = 0; looks < looksAtAge; looks += 1) {
    ages.push(consumer.heartbeatAgeMs());
    await delay(lookMs);
  }
  expect(Math.min(...ages)).toBeGreaterThan(heldMs - 1_000);
  held.letAllPass();
  await eventually("a later answer", () => consumer.heartbeatAgeMs() < heldMs - 1_000);
  await consumer.stop();
});

/** Milliseconds, below the session time-out. */
const heldMs = 4_000;
const looksAtAge = 20;
const lookMs = 25;

/**
 * A client that reads no answers once it has asked a question of the kind for the third time, or the first time where a
 * member asks it once, and then asks nothing until all may pass.
 */
function createHeldClient(kind: number) {
  const heartbeat = 12;
  const sockets: Socket[] = [];
  const unsent: (() => void)[] = [];
  let [asked, isHeld, isMute] = [0, false, false];
  const client = createOwnClient((socket) => {
    sockets.push(socket);
    const write: (bytes: Buffer) => boolean = socket.write.bind(socket);
    return (bytes) => {
      if (isMute) return (unsent.push(() => void write(bytes)), true);
      if (bytes.readInt16BE(4) === kind) asked += 1;
      if (!isHeld && asked >= (kind === heartbeat ? 3 : 1)) {
        isHeld = true;
        for (const one of sockets) one.pause();
      }
      return write(bytes);
    };
  });
  return {
    messaging: client,
    isHeld: () => isHeld,
    letAnswersPass(): void {
      isMute = true;
      for (const one of sockets) one.resume();
    },
    letAllPass(): void {
      isMute = false;
      for (const send of unsent.splice(0)) send();
    },
  };
}

/** A client whose connections break, from `start` to `stop`, when it asks which broker coordinates a group. */
function createBreakingClient() {
  const findCoordinator = 10;
  let [isBreaking, broken] = [false, 0];
  const messaging = createOwnClient((socket) => {
    const write: (bytes: Buffer) => boolean = socket.write.bind(socket);
    return (bytes) => {
      if (!isBreaking || bytes.readInt16BE(4) !== findCoordinator) return write(bytes);
      broken += 1;
      socket.destroy(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
      return false;
    };
  });
  return {
    messaging,
    start: () => void (isBreaking = true),
    stop: () => void (isBreaking = false),
    count: () => broken,
  };
}

/**
 * A client whose connections write by what `writeOf` returns. A request begins with its length, in four bytes, and its
 * kind, in two.
 */
function createOwnClient(writeOf: (socket: Socket) => (bytes: Buffer) => boolean): Pick<Messaging, "consumer"> {
  const settings = clientSettings(testConnection);
  const socketFactory: typeof settings.socketFactory = (asked) => {
    const socket = settings.socketFactory(asked);
    return Object.assign(socket, { write: writeOf(socket) });
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
    const started = new KafkaConsumer(consumed, {
      kafka,
      admin,
      reader,
      time: machineTime,
      logger: silentLogger,
      fetchSpacingMs: 0,
      nextEpoch,
    });
    await started.start();
    return started;
  };
  return { consumer };
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
