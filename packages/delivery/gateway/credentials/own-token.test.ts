// Access tokens with which Sluice comes to receivers, from an authorization server on a real socket.

import { generateKeyPairSync } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { machineTime } from "@sluice/kernel";
import { createCertificateAuthority, sampleBank } from "@sluice/testkit";
import { jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import { buildReceiverRequest, gatewayOptions, loopbackBlocks, openGatewayEnvironment, recordTelemetry } from "../gateway.fixture.ts";
import { createUndiciGateway } from "../gateway-undici.ts";

const { httpBank, tlsBank, gatewayTo, folder, defer } = openGatewayEnvironment();

const kinds = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  PS256: () => generateKeyPairSync("rsa", { modulusLength: 2_048 }),
  EdDSA: () => generateKeyPairSync("ed25519"),
} as const;

interface Asked {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly peer: string | null;
}

/** A bank with its authorization server, at one address. */
async function startBank(answers: { status?: number; refuses?: readonly string[]; isSilent?: boolean } = {}) {
  const asked: Asked[] = [];
  const came: (string | undefined)[] = [];
  const base = await httpBank((request, response, body) => answer(request, response, body));
  function answer(request: IncomingMessage, response: Parameters<Parameters<typeof httpBank>[0]>[1], body: Buffer): void {
    if (request.url === "/token") {
      asked.push({ path: request.url, form: Object.fromEntries(new URLSearchParams(String(body))), peer: null });
      if (answers.isSilent === true) return void request.socket.destroy();
      const issued = { access_token: `token-${asked.length}`, token_type: "Bearer", expires_in: 600 };
      response.writeHead(answers.status ?? 200, { "content-type": "application/json" }).end(JSON.stringify(issued));
      return;
    }
    came.push(request.headers.authorization);
    response.writeHead(answers.refuses?.includes(request.headers.authorization ?? "") === true ? 401 : 202).end();
  }
  return { asked, came, base, answers };
}

const noKey = { scope: null, keyFile: null, keyId: null, audience: null } as const;

async function withKey(base: string, algorithm: keyof typeof kinds = "ES256") {
  const { privateKey, publicKey } = kinds[algorithm]();
  const { write } = await folder();
  const keyFile = await write("key", privateKey.export({ type: "pkcs8", format: "pem" }));
  return { publicKey, accessToken: { ...noKey, tokenUrl: `${base}/token`, clientId: "sluice", keyFile } };
}

describe("to a receiver with an authorization server", () => {
  it.each(["ES256", "PS256", "EdDSA"] as const)(
    "messages go with its token, for an assertion that our key signs by %s [D10.90]",
    async (algorithm) => {
      const { asked, came, base } = await startBank();
      const { publicKey, accessToken } = await withKey(base, algorithm);
      const gateway = gatewayTo(base, { accessToken: { ...accessToken, scope: "payments", keyId: "one" } });
      const answers = await Promise.all([1, 2, 3].map(() => gateway.post(buildReceiverRequest())));
      expect(answers.map((one) => one.kind === "answered" && one.status)).toEqual([202, 202, 202]);
      expect([came, asked.length]).toEqual([["Bearer token-1", "Bearer token-1", "Bearer token-1"], 1]);
      const { client_assertion: assertion = "", ...form } = asked[0]!.form;
      const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
      expect(form).toEqual({ grant_type: "client_credentials", client_id: "sluice", scope: "payments", client_assertion_type: type });
      const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, {
        audience: `${base}/token`,
        issuer: "sluice",
        subject: "sluice",
      });
      expect(protectedHeader).toEqual({ alg: algorithm, kid: "one" });
      expect([payload.exp! - payload.iat!, payload.jti?.length]).toEqual([60, 32]);
    },
  );

  it("our client certificate proves us where there is no key (RFC 8705) [D10.90]", async () => {
    const authority = createCertificateAuthority("Ours", machineTime.nowMs());
    const [own, server] = [authority.issue({ name: "sluice" }), authority.issue({ name: "bank", hosts: ["localhost"] })];
    const asked: (readonly [string | undefined, string])[] = [];
    const tls = { cert: server.certificatePem, key: server.keyPem, ca: authority.pem, requestCert: true, rejectUnauthorized: true };
    const port = await tlsBank(tls, (request, response) => {
      asked.push([request.url, String((request.socket as TLSSocket).getPeerCertificate().subject.CN)]);
      response.end(JSON.stringify({ access_token: "token-1", expires_in: 600 }));
    });
    const { write } = await folder();
    const files = { certificateFile: await write("own", own.certificatePem), keyFile: await write("own-key", own.keyPem) };
    const base = `https://localhost:${port}`;
    const caFile = await write("ca", authority.pem);
    const accessToken = { ...noKey, tokenUrl: `${base}/token`, clientId: "sluice" };
    await gatewayTo(base, { caFile, clientCertificate: files, accessToken }).post(buildReceiverRequest());
    expect(asked).toEqual([
      ["/token", "sluice"],
      ["/inbound/direct-debit", "sluice"],
    ]);
  });

  it("a token that the receiver refuses is not used again", async () => {
    const { asked, came, base } = await startBank({ refuses: ["Bearer token-1"] });
    const { accessToken } = await withKey(base);
    const gateway = gatewayTo(base, { accessToken });
    await gateway.post(buildReceiverRequest());
    await gateway.post(buildReceiverRequest());
    expect([came, asked.length]).toEqual([["Bearer token-1", "Bearer token-2"], 2]);
  });

  it.each([{ status: 503 }, { status: 401 }, { isSilent: true }])(
    "I14: with a server that answers %j nothing is sent to it, and all to others; it is reported once, without a secret [D10.90]",
    async (how) => {
      const { came, base } = await startBank(how);
      const other = await startBank();
      const { accessToken } = await withKey(base);
      const { logger, metrics, lines, gauge } = recordTelemetry();
      const banks = [
        sampleBank({ id: "first", baseUrl: base, allowedAddresses: loopbackBlocks, accessToken }),
        sampleBank({ id: "second", baseUrl: other.base, allowedAddresses: loopbackBlocks }),
      ];
      const gateway = createUndiciGateway(banks, { ...gatewayOptions, logger, metrics });
      defer(() => gateway.close());
      for (let index = 0; index < 3; index += 1) {
        expect(await gateway.post(buildReceiverRequest())).toEqual({ kind: "silent", reason: "no-access-token" });
        expect(await gateway.post(buildReceiverRequest({ receiverId: "second" }))).toMatchObject({ status: 202 });
      }
      expect([came, gauge("sluice_delivery_credentials_not_read")]).toEqual([[], 1]);
      const reported = lines.filter(([event]) => event === "credentials.not-read");
      expect(reported).toEqual([["credentials.not-read", expect.objectContaining({ receiver: "first", member: "accessToken" })]]);
      expect(JSON.stringify(lines)).not.toMatch(/eyJ|BEGIN/);
    },
  );

  it("the server is reached only at addresses that are allowed", async () => {
    const { asked, came, base } = await startBank();
    const { accessToken } = await withKey(base.replace("127.0.0.1", "127.0.0.2"));
    const gateway = gatewayTo(base, { accessToken, allowedAddresses: ["127.0.0.1"] });
    expect(await gateway.post(buildReceiverRequest())).toEqual({ kind: "silent", reason: "no-access-token" });
    expect([asked, came]).toEqual([[], []]);
  });
});
