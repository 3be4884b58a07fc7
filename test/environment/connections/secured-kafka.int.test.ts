// Kafka as a bank runs it: three brokers, two of which must have a record; TLS with certificates on both sides, and a
// login. The settings are those of a service.

import { readEnvironment } from "@sluice/config";
import { openFolders, openSecretFolder, type SecretFolder } from "@sluice/connection/folder.fixture";
import { type Logger, machineTime } from "@sluice/kernel";
import { startSecuredKafka, type SecuredKafka } from "@sluice/local-servers/secured-kafka";
import { createKafkaMessaging, type KafkaConnection, type Messaging } from "@sluice/messaging";
import { createFreshTopic, describeKafka, type KafkaUnderTest } from "@sluice/messaging/conformance.fixture";
import { kafkaConnection, kafkaVariables } from "@sluice/process";
import { createCertificateAuthority } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

const [ours, others] = ["Ours", "Others"].map((name) => createCertificateAuthority(name, machineTime.nowMs()));
const broker = ours!.issue({ name: "broker", hosts: ["127.0.0.1"] });
const client = ours!.issue({ name: "sluice" });
const passwords = { "SCRAM-SHA-256": "s3cret-256", "SCRAM-SHA-512": "s3cret-512", PLAIN: "s3cret-plain" };

let kafka: SecuredKafka;
beforeAll(async () => {
  const { certificatePem, keyPem } = broker;
  kafka = await startSecuredKafka({ keyPem, certificatePem, authorityPem: ours!.pem, user: "sluice", passwords });
});
afterAll(async () => await kafka[Symbol.asyncDispose]());

const { defer, folder } = openFolders();
const lines: string[] = [];
const write = (event: string, fields?: unknown): void => void lines.push(JSON.stringify([event, fields]));
const logger: Logger = { debug: write, info: write, warn: write, error: write };

type Settings = Readonly<Record<string, string>>;

async function tlsSettings(files: SecretFolder): Promise<Settings> {
  return {
    KAFKA_TLS: "on",
    KAFKA_TLS_CA_FILE: await files.write("ca", ours!.pem),
    KAFKA_TLS_CERTIFICATE_FILE: await files.write("certificate", client.certificatePem),
    KAFKA_TLS_KEY_FILE: await files.write("key", client.keyPem),
  };
}

async function scramSettings(files: SecretFolder): Promise<Settings> {
  return {
    KAFKA_SASL_MECHANISM: "scram-sha-512",
    KAFKA_SASL_USERNAME: "sluice",
    KAFKA_SASL_PASSWORD_FILE: await files.write("password", passwords["SCRAM-SHA-512"]),
  };
}

async function connect(settings: Settings): Promise<KafkaConnection> {
  const given = { KAFKA_BROKERS: kafka.brokers.join(","), ...settings };
  const opened = new AsyncDisposableStack();
  defer(() => opened.disposeAsync());
  const options = { time: machineTime, logger, opened, filesPollMs: 10 };
  return await kafkaConnection("secured-test", readEnvironment(given, kafkaVariables), options);
}

function open(connection: KafkaConnection): Messaging {
  const messaging = createKafkaMessaging({ connection, time: machineTime, logger });
  defer(() => messaging.close());
  return messaging;
}

const topicsOf = (connection: KafkaConnection): KafkaUnderTest => ({ connection: () => connection, replication: 3, minInsync: 2 });

async function sendOne(messaging: Messaging, topic: string): Promise<bigint | undefined> {
  const producer = await messaging.producer("p");
  const [appended] = await producer.send([{ topic, partition: 0, key: null, value: Buffer.from("x"), headers: {} }]);
  return appended?.offset;
}

/** A token without a signature, which a broker takes in tests alone. */
function unsignedToken(): string {
  const nowS = Math.floor(machineTime.nowMs() / 1_000);
  const parts = [{ alg: "none" }, { sub: "sluice", iat: nowS, exp: nowS + 3_600 }];
  return `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;
}

describe("a login", () => {
  test.for<readonly [string, (files: SecretFolder) => Promise<Settings>]>([
    ["scram-sha-512", scramSettings],
    [
      "scram-sha-256",
      async (files) => ({
        KAFKA_SASL_MECHANISM: "scram-sha-256",
        KAFKA_SASL_USERNAME: "sluice",
        KAFKA_SASL_PASSWORD_FILE: await files.write("password", `${passwords["SCRAM-SHA-256"]}\n`),
      }),
    ],
    [
      "plain",
      async (files) => ({
        KAFKA_SASL_MECHANISM: "plain",
        KAFKA_SASL_USERNAME: "sluice",
        KAFKA_SASL_PASSWORD_FILE: await files.write("password", passwords.PLAIN),
      }),
    ],
    [
      "oauthbearer",
      async (files) => ({ KAFKA_SASL_MECHANISM: "oauthbearer", KAFKA_SASL_TOKEN_FILE: await files.write("token", unsignedToken()) }),
    ],
  ])("by %s, with a certificate on both sides, sends and reads", async ([, settings]) => {
    const files = await folder();
    const connection = await connect({ ...(await tlsSettings(files)), ...(await settings(files)) });
    const topic = await createFreshTopic(topicsOf(connection), 1);
    const messaging = open(connection);
    expect(await sendOne(messaging, topic)).toBe(0n);
    const read: string[] = [];
    for await (const record of messaging.read({ topic, partition: 0 }, 0n, 1n)) read.push(String(record.value));
    expect(read).toEqual(["x"]);
  });

  test("with a password that was replaced on both sides goes on, without a restart, and no line and no error has one", async () => {
    const files = await folder();
    const connection = await connect({ ...(await tlsSettings(files)), ...(await scramSettings(files)) });
    const topic = await createFreshTopic(topicsOf(connection), 1);
    await kafka.replacePassword("SCRAM-SHA-512", "s3cret-new");
    const messaging = open(connection);
    const refused: unknown = await messaging.partitionCount(topic).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "messaging.unavailable", isRetryable: true });
    await files.write("password", "s3cret-new");
    await vi.waitFor(async () => expect(await sendOne(messaging, topic)).toBe(0n), { timeout: 30_000, interval: 200 });
    const errors = refused instanceof Error ? [refused.message, refused.stack, JSON.stringify(refused.cause), String(refused.cause)] : [];
    expect([...errors, ...lines].join("\n")).not.toContain("s3cret");
    expect(lines.join("\n")).toContain("no login by scram-sha-512");
    await kafka.replacePassword("SCRAM-SHA-512", passwords["SCRAM-SHA-512"]);
  });
});

describe("TLS", () => {
  test("a broker whose authority we do not trust gets nothing from us", async () => {
    const files = await folder();
    const settings = { ...(await tlsSettings(files)), KAFKA_TLS_CA_FILE: await files.write("ca", others!.pem) };
    const messaging = open(await connect({ ...settings, ...(await scramSettings(files)) }));
    await expect(messaging.partitionCount("t")).rejects.toMatchObject({ code: "messaging.unavailable", isRetryable: true });
  });

  test("brokers that want a certificate refuse us without one", async () => {
    const files = await folder();
    const { KAFKA_TLS = "", KAFKA_TLS_CA_FILE = "" } = await tlsSettings(files);
    const messaging = open(await connect({ KAFKA_TLS, KAFKA_TLS_CA_FILE, ...(await scramSettings(files)) }));
    await expect(messaging.partitionCount("t")).rejects.toMatchObject({ code: "messaging.unavailable", isRetryable: true });
  });
});

describe("over TLS, with a login and three brokers", () => {
  let connection: KafkaConnection;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    const files = await openSecretFolder();
    opened.defer(() => files.remove());
    const given = { KAFKA_BROKERS: kafka.brokers.join(","), ...(await tlsSettings(files)), ...(await scramSettings(files)) };
    const options = { time: machineTime, logger, opened };
    connection = await kafkaConnection("secured-test", readEnvironment(given, kafkaVariables), options);
  });
  afterAll(async () => await opened.disposeAsync());

  describeKafka({ connection: () => connection, replication: 3, minInsync: 2 });

  test("S, I16: a consumer reads and commits on while any broker stays away, also the one that coordinated its group", async () => {
    const topic = await createFreshTopic(topicsOf(connection), 3);
    const messaging = open(connection);
    const read: string[] = [];
    const epochs = new Map<number, number>();
    const consumer = await messaging.consumer({
      group: `coordinated-${topic}`,
      topics: [topic],
      handlers: {
        assigned: ({ partition }, epoch, { logStart }) => {
          epochs.set(partition, epoch);
          return Promise.resolve(logStart);
        },
        handOver: () => Promise.resolve(),
        revoked: ({ partition }) => void epochs.delete(partition),
        records: (_partition, _epoch, records) => void read.push(...records.map(({ value }) => String(value))),
        unreadable: () => Promise.resolve("read-again"),
        failed: (reason) => void read.push(reason.message),
      },
    });
    defer(() => consumer.stop());
    const send = async (text: string): Promise<void> => {
      const producer = await open(connection).producer(text);
      await producer.send([0, 1, 2].map((partition) => ({ topic, partition, key: null, value: Buffer.from(text), headers: {} })));
    };
    await vi.waitFor(() => expect(epochs.size).toBe(3), { timeout: 20_000 });
    // One of the three coordinates the group.
    for (const broker of [0, 1, 2]) {
      await kafka.killBroker(broker);
      const text = `without ${broker}`;
      await vi.waitFor(() => send(text), { timeout: 40_000, interval: 500 });
      await vi.waitFor(() => expect(read).toContain(text), { timeout: 30_000, interval: 100 });
      const commit = () => consumer.commit({ topic, partition: 0 }, BigInt(broker) + 1n, epochs.get(0) ?? 0);
      await vi.waitFor(commit, { timeout: 30_000, interval: 500 });
      expect(consumer.heartbeatAgeMs()).toBeLessThan(15_000);
      await kafka.restartBroker(broker);
    }
  }, 300_000);

  test("I1: a record is acknowledged while one broker is down", async () => {
    const topic = await createFreshTopic(topicsOf(connection), 3);
    const messaging = open(connection);
    const producer = await messaging.producer("p");
    const send = () => producer.send([0, 1, 2].map((partition) => ({ topic, partition, key: null, value: Buffer.from("x"), headers: {} })));
    expect((await send()).map(({ offset }) => offset)).toEqual([0n, 0n, 0n]);
    await kafka.stopBroker(2);
    await vi.waitFor(
      async () => {
        const again = await messaging.producer("again");
        const appended = await again.send(
          [0, 1, 2].map((partition) => ({ topic, partition, key: null, value: Buffer.from("y"), headers: {} })),
        );
        expect(appended).toHaveLength(3);
      },
      { timeout: 40_000, interval: 500 },
    );
  });
});
