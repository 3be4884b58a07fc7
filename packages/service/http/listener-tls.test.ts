// A listener with TLS, against real sockets.

import { once } from "node:events";
import { Agent, request } from "node:https";
import { connect } from "node:net";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";
import { machineTime, silentLogger } from "@sluice/kernel";
import { createCertificateAuthority, type Certificate } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";
import { type HttpListener, listen, type ListenLimits, listenLimitsDefault } from "./listen.ts";
import type { ListenerTls } from "./listener-tls.ts";

const ours = createCertificateAuthority("Ours", machineTime.nowMs());
const others = createCertificateAuthority("Others", machineTime.nowMs());
const [first, second] = ["first", "second"].map((name) => ours.issue({ name, hosts: ["127.0.0.1"] }));

const opened: HttpListener[] = [];
const agents: Agent[] = [];
afterEach(async () => {
  agents.splice(0).forEach((agent) => agent.destroy());
  await Promise.all(opened.splice(0).map((listener) => listener.close(0)));
});

async function openListener(clientAuthorities: readonly string[] | null = null, limits: Partial<ListenLimits> = {}) {
  const renewals = new Set<() => void>();
  let shown: Certificate = first!;
  const tls: ListenerTls = {
    clientCertificates: clientAuthorities === null ? "none" : "required",
    current: () => ({ certificate: Buffer.from(shown.certificatePem), key: Buffer.from(shown.keyPem), clientAuthorities }),
    onRenewal(renewed) {
      renewals.add(renewed);
      return { [Symbol.dispose]: () => void renewals.delete(renewed) };
    },
  };
  const listener = await listen({
    fetch: (asked) => new Response(new URL(asked.url).protocol),
    host: "127.0.0.1",
    port: 0,
    limits: { ...listenLimitsDefault, ...limits },
    logger: silentLogger,
    tls,
  });
  opened.push(listener);
  return {
    port: listener.port,
    renew: (certificate: Certificate): void => {
      shown = certificate;
      renewals.forEach((renewed) => renewed());
    },
  };
}

/** Asks once, and answers with the text and the name of the certificate that was shown. */
function ask(port: number, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, agent }, (answer) => {
      const { CN } = (answer.socket as TLSSocket).getPeerCertificate().subject;
      answer.once("data", (text: Buffer) => resolve(`${String(text)} ${String(CN)}`));
    });
    asked.once("error", reject).end();
  });
}

function openAgent(own: { readonly cert?: string; readonly key?: string } = {}): Agent {
  const agent = new Agent({ ca: ours.pem, keepAlive: true, ...own });
  agents.push(agent);
  return agent;
}

test("a certificate that was replaced counts for new connections, and no connection in use is cut [D10.31]", async () => {
  const { port, renew } = await openListener();
  const [early, late] = [openAgent(), openAgent()];
  expect(await ask(port, early)).toBe("https: first");
  renew(second!);
  expect(await ask(port, late)).toBe("https: second");
  expect(await ask(port, early)).toBe("https: first");
});

test("a peer that must show a certificate gets no answer without one of the listed authorities", async () => {
  const { port } = await openListener([ours.pem]);
  const [known, stranger] = [ours.issue({ name: "bank" }), others.issue({ name: "bank" })];
  expect(await ask(port, openAgent({ cert: known.certificatePem, key: known.keyPem }))).toBe("https: first");
  await expect(ask(port, openAgent())).rejects.toThrow(/certificate required|hang up|ECONNRESET/);
  await expect(ask(port, openAgent({ cert: stranger.certificatePem, key: stranger.keyPem }))).rejects.toThrow(
    /unknown ca|hang up|ECONNRESET/,
  );
});

test("what is no handshake is cut without an answer, and so is a handshake that never begins", async () => {
  const { port } = await openListener(null, { headersTimeoutMs: 200 });
  for (const text of ["GET / HTTP/1.1\r\nhost: a\r\n\r\n", ""]) {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")));
    socket.on("error", () => {});
    socket.write(text);
    await once(socket, "close");
    expect(answer).not.toContain("HTTP/1.1");
  }
});

/** The suite that a handshake ends with; null: there is none that both know. */
async function shake(port: number, options: ConnectionOptions): Promise<string | null> {
  const socket = connectTls({ host: "127.0.0.1", port, ca: ours.pem, ...options });
  const shaken = await Promise.race([once(socket, "secureConnect").then(() => true), once(socket, "close").then(() => false)]).catch(
    () => false,
  );
  const name = shaken ? socket.getCipher().name : null;
  socket.destroy();
  return name;
}

test.each([
  ["ECDHE-ECDSA-AES128-GCM-SHA256", true],
  ["ECDHE-ECDSA-AES256-GCM-SHA384", true],
  ["ECDHE-ECDSA-AES128-SHA256", false],
  ["ECDHE-ECDSA-AES256-SHA", false],
  ["ECDHE-ECDSA-AES128-CCM8", false],
])("with TLS 1.2 the suites of BCP 195 are spoken and no other: %s [D10.31]", async (ciphers, isSpoken) => {
  const { port } = await openListener();
  expect(await shake(port, { maxVersion: "TLSv1.2", ciphers })).toBe(isSpoken ? ciphers : null);
});

test("TLS 1.1 is not spoken, and TLS 1.3 is [D10.31]", async () => {
  const { port } = await openListener();
  expect(await shake(port, { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" })).toBeNull();
  expect(await shake(port, { minVersion: "TLSv1.3" })).toMatch(/^TLS_/);
});

test("I14: a caller that was authenticated over TLS keeps its connection, however many strangers come", async () => {
  const connections = new Set<unknown>();
  const tls: ListenerTls = {
    clientCertificates: "none",
    current: () => ({ certificate: Buffer.from(first!.certificatePem), key: Buffer.from(first!.keyPem), clientAuthorities: null }),
    onRenewal: () => ({ [Symbol.dispose]: () => {} }),
  };
  const listener = await listen({
    fetch(_, connection) {
      connection?.authenticated("first");
      connections.add(connection);
      return new Response("known");
    },
    host: "127.0.0.1",
    port: 0,
    limits: { ...listenLimitsDefault, connectionsMax: 8, strangersMax: 2, strangersPerAddressMax: 2 },
    logger: silentLogger,
    tls,
  });
  opened.push(listener);
  const agent = openAgent();
  await ask(listener.port, agent);
  const strangers = Array.from({ length: 20 }, () => connect(listener.port, "127.0.0.1").on("error", () => {}));
  await Promise.all(strangers.filter((socket) => socket.connecting).map((socket) => once(socket, "connect")));
  for (let times = 0; times < 3; times += 1) expect(await ask(listener.port, agent)).toBe("known first");
  expect(connections.size).toBe(1);
  strangers.forEach((socket) => socket.destroy());
});
