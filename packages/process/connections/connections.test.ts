// Connections from the settings of the environment, and files that are replaced while a process runs.

import { readEnvironment } from "@sluice/config";
import { openFolders } from "@sluice/connection/folder.fixture";
import { machineTime, type Logger } from "@sluice/kernel";
import { createCertificateAuthority } from "@sluice/testkit";
import { expect, test, vi } from "vitest";
import { kafkaConnection, kafkaVariables } from "./kafka-connection.ts";
import { registryConnection, registryVariables } from "./registry-connection.ts";
import { openStore, storeVariables } from "./store-connection.ts";

const { defer, folder } = openFolders();
const authority = createCertificateAuthority("Ours", machineTime.nowMs());
const secret = "s3cret-value";

function openContext() {
  const lines: string[] = [];
  const write = (event: string, fields?: unknown): void => {
    lines.push(
      JSON.stringify([event, fields], (_, value: unknown) => (value instanceof Error ? `${value.message} ${value.stack}` : value)),
    );
  };
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const opened = new AsyncDisposableStack();
  defer(() => opened.disposeAsync());
  return { lines, options: { time: machineTime, logger, opened, filesPollMs: 2 } };
}

test("the password of a new connection is that of the file now, and no log line has it [D10.21]", async () => {
  const { write } = await folder();
  const KAFKA_SASL_PASSWORD_FILE = await write("password", `${secret}-1\n`);
  const given = { KAFKA_BROKERS: "127.0.0.1:1", KAFKA_SASL_MECHANISM: "scram-sha-512", KAFKA_SASL_USERNAME: "u", KAFKA_SASL_PASSWORD_FILE };
  const { lines, options } = openContext();
  const { login } = await kafkaConnection("x", readEnvironment(given, kafkaVariables), options);
  if (login?.mechanism !== "scram-sha-512") throw new Error("no login");
  expect(login.password()).toBe(`${secret}-1`);
  await write("password", `${secret}-2`);
  await vi.waitFor(() => expect(login.password()).toBe(`${secret}-2`));
  await write("password", "two\nlines");
  await vi.waitFor(() => expect(lines.at(-1)).toContain("not-one-line"));
  expect(login.password()).toBe(`${secret}-2`);
  expect(lines.join("\n")).not.toContain(secret);
  expect(lines[0]).toBe('["connection.secret-read",{"setting":"KAFKA_SASL_PASSWORD_FILE"}]');
});

test("TLS follows its files, and half of a pair changes nothing [D10.37]", async () => {
  const { write } = await folder();
  const [first, second] = [authority.issue({ name: "one" }), authority.issue({ name: "two" })];
  const given = {
    KAFKA_BROKERS: "k:1",
    KAFKA_TLS: "on",
    KAFKA_TLS_CA_FILE: await write("ca", authority.pem),
    KAFKA_TLS_CERTIFICATE_FILE: await write("certificate", first.certificatePem),
    KAFKA_TLS_KEY_FILE: await write("key", first.keyPem),
  };
  const { lines, options } = openContext();
  const { tls } = await kafkaConnection("x", readEnvironment(given, kafkaVariables), options);
  const before = tls?.();
  expect(before).toBeDefined();
  await write("certificate", second.certificatePem);
  await vi.waitFor(() => expect(lines.at(-1)).toContain('"setting":"KAFKA_TLS_KEY_FILE","reason"'));
  expect(tls?.()).toBe(before);
  await write("key", second.keyPem);
  await vi.waitFor(() => expect(tls?.()).not.toBe(before));
});

test("a file that cannot be read is named by its setting, and may still come", async () => {
  const given = { SCHEMA_REGISTRY_URL: "https://r", SCHEMA_REGISTRY_USERNAME: "u", SCHEMA_REGISTRY_PASSWORD_FILE: "/nowhere/password" };
  const { options } = openContext();
  await expect(registryConnection(readEnvironment(given, registryVariables), options)).rejects.toMatchObject({
    code: "process.secret-not-read",
    isRetryable: true,
    message: "SCHEMA_REGISTRY_PASSWORD_FILE: its file cannot be read: ENOENT",
  });
});

test("an address of the store that is none is refused without repeating it", async () => {
  const { write } = await folder();
  const given = { MONGO_URL_FILE: await write("url", `mongodb://u:${secret}@[`) };
  const { lines, options } = openContext();
  const error: unknown = await openStore(readEnvironment(given, storeVariables), options).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "process.no-store-address", isRetryable: false });
  expect(error instanceof Error ? `${error.message} ${error.stack} ${String(error.cause)}` : "").not.toContain(secret);
  expect(lines.join("\n")).not.toContain(secret);
});
