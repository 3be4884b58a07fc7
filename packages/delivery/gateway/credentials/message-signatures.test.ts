// Messages to a receiver that are signed by RFC 9421, on real sockets, as another implementation verifies them.

import { createHash, verify } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { callerKeys, type CallerKey } from "@sluice/signatures/signed.fixture";
import { httpbis, type SignatureParameters } from "http-message-signatures";
import { expect, it, vi } from "vitest";
import { buildReceiverRequest, openGatewayEnvironment, recordTelemetry } from "../gateway.fixture.ts";

const { httpBank, gatewayTo, folder } = openGatewayEnvironment();
const pem = ({ pair }: CallerKey): string => pair.privateKey.export({ format: "pem", type: "pkcs8" });
const headers = { "webhook-id": "m1", "webhook-timestamp": "1790000000", "sluice-sequence": "2", "sluice-previous-id": "m0" };

interface Came {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** `keyFile` is a path that is not there where it is null. */
async function startBank(keyText: string | null) {
  const came: Came[] = [];
  const url = await httpBank((asked, response, body) => {
    came.push({ method: asked.method ?? "", url: `${url}${asked.url}`, headers: asked.headers, body });
    response.writeHead(202).end();
  });
  const { write } = await folder();
  const keyFile = keyText === null ? "/nowhere/deliveries.pem" : await write("deliveries.pem", keyText);
  const { lines, logger, metrics } = recordTelemetry();
  const messageSignatures = { keys: null, deliveries: { keyFile, keyId: null }, receipts: null };
  const gateway = gatewayTo(url, { messageSignatures }, { filesPollMs: 2, logger, metrics });
  return { came, gateway, write, lines };
}

async function readParameters({ method, url, headers: given }: Came, { pair }: CallerKey): Promise<SignatureParameters | null> {
  let seen: SignatureParameters = {};
  const keyLookup = async (parameters: SignatureParameters) => {
    seen = parameters;
    return await Promise.resolve({
      verify: async (text: Buffer, signature: Buffer) => await Promise.resolve(verify(null, text, pair.publicKey, signature)),
    });
  };
  const message = { method, url, headers: given as Record<string, string> };
  return (await httpbis.verifyMessage({ keyLookup, tolerance: 1e10, notAfter: new Date(8.64e15) }, message)) === true ? seen : null;
}

it("a message is signed with its method, its address, its digest and what names it, at the time that it says [D10.92]", async () => {
  const { came, gateway } = await startBank(pem(callerKeys.ed25519));
  expect(await gateway.post(buildReceiverRequest({ headers }))).toMatchObject({ status: 202 });
  const [message] = came;
  expect(message?.headers["signature-input"]).toMatch(
    /^sluice=\("@method" "@target-uri" "content-digest" "webhook-id" "sluice-sequence" "sluice-previous-id"\);created=1790000000;expires=1790000300;keyid="[\w-]{43}";alg="ed25519";tag="sluice-message"$/,
  );
  expect(await readParameters(message!, callerKeys.ed25519)).toMatchObject({ tag: "sluice-message" });
  expect(message?.headers["content-digest"]).toBe(`sha-256=:${createHash("sha256").update(message!.body).digest("base64")}:`);
  for (const name of ["webhook-id", "sluice-sequence", "sluice-previous-id"]) {
    const changed = { ...message!, headers: { ...message!.headers, [name]: "9" } };
    expect(await readParameters(changed, callerKeys.ed25519)).toBeNull();
  }
});

it("a call without a message is signed for its own method [D10.92]", async () => {
  const { came, gateway } = await startBank(pem(callerKeys.ed25519));
  const { body: _, ...call } = buildReceiverRequest({ headers });
  await gateway.check?.(call);
  expect(came[0]?.method).toBe("OPTIONS");
  expect(await readParameters(came[0]!, callerKeys.ed25519)).not.toBeNull();
  expect(await readParameters({ ...came[0]!, method: "POST" }, callerKeys.ed25519)).toBeNull();
});

it("another key in the file signs from then on, under another name; a wrong file changes nothing [D10.92]", async () => {
  const { came, gateway, write, lines } = await startBank(pem(callerKeys.ed25519));
  const algorithmNow = async (): Promise<string | undefined> => {
    await gateway.post(buildReceiverRequest({ headers }));
    return /alg="([^"]+)"/.exec(String(came.at(-1)?.headers["signature-input"]))?.[1];
  };
  expect(await algorithmNow()).toBe("ed25519");
  await write("deliveries.pem", "s3cret");
  await vi.waitFor(() => expect(lines.map(([event]) => event)).toContain("credentials.not-read"));
  expect(await algorithmNow()).toBe("ed25519");
  expect(JSON.stringify(lines)).not.toContain("s3cret");
  await write("deliveries.pem", pem(callerKeys.ec));
  await vi.waitFor(async () => expect(await algorithmNow()).toBe("ecdsa-p256-sha256"));
});

it("nothing is sent while the key could never be read [D10.92]", async () => {
  const { came, gateway } = await startBank(null);
  expect(await gateway.post(buildReceiverRequest())).toEqual({ kind: "silent", reason: "credentials-not-read" });
  expect(came).toEqual([]);
});
