import { Kafka, logLevel } from "kafkajs";
import { GenericContainer, Network } from "testcontainers";
import { expect, test } from "vitest";
import { ApacheKafkaContainer } from "../kafka.ts";

test("a broker of Apache's image is reached from this machine and from another container, at what it advertises", async () => {
  await using opened = new AsyncDisposableStack();
  const network = opened.use(await new Network().start());
  const startedMs = performance.now();
  const kafka = opened.use(await new ApacheKafkaContainer().withNetwork(network).withNetworkAliases("kafka").start());
  console.info(`Kafka was ready after ${Math.round(performance.now() - startedMs)} ms`);
  const client = new Kafka({ brokers: [kafka.broker], logLevel: logLevel.NOTHING });
  const admin = client.admin();
  opened.defer(() => admin.disconnect());
  await admin.connect();
  const { brokers } = await admin.describeCluster();
  expect(brokers.map(({ host, port }) => `${host}:${port}`)).toEqual([kafka.broker]);
  await admin.createTopics({ topics: [{ topic: "t", numPartitions: 1 }], waitForLeaders: true });
  const producer = client.producer();
  opened.defer(() => producer.disconnect());
  await producer.connect();
  expect(await producer.send({ topic: "t", messages: [{ value: "1" }] })).toMatchObject([{ errorCode: 0, baseOffset: "0" }]);
  // Node of Sluice's image asks for the broker's metadata at the network's address.
  const image = process.env["SLUICE_IMAGE"] ?? "sluice:latest";
  expect(kafka.networkBroker).toBe("kafka:19092");
  const look = `require("net").connect(19092,"kafka",()=>{console.log("connected");process.exit()})`;
  let log = "";
  const other = new GenericContainer(image)
    .withEntrypoint(["node", "-e", look])
    .withNetwork(network)
    .withLogConsumer((lines) => void lines.on("data", (chunk: unknown) => (log += String(chunk))));
  opened.use(await other.start().catch(() => network));
  await expect.poll(() => log, { timeout: 20_000 }).toContain("connected");
}, 180_000);
