// TLS towards banks, against real sockets: which banks the gateway trusts, what it presents, and how both change while
// it runs.

import type { TLSSocket } from "node:tls";
import { machineTime } from "@sluice/kernel";
import { createCertificateAuthority, type Certificate } from "@sluice/testkit";
import { describe, expect, it, vi } from "vitest";
import type { DeliveryReceiver } from "../endpoint/operation-addresses.ts";
import { openGatewayEnvironment, recordTelemetry, buildReceiverRequest, type AnswerHandler } from "./gateway.fixture.ts";
import type { ResolveHost } from "./connect.ts";
import type { ReceiverAnswer } from "../port.ts";
import { classifyAnswer } from "../attempt/retry-law.ts";

const { tlsBank, httpBank, gatewayTo, folder } = openGatewayEnvironment();
const nowMs = machineTime.nowMs();
const [ours, others] = [createCertificateAuthority("Ours", nowMs), createCertificateAuthority("Others", nowMs)];
const bankCertificate = ours.issue({ name: "bank", hosts: ["bank.test"] });
const resolve: ResolveHost = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
const acknowledge: AnswerHandler = (_, response) => void response.writeHead(202).end();
const shownBy = ({ certificatePem, keyPem }: Certificate) => ({ cert: certificatePem, key: keyPem });
const silent = (reason: string): ReceiverAnswer => ({ kind: "silent", reason });

describe("the banks that the gateway trusts", () => {
  async function post(
    tls: Parameters<typeof tlsBank>[0],
    host = "bank.test",
    bank: Partial<DeliveryReceiver> = {},
  ): Promise<ReceiverAnswer> {
    const { write } = await folder();
    const caFile = await write("ca.pem", `An authority:\n${others.pem}\n${ours.pem}`);
    const port = await tlsBank(tls, acknowledge);
    return gatewayTo(`https://${host}:${port}`, { caFile, ...bank }, { resolve }).post(buildReceiverRequest());
  }

  it("a certificate for the bank's name, from an authority of the file, is trusted", async () => {
    expect(await post(shownBy(bankCertificate))).toMatchObject({ kind: "answered", status: 202 });
  });

  it("TLS 1.2 is accepted, and 1.1 is not [D10.12]", async () => {
    expect(await post({ ...shownBy(bankCertificate), maxVersion: "TLSv1.2" })).toMatchObject({ status: 202 });
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    expect(await post({ ...shownBy(bankCertificate), ...old })).toMatchObject({
      kind: "silent",
      reason: expect.stringMatching(/^ERR_SSL_|^ECONNRESET$/),
    });
  });

  it("with TLS 1.2 a suite without forward secrecy, or with CBC, is not accepted [D10.12]", async () => {
    const tls12 = { ...shownBy(bankCertificate), maxVersion: "TLSv1.2" } as const;
    expect(await post({ ...tls12, ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" })).toMatchObject({ status: 202 });
    for (const ciphers of ["ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA"])
      expect(await post({ ...tls12, ciphers })).toMatchObject({ kind: "silent" });
  });

  it.each([
    ["for another name", ours.issue({ name: "bank", hosts: ["other.test"] }), "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that has ended", ours.issue({ name: "bank", hosts: ["bank.test"], toMs: nowMs - 60_000 }), "CERT_HAS_EXPIRED"],
    ["that has not begun", ours.issue({ name: "bank", hosts: ["bank.test"], fromMs: nowMs + 60_000 }), "CERT_NOT_YET_VALID"],
    [
      "of an unknown authority",
      createCertificateAuthority("Nobody", nowMs).issue({ name: "bank", hosts: ["bank.test"] }),
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ],
    [
      "of an authority that only calls itself ours",
      createCertificateAuthority("Ours", nowMs).issue({ name: "bank", hosts: ["bank.test"] }),
      "CERT_SIGNATURE_FAILURE",
    ],
  ])("a certificate that is %s is not trusted", async (_, certificate, reason) => {
    expect(await post(shownBy(certificate))).toEqual(silent(reason));
  });

  it("a private authority that the configuration does not name is not trusted [D10.12]", async () => {
    expect(await post(shownBy(bankCertificate), "bank.test", { caFile: null })).toEqual(silent("UNABLE_TO_VERIFY_LEAF_SIGNATURE"));
  });

  it("a certificate may name an address", async () => {
    const certificate = ours.issue({ name: "bank", hosts: ["127.0.0.1"] });
    expect(await post(shownBy(certificate), "127.0.0.1")).toMatchObject({ status: 202 });
    expect(await post(shownBy(bankCertificate), "127.0.0.1")).toEqual(silent("ERR_TLS_CERT_ALTNAME_INVALID"));
  });

  it("a server without TLS at an https address gets nothing", async () => {
    const url = await httpBank(acknowledge);
    const answer = await gatewayTo(url.replace("http:", "https:")).post(buildReceiverRequest());
    expect(answer).toMatchObject({ kind: "silent", reason: expect.stringMatching(/^ERR_SSL_/) });
  });
});

describe("the client certificate of the gateway", () => {
  /** A bank that asks for our certificate, and records which one it was shown. */
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

  it("is presented where the bank asks for one [D10.13]", async () => {
    const { shown, url } = await givenBank();
    const { caFile, clientCertificate } = await givenFiles(ours.issue({ name: "sluice" }));
    expect(await gatewayTo(url, { caFile, clientCertificate }, { resolve }).post(buildReceiverRequest())).toMatchObject({ status: 202 });
    expect(shown).toEqual(["sluice"]);
    // With TLS 1.3 the bank refuses only after the request has left, so this is no refusal of ours.
    const without = await gatewayTo(url, { caFile }, { resolve }).post(buildReceiverRequest());
    expect([without.kind, classifyAnswer(without, () => false)]).toEqual(["silent", "transient"]);
    expect(shown).toEqual(["sluice"]);
  });

  it("a new one is presented as soon as its files are replaced; a certificate without its key changes nothing and is logged", async () => {
    const { shown, url } = await givenBank();
    const { caFile, clientCertificate, write, show } = await givenFiles(ours.issue({ name: "old" }));
    const { lines, gauge, ...telemetry } = recordTelemetry();
    const gateway = gatewayTo(url, { caFile, clientCertificate }, { resolve, filesPollMs: 2, ...telemetry });
    const post = () => gateway.post(buildReceiverRequest());
    await post();
    const next = ours.issue({ name: "next", toMs: nowMs + 7_200_000 });
    await write("client.pem", next.certificatePem);
    const notRead = "sluice_delivery_credentials_not_read";
    await vi.waitFor(() => expect(gauge(notRead)).toBe(1));
    expect(lines.at(-1)).toEqual([
      "credentials.not-read",
      { receiver: "first", member: "clientCertificate", reason: expect.stringMatching(/KEY_VALUES_MISMATCH|KEY_TYPE/) },
    ]);
    await post();
    await show(next);
    await vi.waitFor(() => expect(gauge(notRead)).toBeUndefined());
    await post();
    expect(shown).toEqual(["old", "old", "next"]);
    expect(gauge("sluice_delivery_certificate_ends_timestamp_seconds")).toBe(Math.floor(nowMs / 1_000) + 7_200);
    expect(JSON.stringify(lines)).not.toContain("PRIVATE");
  });

  it("requests under way end on their old connection, while new requests present the new certificate", async () => {
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
    const { gauge, ...telemetry } = recordTelemetry();
    const gateway = gatewayTo(`https://bank.test:${port}`, { caFile, clientCertificate }, { resolve, filesPollMs: 2, ...telemetry });
    const first = gateway.post(buildReceiverRequest({ timeoutMs: 10_000 }));
    await begun.promise;
    const ending = gauge("sluice_delivery_certificate_ends_timestamp_seconds");
    await show(ours.issue({ name: "next", toMs: nowMs + 7_200_000 }));
    await vi.waitFor(() => expect(gauge("sluice_delivery_certificate_ends_timestamp_seconds")).not.toBe(ending));
    expect(await gateway.post(buildReceiverRequest())).toMatchObject({ status: 202 });
    ends.resolve();
    expect(await first).toMatchObject({ status: 202 });
    expect(shown).toEqual(["old", "next"]);
  });

  it("nothing is sent while the credentials were never read, and everything once they are", async () => {
    const { shown, url } = await givenBank();
    const { write, caFile, clientCertificate } = await givenFiles(ours.issue({ name: "sluice" }));
    await write("ca.pem", "no certificate");
    const gateway = gatewayTo(url, { caFile, clientCertificate }, { resolve, filesPollMs: 2 });
    expect(await gateway.post(buildReceiverRequest())).toEqual(silent("credentials-not-read"));
    await write("ca.pem", ours.pem);
    await vi.waitFor(async () => expect(await gateway.post(buildReceiverRequest())).toMatchObject({ status: 202 }));
    expect(shown).toEqual(["sluice"]);
  });
});
