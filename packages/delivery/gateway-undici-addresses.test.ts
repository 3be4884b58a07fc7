// Where the gateway connects to, against real sockets: names are resolved by the test.

import { createServer, type AddressInfo, type Socket } from "node:net";
import { sampleBank } from "@sluice/testkit";
import type { buildConnector } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { addressCheck } from "./address-check.ts";
import { checkedConnector, checkedLookup, systemResolve, type Resolve } from "./gateway-undici-connect.ts";
import { createUndiciGateway } from "./gateway-undici.ts";
import type { BankAnswer } from "./port.ts";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

/** Acknowledges whatever comes; counts who came. */
async function givenBank(): Promise<{ readonly port: number; readonly sockets: readonly Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", () => socket.write("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

async function post(baseUrl: string, allowedAddresses: readonly string[], resolve?: Resolve): Promise<BankAnswer> {
  const bank = sampleBank({ id: "first", baseUrl, allowedAddresses });
  const gateway = createUndiciGateway([bank], resolve === undefined ? {} : { resolve });
  opened.push(() => gateway.close());
  return gateway.post({ bank: "first", operation: "inboundDirectDebit", body: Buffer.from("{}"), headers: {}, timeoutMs: 2_000 });
}

const resolving =
  (...addresses: readonly string[]): Resolve =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));
const refused = (reason: string): BankAnswer => ({ kind: "silent", reason });

describe("the addresses that the gateway connects to", () => {
  it("a name leads to an address that is listed", async () => {
    const { port } = await givenBank();
    expect(await post(`http://bank.test:${port}`, ["127.0.0.0/8"], resolving("127.0.0.1"))).toMatchObject({ status: 202 });
    expect(await post(`http://localhost:${port}`, ["127.0.0.0/8", "::1"])).toMatchObject({ status: 202 });
  });

  it.each([
    ["to the loopback", ["127.0.0.1"]],
    ["to a metadata service", ["169.254.169.254"]],
    ["to a mapped address", ["::ffff:127.0.0.1"]],
    ["to a good address and a bad one", ["8.8.8.8", "127.0.0.1"]],
  ])("nothing is sent where a name leads %s", async (_, addresses) => {
    const { port, sockets } = await givenBank();
    expect(await post(`https://bank.test:${port}`, [], resolving(...addresses))).toEqual(refused("address-not-allowed"));
    expect(sockets).toEqual([]);
  });

  it.each(["127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "[::1]", "0"])(
    "nothing is sent to %s where it stands in the URL",
    async (host) => {
      const { port, sockets } = await givenBank();
      expect(await post(`http://${host}:${port}`, ["10.0.0.0/8"])).toEqual(refused("address-not-allowed"));
      expect(sockets).toEqual([]);
    },
  );

  it("a public address that is not listed is not called without TLS", async () => {
    expect(await post("http://bank.test:9", [], resolving("8.8.8.8"))).toEqual(refused("tls-required"));
    expect(await post("http://8.8.8.8:9", [])).toEqual(refused("tls-required"));
  });

  it("a name that nobody knows, or that has no address, is silence and no refusal", async () => {
    const unknown = (): Promise<never> => Promise.reject(Object.assign(new Error("secret.name"), { code: "EAI_AGAIN" }));
    expect(await post("https://bank.test", [], unknown)).toEqual(refused("EAI_AGAIN"));
    expect(await post("https://bank.test", [], resolving())).toEqual(refused("ENOTFOUND"));
  });

  it("a socket that has come elsewhere than its name said is closed", async () => {
    const { port, sockets } = await givenBank();
    const url = new URL(`http://127.0.0.1:${port}`);
    const options = { url, allowedAddresses: ["10.0.0.0/8"], timeoutMs: 1_000, secureContext: null, resolve: resolving() };
    const to = { hostname: "127.0.0.1", protocol: url.protocol, port: url.port };
    const [error, socket] = await new Promise<Parameters<buildConnector.Callback>>((done) => {
      checkedConnector(options)(to, (...result) => done(result));
    });
    expect([error?.message, socket]).toEqual(["address-not-allowed", null]);
    await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it("asks for all addresses of a name, or for the first", async () => {
    const lookup = checkedLookup(resolving("8.8.8.8", "1.1.1.1"), addressCheck([], true));
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

  it("a name is asked for once at a time, and again afterwards", async () => {
    const asked: PromiseWithResolvers<{ address: string; family: number }[]>[] = [];
    const resolve = systemResolve(() => (asked.push(Promise.withResolvers()), asked.at(-1)!.promise));
    const both = [resolve("bank.test"), resolve("bank.test")];
    expect(asked).toHaveLength(1);
    asked[0]!.resolve([{ address: "8.8.8.8", family: 4 }]);
    expect(await Promise.all(both)).toEqual([[{ address: "8.8.8.8", family: 4 }], [{ address: "8.8.8.8", family: 4 }]]);
    void resolve("bank.test");
    expect(asked).toHaveLength(2);
  });
});
