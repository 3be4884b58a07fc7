// Certificates of callers, on real sockets.

import { once } from "node:events";
import { connect, type SecureVersion, type TLSSocket } from "node:tls";
import { type CertificateBinding, machineTime, silentLogger } from "@sluice/kernel";
import { type Certificate, certificateSha256, createCertificateAuthority } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";
import { type HttpListener, listen, listenLimitsDefault } from "../http/listen.ts";
import type { ClientCertificates } from "../http/listener-tls.ts";
import { judgeCertificate, parseNames, type PeerCertificate } from "./peer-certificate.ts";

const nowMs = machineTime.nowMs();
const dayMs = 86_400_000;
const trusted = createCertificateAuthority("Trusted", nowMs);
const alsoTrusted = createCertificateAuthority("Also Trusted", nowMs);
/** It has the name of an authority that is trusted, and no more. */
const pretended = createCertificateAuthority("Trusted", nowMs);
const ours = trusted.issue({ name: "ours", hosts: ["127.0.0.1"] });
const names = { hosts: ["Client.Bank.example"], uris: ["spiffe://sluice/bank/first"] };

const opened: HttpListener[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.close(0)));
});

async function openListener(clientCertificates: ClientCertificates = "asked", clientAuthorities: readonly string[] | null = null) {
  const seen: (PeerCertificate | null)[] = [];
  const listener = await listen({
    fetch(_, connection) {
      seen.push(connection.certificate ?? null);
      return new Response("answered");
    },
    host: "127.0.0.1",
    port: 0,
    limits: listenLimitsDefault,
    logger: silentLogger,
    tls: {
      clientCertificates,
      current: () => ({ certificate: Buffer.from(ours.certificatePem), key: Buffer.from(ours.keyPem), clientAuthorities }),
      onRenewal: () => ({ [Symbol.dispose]: () => {} }),
    },
  });
  opened.push(listener);
  return { port: listener.port, seen };
}

interface Asked {
  readonly shown?: Certificate;
  readonly session?: Buffer;
  readonly version?: SecureVersion;
}

/** Asks on a connection of its own, and returns the session that it could be resumed by. */
async function ask(port: number, { shown, session, version = "TLSv1.3" }: Asked = {}) {
  const own = shown === undefined ? {} : { cert: shown.certificatePem, key: shown.keyPem };
  const socket: TLSSocket = connect({ host: "127.0.0.1", port, ca: trusted.pem, session, maxVersion: version, ...own });
  const answer: Buffer[] = [];
  let last: Buffer | null = null;
  let isReused: boolean | null = null;
  socket.on("secureConnect", () => (isReused = socket.isSessionReused()));
  socket.on("session", (given) => (last = given));
  socket.on("data", (part: Buffer) => void answer.push(part));
  socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  await once(socket, "close");
  return { text: Buffer.concat(answer).toString(), session: last, isReused };
}

async function shownAs(shown: Certificate | undefined, authorities: readonly string[] | null): Promise<PeerCertificate | null> {
  const { port, seen } = await openListener("asked", authorities);
  expect((await ask(port, shown === undefined ? {} : { shown })).text).toContain("answered");
  expect(seen).toHaveLength(1);
  return seen[0] ?? null;
}

test("a certificate of an authority that is trusted has its hash, its names and its authorities, a chain's too [D10.88]", async () => {
  const middle = trusted.issueAuthority("Middle");
  const shown = middle.issue({ name: "first", ...names });
  expect(await shownAs(shown, [alsoTrusted.pem, trusted.pem])).toEqual({
    id: certificateSha256(shown.certificatePem).slice(0, 12),
    sha256: certificateSha256(shown.certificatePem),
    notBeforeMs: Math.floor((nowMs - dayMs) / 1_000) * 1_000,
    notAfterMs: Math.floor((nowMs + dayMs) / 1_000) * 1_000,
    uris: names.uris,
    dnsNames: ["client.bank.example"],
    authoritySha256: [middle.pem, trusted.pem].map(certificateSha256),
  });
});

test.each<[string, readonly string[] | null, Certificate]>([
  ["of an authority that is not trusted", [alsoTrusted.pem], trusted.issue({ name: "first", ...names })],
  ["where no authority is trusted", null, trusted.issue({ name: "first", ...names })],
  ["of one that has the name of a trusted one", [trusted.pem], pretended.issue({ name: "first", ...names })],
  ["that has expired", [trusted.pem], trusted.issue({ name: "first", ...names, fromMs: nowMs - 2 * dayMs, toMs: nowMs - dayMs })],
])("a certificate %s has a hash and no authority, so no name of it counts [D10.88]", async (_, authorities, shown) => {
  const read = await shownAs(shown, authorities);
  expect(read).toMatchObject({ sha256: certificateSha256(shown.certificatePem), authoritySha256: [] });
  for (const authority of [trusted, alsoTrusted, pretended]) {
    const authoritySha256 = certificateSha256(authority.pem);
    const binding: CertificateBinding = { kind: "uri", name: names.uris[0]!, authoritySha256 };
    expect(judgeCertificate([binding], read, nowMs)).not.toBeNull();
  }
});

test("a peer that shows none is answered where one is only asked for, and gets no answer where one is required", async () => {
  expect(await shownAs(undefined, [trusted.pem])).toBeNull();
  const { port } = await openListener("required", [trusted.pem]);
  await expect(ask(port)).rejects.toThrow(/certificate required|ECONNRESET|hang up/);
});

test.each<SecureVersion>(["TLSv1.2", "TLSv1.3"])(
  "no session of %s is resumed, so the chain is verified each time [D10.88]",
  async (version) => {
    const { port, seen } = await openListener("asked", [trusted.pem]);
    const shown = trusted.issueAuthority("Middle").issue({ name: "first", ...names });
    const first = await ask(port, { shown, version });
    const second = await ask(port, { shown, version, ...(first.session === null ? {} : { session: first.session }) });
    expect(second).toMatchObject({ isReused: false, text: expect.stringContaining("answered") as unknown });
    expect(seen[1]).toEqual(seen[0]);
  },
);

const shown: PeerCertificate = {
  id: "0".repeat(12),
  sha256: "0".repeat(64),
  notBeforeMs: 1_000,
  notAfterMs: 2_000,
  uris: ["spiffe://sluice/bank/first"],
  dnsNames: ["client.bank.example"],
  authoritySha256: ["a".repeat(64), "b".repeat(64)],
};
const own = { kind: "sha256", sha256: shown.sha256 } as const;
const named = { kind: "uri", name: shown.uris[0]!, authoritySha256: "b".repeat(64) } as const;

test.each<[string, readonly CertificateBinding[] | null, PeerCertificate | null, number, string | null]>([
  ["no binding, no certificate", null, null, 1_500, null],
  ["no binding, a certificate that has expired", null, shown, 2_001, null],
  ["bound, no certificate", [own], null, 1_500, "certificate-missing"],
  ["bound to its hash", [own], shown, 2_000, null],
  ["bound to its hash, but expired", [own], shown, 2_001, "certificate-expired"],
  ["bound to its hash, but not begun", [own], shown, 999, "certificate-expired"],
  ["bound to its name of an authority", [named], shown, 1_000, null],
  ["bound to its DNS name", [{ ...named, kind: "dns", name: "client.bank.example" }], shown, 1_500, null],
  ["bound to a DNS name that is its URI", [{ ...named, kind: "dns" }], shown, 1_500, "certificate-not-bound"],
  ["bound to its name of another authority", [{ ...named, authoritySha256: "c".repeat(64) }], shown, 1_500, "certificate-not-bound"],
  ["bound to another name", [{ ...named, name: "spiffe://sluice/bank/firs" }], shown, 1_500, "certificate-not-bound"],
  ["bound to another, then to it", [{ ...own, sha256: "f".repeat(64) }, named], shown, 1_500, null],
  ["bound to nothing that is left", [], shown, 1_500, "certificate-not-bound"],
])("%s [D10.88]", (_, bindings, certificate, atMs, reason) => {
  expect(judgeCertificate(bindings, certificate, atMs)).toBe(reason);
});

test.each([
  ["DNS:a.example, URI:spiffe://x/y, IP Address:127.0.0.1", ["DNS a.example", "URI spiffe://x/y", "IP Address 127.0.0.1"]],
  ['URI:"http://x/, DNS:forged.example"', ["URI http://x/, DNS:forged.example"]],
  ['DNS:a, URI:"http://x/\\", DNS:b"', ["DNS a", 'URI http://x/", DNS:b']],
  ["DNS:a, nonsense", []],
  ['URI:"open', []],
  ["", []],
])("names are read from %s, and a name does not forge another", (text, expected) => {
  expect(parseNames(text).map(({ kind, name }) => `${kind} ${name}`)).toEqual(expected);
});
