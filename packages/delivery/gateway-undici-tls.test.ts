// TLS towards banks, against real sockets: whom the gateway believes, what it shows, and how both change while it runs.

import type { TLSSocket } from "node:tls";
import { machineTime } from "@sluice/runtime";
import { createAuthority, type Certificate } from "@sluice/testkit";
import { describe, expect, it, vi } from "vitest";
import type { Receiver } from "./addresses.ts";
import { gatewayGround, heard, request, type Answering } from "./gateway.fixture.ts";
import type { Resolve } from "./gateway-undici-connect.ts";
import type { BankAnswer } from "./port.ts";
import { classify } from "./retry-law.ts";

const { tlsBank, httpBank, gatewayTo, folder } = gatewayGround();
const nowMs = machineTime.nowMs();
const [ours, others] = [createAuthority("Ours", nowMs), createAuthority("Others", nowMs)];
const bankCertificate = ours.issue({ name: "bank", hosts: ["bank.test"] });
const resolve: Resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
const acknowledge: Answering = (_, response) => void response.writeHead(202).end();
const shownBy = ({ certificatePem, keyPem }: Certificate) => ({ cert: certificatePem, key: keyPem });
const silent = (reason: string): BankAnswer => ({ kind: "silent", reason });

describe("whom the gateway believes", () => {
  async function post(tls: Parameters<typeof tlsBank>[0], host = "bank.test", bank: Partial<Receiver> = {}): Promise<BankAnswer> {
    const { write } = await folder();
    const caFile = await write("ca.pem", `An authority:\n${others.pem}\n${ours.pem}`);
    const port = await tlsBank(tls, acknowledge);
    return gatewayTo(`https://${host}:${port}`, { caFile, ...bank }, { resolve }).post(request());
  }

  it("a bank whose certificate is for its name and from an authority of the file", async () => {
    expect(await post(shownBy(bankCertificate))).toMatchObject({ kind: "answered", status: 202 });
  });

  it("TLS 1.2 is enough, and 1.1 is not", async () => {
    expect(await post({ ...shownBy(bankCertificate), maxVersion: "TLSv1.2" })).toMatchObject({ status: 202 });
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    expect(await post({ ...shownBy(bankCertificate), ...old })).toMatchObject({
      kind: "silent",
      reason: expect.stringMatching(/^ERR_SSL_|^ECONNRESET$/),
    });
  });

  it.each([
    ["for another name", ours.issue({ name: "bank", hosts: ["other.test"] }), "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that has ended", ours.issue({ name: "bank", hosts: ["bank.test"], toMs: nowMs - 60_000 }), "CERT_HAS_EXPIRED"],
    ["that has not begun", ours.issue({ name: "bank", hosts: ["bank.test"], fromMs: nowMs + 60_000 }), "CERT_NOT_YET_VALID"],
    [
      "of an unknown authority",
      createAuthority("Nobody", nowMs).issue({ name: "bank", hosts: ["bank.test"] }),
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ],
    [
      "of an authority that only calls itself ours",
      createAuthority("Ours", nowMs).issue({ name: "bank", hosts: ["bank.test"] }),
      "CERT_SIGNATURE_FAILURE",
    ],
  ])("not one whose certificate is %s", async (_, certificate, reason) => {
    expect(await post(shownBy(certificate))).toEqual(silent(reason));
  });

  it("not one of a private authority where the configuration names none", async () => {
    expect(await post(shownBy(bankCertificate), "bank.test", { caFile: null })).toEqual(silent("UNABLE_TO_VERIFY_LEAF_SIGNATURE"));
  });

  it("an address counts as a name of its own", async () => {
    const certificate = ours.issue({ name: "bank", hosts: ["127.0.0.1"] });
    expect(await post(shownBy(certificate), "127.0.0.1")).toMatchObject({ status: 202 });
    expect(await post(shownBy(bankCertificate), "127.0.0.1")).toEqual(silent("ERR_TLS_CERT_ALTNAME_INVALID"));
  });

  it("not one without TLS at an address that is to have it", async () => {
    const url = await httpBank(acknowledge);
    const answer = await gatewayTo(url.replace("http:", "https:")).post(request());
    expect(answer).toMatchObject({ kind: "silent", reason: expect.stringMatching(/^ERR_SSL_/) });
  });
});

describe("what the gateway shows of itself", () => {
  /** A bank that asks for a certificate of ours, and keeps whose it was shown. */
  async function givenBank() {
    const shown: string[] = [];
    const tls = { ...shownBy(bankCertificate), ca: [ours.pem], requestCert: true, rejectUnauthorized: true };
    const port = await tlsBank(tls, ({ socket }, response) => {
      shown.push((socket as TLSSocket).getPeerCertificate().subject?.CN as string);
      response.writeHead(202).end();
    });
    return { shown, url: `https://bank.test:${port}` };
  }

  async function givenFiles(certificate: Certificate) {
    const { write } = await folder();
    const show = async ({ certificatePem, keyPem }: Certificate) => ({
      certificateFile: await write("client.pem", certificatePem),
      keyFile: await write("client-key.pem", keyPem),
    });
    return { write, show, caFile: await write("ca.pem", ours.pem), clientCertificate: await show(certificate) };
  }

  it("its certificate, where the bank asks for one", async () => {
    const { shown, url } = await givenBank();
    const { caFile, clientCertificate } = await givenFiles(ours.issue({ name: "sluice" }));
    expect(await gatewayTo(url, { caFile, clientCertificate }, { resolve }).post(request())).toMatchObject({ status: 202 });
    expect(shown).toEqual(["sluice"]);
    // With TLS 1.3 the bank says so after the request has left: that is no refusal of ours.
    const without = await gatewayTo(url, { caFile }, { resolve }).post(request());
    expect([without.kind, classify(without, () => false)]).toEqual(["silent", "transient"]);
    expect(shown).toEqual(["sluice"]);
  });

  it("another one as soon as the files are others; a certificate without its key changes nothing and is said", async () => {
    const { shown, url } = await givenBank();
    const { caFile, clientCertificate, write, show } = await givenFiles(ours.issue({ name: "old" }));
    const { lines, gauges, ...telemetry } = heard();
    const gateway = gatewayTo(url, { caFile, clientCertificate }, { resolve, filesPollMs: 2, ...telemetry });
    const post = () => gateway.post(request());
    await post();
    const next = ours.issue({ name: "next", toMs: nowMs + 7_200_000 });
    await write("client.pem", next.certificatePem);
    const notRead = "sluice_delivery_credentials_not_read first";
    await vi.waitFor(() => expect(gauges.get(notRead)).toBe(1));
    expect(lines.at(-1)).toEqual([
      "credentials.not-read",
      { bank: "first", member: "clientCertificate", reason: expect.stringMatching(/KEY_VALUES_MISMATCH|KEY_TYPE/) },
    ]);
    await post();
    await show(next);
    await vi.waitFor(() => expect(gauges.get(notRead)).toBe(0));
    await post();
    expect(shown).toEqual(["old", "old", "next"]);
    expect(gauges.get("sluice_delivery_certificate_ends_seconds first")).toBe(Math.floor(nowMs / 1_000) + 7_200);
    expect(JSON.stringify(lines)).not.toContain("PRIVATE");
  });

  it("what is under way ends on the connection that it began on, while new requests show the new certificate", async () => {
    const begun = Promise.withResolvers<void>();
    const ends = Promise.withResolvers<void>();
    const shown: string[] = [];
    const tls = { ...shownBy(bankCertificate), ca: [ours.pem], requestCert: true };
    const port = await tlsBank(tls, ({ socket }, response) => {
      const name = (socket as TLSSocket).getPeerCertificate().subject?.CN as string;
      shown.push(name);
      begun.resolve();
      if (name === "next") response.writeHead(202).end();
      else void ends.promise.then(() => response.writeHead(202).end());
    });
    const { caFile, clientCertificate, show } = await givenFiles(ours.issue({ name: "old" }));
    const { gauges, ...telemetry } = heard();
    const gateway = gatewayTo(`https://bank.test:${port}`, { caFile, clientCertificate }, { resolve, filesPollMs: 2, ...telemetry });
    const first = gateway.post(request({ timeoutMs: 10_000 }));
    await begun.promise;
    const ending = gauges.get("sluice_delivery_certificate_ends_seconds first");
    await show(ours.issue({ name: "next", toMs: nowMs + 7_200_000 }));
    await vi.waitFor(() => expect(gauges.get("sluice_delivery_certificate_ends_seconds first")).not.toBe(ending));
    expect(await gateway.post(request())).toMatchObject({ status: 202 });
    ends.resolve();
    expect(await first).toMatchObject({ status: 202 });
    expect(shown).toEqual(["old", "next"]);
  });

  it("nothing at all, while what is to prove who it is was never read; and everything once it is", async () => {
    const { shown, url } = await givenBank();
    const { write, caFile, clientCertificate } = await givenFiles(ours.issue({ name: "sluice" }));
    await write("ca.pem", "no certificate");
    const gateway = gatewayTo(url, { caFile, clientCertificate }, { resolve, filesPollMs: 2 });
    expect(await gateway.post(request())).toEqual(silent("credentials-not-read"));
    await write("ca.pem", ours.pem);
    await vi.waitFor(async () => expect(await gateway.post(request())).toMatchObject({ status: 202 }));
    expect(shown).toEqual(["sluice"]);
  });
});
