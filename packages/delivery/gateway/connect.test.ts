// The addresses to which the gateway connects, against real sockets; the test resolves the names.

import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import type { buildConnector } from "undici";
import { describe, expect, it } from "vitest";
import { createAddressCheck } from "./address-check.ts";
import { createCheckedConnector, createCheckedLookup, judgePeer, type ResolveHost } from "./connect.ts";
import { openGatewayEnvironment, buildReceiverRequest } from "./gateway.fixture.ts";
import type { ReceiverAnswer } from "../port.ts";

const { defer, rawBank, gatewayTo } = openGatewayEnvironment();

/** Acknowledges every request and records the sockets. */
async function startBank(): Promise<{ readonly port: string; readonly sockets: readonly Socket[] }> {
  const sockets: Socket[] = [];
  const url = await rawBank((socket) => {
    sockets.push(socket);
    socket.write("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
  });
  return { port: new URL(url).port, sockets };
}

async function post(baseUrl: string, allowedAddresses: readonly string[], resolve?: ResolveHost): Promise<ReceiverAnswer> {
  return gatewayTo(baseUrl, { allowedAddresses }, resolve === undefined ? {} : { resolve }).post(buildReceiverRequest());
}

const resolving =
  (...addresses: readonly string[]): ResolveHost =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));
const refused = (reason: string): ReceiverAnswer => ({ kind: "silent", reason });

describe("the addresses that the gateway connects to", () => {
  it("a name that resolves to a listed address is connected to", async () => {
    const { port } = await startBank();
    expect(await post(`http://bank.test:${port}`, ["127.0.0.0/8"], resolving("127.0.0.1"))).toMatchObject({ status: 202 });
    expect(await post(`http://localhost:${port}`, ["127.0.0.0/8", "::1"])).toMatchObject({ status: 202 });
  });

  it.each([
    ["to the loopback", ["127.0.0.1"]],
    ["to a metadata service", ["169.254.169.254"]],
    ["to a mapped address", ["::ffff:127.0.0.1"]],
    ["to a good address and a bad one", ["8.8.8.8", "127.0.0.1"]],
  ])("nothing is sent if a name resolves to %s", async (_, addresses) => {
    const { port, sockets } = await startBank();
    expect(await post(`https://bank.test:${port}`, [], resolving(...addresses))).toEqual(refused("address-not-allowed"));
    expect(sockets).toEqual([]);
  });

  it.each(["127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "[::1]", "0"])(
    "nothing is sent to %s in the URL itself",
    async (host) => {
      const { port, sockets } = await startBank();
      expect(await post(`http://${host}:${port}`, ["10.0.0.0/8"])).toEqual(refused("address-not-allowed"));
      expect(sockets).toEqual([]);
    },
  );

  it("a public address that is not listed is not called without TLS", async () => {
    expect(await post("http://bank.test:9", [], resolving("8.8.8.8"))).toEqual(refused("tls-required"));
    expect(await post("http://8.8.8.8:9", [])).toEqual(refused("tls-required"));
  });

  it("an unknown name, or one without an address, gives no response and is no refusal", async () => {
    const unknown = (): Promise<never> => Promise.reject(Object.assign(new Error("secret.name"), { code: "name-server-silent" }));
    expect(await post("https://bank.test", [], unknown)).toEqual(refused("name-server-silent"));
    expect(await post("https://bank.test", [], resolving())).toEqual(refused("ENOTFOUND"));
  });

  it("a socket that has reached another address than its name said is closed", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    defer(() => new Promise((resolve) => server.close(resolve)));
    const came = once(server, "connection");
    await once(server, "listening");
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const options = { url, allowedAddresses: ["10.0.0.0/8"], timeoutMs: 1_000, secureContext: null, resolve: resolving() };
    const to = { hostname: "127.0.0.1", protocol: url.protocol, port: url.port };
    const [error, socket] = await new Promise<Parameters<buildConnector.Callback>>((done) => {
      createCheckedConnector(options)(to, (...result) => done(result));
    });
    expect([error?.message, socket]).toEqual(["address-not-allowed", null]);
    const [theirs]: Socket[] = await came;
    theirs!.resume();
    await once(theirs!, "close");
  });

  it("a connection that is accepted and reset at once is a reset, and says nothing about the address", async () => {
    // A thread of its own answers while our loop is between two events, as another machine does.
    const program = `const { createServer } = require("node:net"), { parentPort } = require("node:worker_threads");
      const server = createServer((socket) => socket.resetAndDestroy());
      server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`;
    const balancer = new Worker(program, { eval: true });
    defer(() => balancer.terminate());
    const [port]: unknown[] = await once(balancer, "message");
    const gateway = gatewayTo(`http://127.0.0.1:${String(port)}`);
    const reasons = new Set<string>();
    for (let attempt = 0; attempt < 500; attempt += 1) {
      const answer = await gateway.post(buildReceiverRequest());
      reasons.add(answer.kind === "silent" ? answer.reason : String(answer.status));
    }
    // undici says UND_ERR_SOCKET or EPIPE where the reset comes while it writes.
    expect([...reasons].filter((reason) => !["ECONNRESET", "UND_ERR_SOCKET", "EPIPE"].includes(reason))).toEqual([]);
  });

  it("a socket without a peer was reset; one at another address is refused", () => {
    const check = createAddressCheck(["127.0.0.0/8"], false);
    expect([undefined, "127.0.0.1", "10.0.0.1"].map((peer) => judgePeer(check, peer))).toEqual(["ECONNRESET", null, "address-not-allowed"]);
  });

  it("the lookup answers with all addresses of a name, or with the first, as asked", async () => {
    const lookup = createCheckedLookup(resolving("8.8.8.8", "1.1.1.1"), createAddressCheck([], true));
    const all = await new Promise((done) => lookup("bank.test", { all: true }, (error, addresses) => done([error, addresses])));
    expect(all).toEqual([
      null,
      [
        { address: "8.8.8.8", family: 4 },
        { address: "1.1.1.1", family: 4 },
      ],
    ]);
    const one = await new Promise((done) => lookup("bank.test", {}, (...first) => done(first)));
    expect(one).toEqual([null, "8.8.8.8", 4]);
  });
});
