// An egress proxy, real: what it is asked for, and what it never sees. And proxies of the environment, which are asked for nothing.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { machineTime } from "@sluice/runtime";
import { createAuthority } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import type { Receiver } from "./addresses.ts";
import { gatewayGround, request, type Answering } from "./gateway.fixture.ts";
import { classify } from "./retry-law.ts";

const { defer, rawBank, httpBank, tlsBank, gatewayTo, folder } = gatewayGround();
const authority = createAuthority("Ours", machineTime.nowMs());
const acknowledge: Answering = (_, response) => void response.writeHead(202).end();
const unresolved = (): Promise<never> => Promise.reject(new Error("names are the proxy's business"));

/** Leads every name to the loopback. */
async function givenProxy() {
  const asked: string[] = [];
  const passed: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => void response.writeHead(400).end());
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.on("connect", ({ url = "" }, near: Socket) => {
    asked.push(url);
    const far = connect({ host: "127.0.0.1", port: Number(url.split(":").at(-1)) });
    sockets.add(far);
    for (const socket of [near, far]) socket.on("error", () => undefined);
    far.once("connect", () => near.write("HTTP/1.1 200 Connection established\r\n\r\n"));
    near.on("data", (chunk: Buffer) => passed.push(chunk));
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  defer(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : null;
  return { url: `http://127.0.0.1:${port}`, asked, passed, sockets };
}

describe("a party's egress proxy", () => {
  async function throughProxy(egressProxy: string, host: string, bank: Partial<Receiver> = {}) {
    const { certificatePem: cert, keyPem: key } = authority.issue({ name: "bank", hosts: ["bank.test"] });
    const port = await tlsBank({ cert, key }, acknowledge);
    const { write } = await folder();
    const caFile = await write("ca.pem", authority.pem);
    const gateway = gatewayTo(`https://${host}:${port}`, { caFile, egressProxy, bearerToken: "s3cret", ...bank }, { resolve: unresolved });
    return { port, post: () => gateway.post(request()) };
  }

  it("is asked for a name and a port, and sees nothing of what is said there", async () => {
    const proxy = await givenProxy();
    const { port, post } = await throughProxy(proxy.url, "bank.test");
    expect([await post(), await post()]).toMatchObject([{ status: 202 }, { status: 202 }]);
    expect(new Set(proxy.asked)).toEqual(new Set([`bank.test:${port}`]));
    expect(Buffer.concat(proxy.passed).toString("latin1")).not.toMatch(/s3cret|1250|inbound/);
  });

  it("does not make another bank of a bank: its certificate is verified through the tunnel", async () => {
    const { post } = await throughProxy((await givenProxy()).url, "other.test");
    expect(await post()).toEqual({ kind: "silent", reason: "ERR_TLS_CERT_ALTNAME_INVALID" });
  });

  it("carries what has no TLS too, to an address that is listed", async () => {
    const proxy = await givenProxy();
    const url = await httpBank(acknowledge);
    expect(await gatewayTo(url, { egressProxy: proxy.url }).post(request())).toMatchObject({ status: 202 });
    expect(proxy.asked).toEqual([new URL(url).host]);
  });

  it.each([
    ["https://10.1.2.3", "address-not-allowed"],
    ["https://[::1]:8443", "address-not-allowed"],
    ["http://8.8.8.8", "tls-required"],
    ["http://bank.test", "tls-required"],
  ])("is not asked for %s: %s", async (url, reason) => {
    const proxy = await givenProxy();
    const answer = await gatewayTo(url, { egressProxy: proxy.url, allowedAddresses: ["127.0.0.1"] }).post(request());
    expect([answer, proxy.sockets.size]).toEqual([{ kind: "silent", reason }, 0]);
  });

  it.each([
    ["refuses", "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n", "proxy-refused", "address"],
    ["wants to know who asks", "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "proxy-refused", "address"],
    ["cannot reach the bank", "HTTP/1.1 502 Bad Gateway\r\n\r\n", "proxy-failed", "transient"],
    ["speaks no HTTP", "SSH-2.0-OpenSSH\r\n", "proxy-unreachable", "transient"],
    ["closes", "", "proxy-unreachable", "transient"],
  ])("that %s is silence", async (_, speech, reason, answerClass) => {
    const { post } = await throughProxy(await rawBank((socket) => void socket.end(speech)), "bank.test");
    const answer = await post();
    expect([answer, classify(answer, () => false)]).toEqual([{ kind: "silent", reason }, answerClass]);
  });

  it("that is not there is silence; one that says nothing is given up, and asked again", async () => {
    const away = await throughProxy("http://127.0.0.1:1", "bank.test");
    expect(await away.post()).toEqual({ kind: "silent", reason: "proxy-unreachable" });
    let asked = 0;
    const mute = await rawBank(() => void (asked += 1));
    const { post } = await throughProxy(mute, "bank.test", { answerTimeoutMs: 200, connections: 1 });
    expect(await post()).toEqual({ kind: "silent", reason: "proxy-unreachable" });
    expect(await post()).toEqual({ kind: "silent", reason: "proxy-unreachable" });
    expect(asked).toBeGreaterThan(0);
  });
});

describe("the environment of the process", () => {
  it("leads nothing through its proxies, and makes no certificate good", async () => {
    const proxy = await givenProxy();
    const url = await httpBank(acknowledge);
    const { certificatePem: cert, keyPem: key } = authority.issue({ name: "bank", hosts: ["127.0.0.1"] });
    const securedUrl = `https://127.0.0.1:${await tlsBank({ cert, key }, acknowledge)}`;
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    const proxies = { ...Object.fromEntries(names.map((name) => [name, proxy.url])), NO_PROXY: "", NODE_USE_ENV_PROXY: "1" };
    const env = { ...process.env, ...proxies, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const program = fileURLToPath(new URL("gateway-post.fixture.ts", import.meta.url));
    const child = spawn(process.execPath, [program, url, securedUrl], { env, stdio: ["ignore", "pipe", "ignore"] });
    const said: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => said.push(chunk));
    await once(child, "close");
    expect(JSON.parse(Buffer.concat(said).toString())).toEqual({ gateway: [202, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"], fetched: false });
    expect(proxy.asked).toEqual([]);
  });
});
