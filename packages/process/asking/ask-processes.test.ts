import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { once } from "node:events";
import { machineTime } from "@sluice/kernel";
import { afterEach, expect, test } from "vitest";
import { createCertificateAuthority, createVirtualTime } from "@sluice/testkit";
import { createAskProcesses } from "./ask-processes.ts";

const servers: Pick<Server, "close" | "address">[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function listenAt(status: number, bodies: Readonly<Record<string, string>>): Promise<number> {
  const server = createServer((request, response) => void response.writeHead(status).end(bodies[request.url ?? ""] ?? ""));
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return portOf(server);
}

function portOf(server: Pick<Server, "address">): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const bodies = { "/readyz": '{"service":"scheduler","isReady":false,"reasons":["stopping"]}', "/metrics": "sluice_service_ready 0\n" };

test("each process is asked for its readiness and its metrics, also one that is not ready", async () => {
  const port = await listenAt(503, bodies);
  const ask = createAskProcesses([`http://127.0.0.1:${port}`], machineTime);
  expect(await ask?.()).toEqual([
    { address: `http://127.0.0.1:${port}`, readiness: bodies["/readyz"], metrics: bodies["/metrics"], failure: null },
  ]);
});

test("#1 every address of a name is asked", async () => {
  const port = await listenAt(200, bodies);
  const found = (await createAskProcesses([`http://localhost:${port}`], machineTime)?.()) ?? [];
  expect(found).toContainEqual(expect.objectContaining({ address: `http://127.0.0.1:${port}`, failure: null }));
});

test("#2 who does not answer is listed with the reason", async () => {
  const port = await listenAt(200, bodies);
  const nobody = await listenAt(200, bodies);
  servers.pop()?.close();
  const found = await createAskProcesses(
    [`http://127.0.0.1:${nobody}`, `http://127.0.0.1:${port}`, "http://nobody.invalid:9464"],
    machineTime,
  )?.();
  expect(found?.map(({ failure }) => failure)).toEqual(["ECONNREFUSED", null, "its name is not known"]);
});

test.each(["127.0.0.1", "localhost"])("#3 a process with TLS is asked by %s, whatever its certificate says", async (host) => {
  const { certificatePem: cert, keyPem: key } = createCertificateAuthority("Nobody's", machineTime.nowMs()).issue({ name: "x", hosts: [] });
  const server = createSecureServer({ cert, key }, (_, response) => void response.end(bodies["/readyz"]));
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const found = await createAskProcesses([`https://${host}:${portOf(server)}`], machineTime)?.();
  expect(found).toContainEqual(expect.objectContaining({ failure: null, readiness: bodies["/readyz"] }));
});

test("where nobody said where the processes are, none is asked", () => {
  expect(createAskProcesses(null, machineTime)).toBeNull();
});

test("#2 who takes the question and says nothing is not waited for", async () => {
  const server = createServer(() => {});
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const time = createVirtualTime({ startAtMs: 0 });
  const asking = createAskProcesses([`http://127.0.0.1:${portOf(server)}`], time)?.();
  await once(server, "request");
  await time.advance(2_000);
  expect(await asking).toMatchObject([{ readiness: null, failure: "no answer within 2 s" }]);
  server.closeAllConnections();
});
