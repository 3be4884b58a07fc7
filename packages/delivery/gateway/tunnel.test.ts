// A real egress proxy: what it is asked for, and what it never sees. Proxies of the environment are never used.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { machineTime } from "@sluice/kernel";
import { createCertificateAuthority } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import type { DeliveryReceiver } from "../endpoint/operation-addresses.ts";
import { openGatewayEnvironment, buildReceiverRequest, recordTelemetry, type AnswerHandler } from "./gateway.fixture.ts";
import { classifyAnswer } from "../attempt/retry-law.ts";

const { defer, rawBank, httpBank, tlsBank, gatewayTo, folder } = openGatewayEnvironment();
const authority = createCertificateAuthority("Ours", machineTime.nowMs());
const acknowledge: AnswerHandler = (_, response) => void response.writeHead(202).end();
const unresolved = (): Promise<never> => Promise.reject(new Error("names are the proxy's business"));

/** Connects every name to the loopback. Who presents other credentials than `admitted` gets 407. */
async function startProxy(admitted: { credentials: string } | null = null) {
  const asked: string[] = [];
  const passed: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => void response.writeHead(400).end());
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.on("connect", ({ url = "", headers }, near: Socket) => {
    asked.push(url);
    const expected = admitted === null ? undefined : `Basic ${Buffer.from(admitted.credentials).toString("base64")}`;
    if (headers["proxy-authorization"] !== expected) {
      near.on("error", () => undefined);
      near.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="egress"\r\ncontent-length: 0\r\n\r\n');
      return;
    }
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

describe("a receiver's egress proxy", () => {
  async function throughProxy(egressProxy: string, host: string, bank: Partial<DeliveryReceiver> = {}) {
    const { certificatePem: cert, keyPem: key } = authority.issue({ name: "bank", hosts: ["bank.test"] });
    const port = await tlsBank({ cert, key }, acknowledge);
    const { write } = await folder();
    const caFile = await write("ca.pem", authority.pem);
    const gateway = gatewayTo(`https://${host}:${port}`, { caFile, egressProxy, bearerToken: "s3cret", ...bank }, { resolve: unresolved });
    return { port, post: () => gateway.post(buildReceiverRequest()) };
  }

  it("is asked for a name and a port, and sees nothing of what is sent through it", async () => {
    const proxy = await startProxy();
    const { port, post } = await throughProxy(proxy.url, "bank.test");
    expect([await post(), await post()]).toMatchObject([{ status: 202 }, { status: 202 }]);
    expect(new Set(proxy.asked)).toEqual(new Set([`bank.test:${port}`]));
    expect(Buffer.concat(proxy.passed).toString("latin1")).not.toMatch(/s3cret|1250|inbound/);
  });

  it("I14: a proxy's name is resolved as a bank's is, and occupies no thread", async () => {
    const proxy = await startProxy();
    const wanted: string[] = [];
    const resolve = (name: string) => (wanted.push(name), Promise.resolve([{ address: "127.0.0.1", family: 4 }]));
    const url = await httpBank(acknowledge);
    const gateway = gatewayTo(url, { egressProxy: `http://proxy.test:${new URL(proxy.url).port}` }, { resolve });
    expect([await gateway.post(buildReceiverRequest()), wanted]).toMatchObject([{ status: 202 }, ["proxy.test"]]);
  });

  it("cannot impersonate a bank: the certificate is verified through the tunnel", async () => {
    const { post } = await throughProxy((await startProxy()).url, "other.test");
    expect(await post()).toEqual({ kind: "silent", reason: "ERR_TLS_CERT_ALTNAME_INVALID" });
  });

  it("also carries requests without TLS, to a listed address", async () => {
    const proxy = await startProxy();
    const url = await httpBank(acknowledge);
    expect(await gatewayTo(url, { egressProxy: proxy.url }).post(buildReceiverRequest())).toMatchObject({ status: 202 });
    expect(proxy.asked).toEqual([new URL(url).host]);
  });

  it.each([
    ["https://10.1.2.3", "address-not-allowed"],
    ["https://[::1]:8443", "address-not-allowed"],
    ["http://8.8.8.8", "tls-required"],
    ["http://bank.test", "tls-required"],
  ])("is not asked for %s: %s", async (url, reason) => {
    const proxy = await startProxy();
    const answer = await gatewayTo(url, { egressProxy: proxy.url, allowedAddresses: ["127.0.0.1"] }).post(buildReceiverRequest());
    expect([answer, proxy.sockets.size]).toEqual([{ kind: "silent", reason }, 0]);
  });

  it.each([
    ["refuses", "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n", "proxy-refused", "address"],
    ["wants to know who asks", "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "proxy-authentication-required", "address"],
    ["cannot reach the bank", "HTTP/1.1 502 Bad Gateway\r\n\r\n", "proxy-failed", "transient"],
    ["speaks no HTTP", "SSH-2.0-OpenSSH\r\n", "proxy-unreachable", "transient"],
    ["closes", "", "proxy-unreachable", "transient"],
  ])("a proxy that %s gives no response", async (_, speech, reason, answerClass) => {
    const { post } = await throughProxy(await rawBank((socket) => void socket.end(speech)), "bank.test");
    const answer = await post();
    expect([answer, classifyAnswer(answer, () => false)]).toEqual([{ kind: "silent", reason }, answerClass]);
  });

  it("an unreachable proxy gives no response; one that does not answer is given up, and asked again", async () => {
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

describe("credentials for an egress proxy", () => {
  /** A bank that keeps the headers it gets, behind a proxy that admits `credentials`. */
  async function behindProxy(credentials: string, content: string | null) {
    const admitted = { credentials };
    const proxy = await startProxy(admitted);
    const came: string[] = [];
    const url = await httpBank(({ rawHeaders }, response) => {
      came.push(rawHeaders.join());
      response.writeHead(202, { connection: "close" }).end();
    });
    const { write } = await folder();
    const path = content === null ? "/nowhere/proxy" : await write("proxy", content);
    const { lines, gauge: _, ...telemetry } = recordTelemetry();
    const options = { filesPollMs: 2, ...telemetry };
    const gateway = gatewayTo(url, { egressProxy: proxy.url, egressProxyCredentialsFile: path }, options);
    return { admitted, asked: proxy.asked, came, lines, write, post: () => gateway.post(buildReceiverRequest()) };
  }

  it("they are presented to the proxy alone, and stand in no log line", async () => {
    const { post, came, lines } = await behindProxy("sluice:pässword: 1", "sluice:pässword: 1\n");
    expect(await post()).toMatchObject({ status: 202 });
    expect(came.join()).not.toMatch(/proxy-auth/i);
    expect(JSON.stringify(lines)).not.toMatch(/pässword|c2x1aWNl/);
    expect(lines).toEqual([["credentials.read", { receiver: "first", member: "egressProxyCredentialsFile" }]]);
  });

  it("others are refused by the proxy, which is about the address, until the file is replaced", async () => {
    const { post, admitted, write } = await behindProxy("sluice:old", "sluice:old");
    expect(await post()).toMatchObject({ status: 202 });
    admitted.credentials = "sluice:new";
    const refused = await post();
    expect(refused).toEqual({ kind: "silent", reason: "proxy-authentication-required" });
    expect(classifyAnswer(refused, () => false)).toBe("address");
    await write("proxy", "sluice:new\n");
    await expect.poll(post).toMatchObject({ status: 202 });
  });

  it.each([
    ["a missing file", null, "ENOENT"],
    ["an empty file", "", "no-proxy-credentials"],
    ["a user without a password", "sluice", "no-proxy-credentials"],
    ["two lines", "sluice:s3cret\nother:s3cret\n", "no-proxy-credentials"],
  ])("with %s no tunnel is asked for", async (_, content, reason) => {
    const { post, asked, lines } = await behindProxy("sluice:s3cret", content);
    expect([await post(), asked]).toEqual([{ kind: "silent", reason: "credentials-not-read" }, []]);
    expect(lines).toEqual([["credentials.not-read", { receiver: "first", member: "egressProxyCredentialsFile", reason }]]);
  });
});

describe("the environment of the process", () => {
  it("its proxies carry nothing, and it makes no certificate valid", async () => {
    const proxy = await startProxy();
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
