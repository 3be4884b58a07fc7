import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { machineTime } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";
import { createAskAlarms } from "./ask-alarms.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(answer: RequestListener): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}` };
}

test("it asks below the configured path for the alarms of Sluice, also the silenced ones, and not for what is inhibited", async () => {
  const asked: string[] = [];
  const { url } = await listen((request, response) => {
    asked.push(request.url ?? "");
    response.end("[]");
  });
  expect(await createAskAlarms(`${url}/alertmanager`, machineTime)?.()).toEqual({ kind: "answered", text: "[]" });
  const [path = ""] = asked;
  const { pathname, searchParams } = new URL(path, url);
  expect(pathname).toBe("/alertmanager/api/v2/alerts");
  expect(Object.fromEntries(searchParams)).toEqual({
    active: "true",
    silenced: "true",
    inhibited: "false",
    filter: 'alertname=~"Sluice.*"',
  });
});

test("without an address nobody is asked", () => {
  expect(createAskAlarms(null, machineTime)).toBeNull();
});

test("#1 what is no answer says why", async () => {
  const { url: failing } = await listen((_, response) => void response.writeHead(500).end("[]"));
  const { url: moved } = await listen((_, response) => void response.writeHead(302, { location: failing }).end());
  const { url: long } = await listen((_, response) => void response.end("x".repeat(3 * 1024 * 1024)));
  const { url: gone, server } = await listen((_, response) => void response.end("[]"));
  server.close();
  const failures: unknown[] = [];
  for (const url of [failing, moved, long, gone, "http://nobody.invalid:9093"]) failures.push(await createAskAlarms(url, machineTime)?.());
  expect(failures).toEqual([
    { kind: "silent", failure: "it answers HTTP 500" },
    { kind: "silent", failure: "it answers HTTP 302" },
    { kind: "silent", failure: "the answer is too long" },
    { kind: "silent", failure: "ECONNREFUSED" },
    { kind: "silent", failure: expect.stringMatching(/^E/) },
  ]);
});

test("#1 who takes the question and says nothing is not waited for", async () => {
  const { server, url } = await listen(() => {});
  const time = createVirtualTime({ startAtMs: 0 });
  const asking = createAskAlarms(url, time)?.();
  await once(server, "request");
  await time.advance(3_000);
  expect(await asking).toEqual({ kind: "silent", failure: "no answer within 3 s" });
});
