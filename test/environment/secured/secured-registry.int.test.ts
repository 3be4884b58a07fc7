// The local registry over TLS with users: who may register, who only reads, and who gets nothing.

import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServers } from "@sluice/local-servers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prepareSecured, type Secured } from "./secured.ts";

const started = [{ name: "registry" }];
const opened = new AsyncDisposableStack();
let secured: Secured;
let url: string;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-registry-"));
  opened.defer(() => rmSync(folder, { recursive: true }));
  secured = prepareSecured(folder, "sluice");
  const environment = { ...process.env, KAFKA_BROKERS: "a:1", SCHEMA_REGISTRY_URL: "", MONGO_URL: "mongodb://m" };
  const servers = await startServers({ storage: "memory", environment, purpose: "registry", secured: secured.servers });
  opened.defer(() => servers.stop());
  url = servers.schemaRegistryUrl;
}, 180_000);
afterAll(() => opened.disposeAsync());

interface Question {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Asks with the login of these settings; null: without one. */
async function statusOf(settings: Readonly<Record<string, string>> | null, { method, path, body }: Question): Promise<number> {
  const setting = (name: string): string => settings?.[`SCHEMA_REGISTRY_${name}`] ?? "";
  const login = settings === null ? {} : { auth: `${setting("USERNAME")}:${await readFile(setting("PASSWORD_FILE"), "utf8")}` };
  const ca = await readFile(secured.authorityFile);
  const headers = { "content-type": "application/vnd.schemaregistry.v1+json" };
  return await new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { method, headers, ca, ...login }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
    });
    asked.once("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const schema = { schema: JSON.stringify({ type: "record", name: "One", fields: [] }) };
const register: Question = { method: "POST", path: "/subjects/one-value/versions", body: schema };
const setLevel: Question = { method: "PUT", path: "/config/one-value", body: { compatibility: "FULL_TRANSITIVE" } };
const lookUp: Question = { method: "POST", path: "/subjects/one-value", body: schema };
const list: Question = { method: "GET", path: "/subjects" };

test("the first user registers and sets levels, services only read, and nobody else gets anything", async () => {
  const [person, service] = [secured.connectionsTo(started), secured.settingsOf("scheduler", started)];
  expect([await statusOf(person, register), await statusOf(person, setLevel)]).toEqual([200, 200]);
  expect([
    await statusOf(service, list),
    await statusOf(service, lookUp),
    await statusOf(service, { ...list, path: "/schemas/ids/1" }),
  ]).toEqual([200, 200, 200]);
  expect([await statusOf(service, register), await statusOf(service, setLevel)]).toEqual([403, 403]);
  const wrong = { ...service, SCHEMA_REGISTRY_USERNAME: "sluice" };
  expect([await statusOf(null, list), await statusOf(wrong, list), await statusOf(null, register)]).toEqual([401, 401, 401]);
});
