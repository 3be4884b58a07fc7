// The access token with which Sluice comes to a receiver: from the receiver's authorization server, for client
// credentials (RFC 6749), by an assertion that our key signs (`private_key_jwt`, RFC 7523) or by our client certificate
// (RFC 8705).
//
// #1 The server is reached as the receiver itself is: the same checks of addresses, authorities, certificate and proxy.
// #2 What is wrong is reported once, as a credential that could not be read, until a token comes.

import { createPrivateKey, type KeyObject } from "node:crypto";
import type { ConfiguredAccessToken } from "@sluice/config";
import { createTokenCache, SecretProblem, type TokenCache } from "@sluice/connection";
import { Fault, type Random, type Time } from "@sluice/kernel";
import type { ReceiverAnswer } from "../../port.ts";
import type { CredentialsReport } from "./credentials-report.ts";
import type { ReceiverFiles } from "./credentials.ts";

export interface OwnTokenPorts {
  readonly time: Time;
  readonly random: Random;
  readonly report: Pick<CredentialsReport, "read" | "notRead">;
  readonly files: ReceiverFiles;
  readonly send: (headers: Readonly<Record<string, string>>, body: Uint8Array) => Promise<ReceiverAnswer>;
}

interface AssertionKey {
  readonly key: KeyObject;
  readonly algorithm: "ES256" | "PS256" | "EdDSA";
}

const assertionLifeS = 60;
const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" } as const;

export function createOwnToken(receiverId: string, settings: ConfiguredAccessToken, ports: OwnTokenPorts): TokenCache {
  const { time, report, files, send } = ports;
  const owner = { receiverId, member: "accessToken" };
  const { keyFile } = settings;
  const assertionKey = keyFile === null ? null : files.watch({ owner, paths: [keyFile], make: ([content]) => readKey(content!) });
  let problem = "";

  async function ask() {
    const key = assertionKey?.() ?? null;
    if (assertionKey !== null && key === null) throw new Error("the key was not read");
    const question = await buildQuestion(settings, key, ports);
    const answer = await send(headers, new TextEncoder().encode(question.toString()));
    if (answer.kind === "silent") throw new Error(answer.reason);
    return { status: answer.status, body: new TextDecoder().decode(answer.body) };
  }

  const cache = createTokenCache(async () => await ask(), time);
  return {
    async take() {
      try {
        const token = await cache.take();
        if (problem !== "") report.read(owner);
        problem = "";
        return token;
      } catch (error) {
        // #2
        const code = error instanceof Fault ? error.message : "no token";
        if (problem !== code) report.notRead(owner, code);
        problem = code;
        throw error;
      }
    },
    drop: (token) => cache.drop(token),
  };
}

async function buildQuestion(
  { clientId, scope, audience, keyId, tokenUrl }: ConfiguredAccessToken,
  key: AssertionKey | null,
  { time, random }: OwnTokenPorts,
): Promise<URLSearchParams> {
  const usual = { grant_type: "client_credentials", client_id: clientId, ...(scope === null ? {} : { scope }) };
  if (key === null) return new URLSearchParams(usual);
  const nowS = Math.floor(time.nowMs() / 1_000);
  // Few receivers have an authorization server, and what the others never need takes memory in every process.
  const { SignJWT } = await import("jose");
  const assertion = await new SignJWT()
    .setProtectedHeader({ alg: key.algorithm, ...(keyId === null ? {} : { kid: keyId }) })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience ?? tokenUrl)
    .setJti(random.hex(16))
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + assertionLifeS)
    .sign(key.key);
  return new URLSearchParams({
    ...usual,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  });
}

/** A private key in PEM. */
function readKey(content: Buffer): AssertionKey {
  const key = parseKey(content);
  const algorithm = key === null ? null : findAlgorithm(key);
  if (key === null || algorithm === null) throw new SecretProblem("no-assertion-key");
  return { key, algorithm };
}

function parseKey(content: Buffer): KeyObject | null {
  try {
    return createPrivateKey(content);
  } catch {
    return null;
  }
}

const rsaBitsMin = 2_048;

function findAlgorithm({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): AssertionKey["algorithm"] | null {
  if (type === "ed25519") return "EdDSA";
  if (type === "ec") return details?.namedCurve === "prime256v1" ? "ES256" : null;
  return type === "rsa" && (details?.modulusLength ?? 0) >= rsaBitsMin ? "PS256" : null;
}
