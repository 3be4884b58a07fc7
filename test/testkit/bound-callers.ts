// A caller that is bound to certificates, and every way to come as that caller or not to: for tests that ask each
// address of an API over TLS in each of these ways.
//
// #1 A handshake is judged by the machine's clock and a request by the clock of the test, so what counts has begun long
//    before both and ends long after them.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { CertificateBinding, HeldToken } from "@sluice/kernel";
import { type Certificate, certificateSha256, createCertificateAuthority } from "./certificates.ts";
import { sampleHeldToken, sampleToken } from "./sample-configuration.ts";

/** #1 */
const counting = { fromMs: Date.UTC(2020, 0), toMs: Date.UTC(2048, 0) };
const ended = { fromMs: Date.UTC(2020, 0), toMs: Date.UTC(2021, 0) };

export interface BoundCredentials {
  readonly tokens: readonly HeldToken[];
  readonly certificates: readonly CertificateBinding[];
}

export interface ComingCaller {
  readonly name: string;
  readonly token: string | null;
  readonly certificate: Certificate | null;
  /** What a refusal says; `unknown`: nothing but that; null: the caller is let in. */
  readonly refusal: string | null;
}

export interface BoundCallers {
  /** What the caller under test has: its id is the one given. */
  readonly own: BoundCredentials;
  /** What the other caller has. */
  readonly other: BoundCredentials;
  readonly callers: readonly ComingCaller[];
  /** For the listener: its certificate, and the authorities of callers that it trusts. */
  readonly listener: Certificate;
  readonly clientAuthorities: readonly string[];
  /** For those who ask. */
  readonly listenerAuthority: string;
}

/** `nowMs` is the machine's time. */
export function createBoundCallers(id: string, otherId: string, nowMs: number): BoundCallers {
  const [ours, theirs] = ["Ours", "Theirs"].map((name) => createCertificateAuthority(name, nowMs));
  if (ours === undefined || theirs === undefined) throw new Error("two authorities");
  const stranger = createCertificateAuthority("Ours", nowMs);
  const uri = `spiffe://sluice/${id}`;
  const named = { name: id, uris: [uri] };
  const pinned = stranger.issue({ name: "pinned", ...counting });
  const pinnedEnded = stranger.issue({ name: "pinned", ...ended });
  const ofOther = ours.issue({ name: otherId, uris: [`spiffe://sluice/${otherId}`], ...counting });
  const good = ours.issue({ ...named, ...counting });
  const [token, dated] = [sampleToken(id), `ended-token-of-${id}`];
  const wrong = { token, refusal: "certificate-not-bound" } as const;
  return {
    own: {
      tokens: [sampleHeldToken(token), sampleHeldToken(dated, ended.toMs)],
      certificates: [
        { kind: "uri", name: uri, authoritySha256: certificateSha256(ours.pem) },
        ...[pinned, pinnedEnded].map(({ certificatePem }) => ({ kind: "sha256", sha256: certificateSha256(certificatePem) }) as const),
      ],
    },
    other: {
      tokens: [sampleHeldToken(sampleToken(otherId))],
      certificates: [{ kind: "sha256", sha256: certificateSha256(ofOther.certificatePem) }],
    },
    callers: [
      { name: "nothing", token: null, certificate: null, refusal: "unknown" },
      { name: "its certificate, no token", token: null, certificate: good, refusal: "unknown" },
      { name: "its certificate, a wrong token", token: "of-nobody", certificate: good, refusal: "unknown" },
      { name: "its certificate, a token that has ended", token: dated, certificate: good, refusal: "token-expired" },
      { name: "its certificate, another caller's token", token: sampleToken(otherId), certificate: good, refusal: "certificate-not-bound" },
      { name: "its token, no certificate", token, certificate: null, refusal: "certificate-missing" },
      { name: "its token, another caller's certificate", certificate: ofOther, ...wrong },
      { name: "its token, its name by an authority that is not trusted", certificate: stranger.issue({ ...named, ...counting }), ...wrong },
      { name: "its token, its name by another authority", certificate: theirs.issue({ ...named, ...counting }), ...wrong },
      { name: "its token, its name ended", token, certificate: ours.issue({ ...named, ...ended }), refusal: "certificate-expired" },
      { name: "its token, a hash of its own ended", token, certificate: pinnedEnded, refusal: "certificate-expired" },
      { name: "its token, its name by its authority", token, certificate: good, refusal: null },
      { name: "its token, a hash of its own", token, certificate: pinned, refusal: null },
    ],
    listener: ours.issue({ name: "listener", hosts: ["127.0.0.1"] }),
    clientAuthorities: [ours.pem, theirs.pem],
    listenerAuthority: ours.pem,
  };
}

/** What a request without TLS shows of its sender. */
export function showAuthorization(authorization: string | null) {
  return { authorization, proof: null, method: "POST", url: "https://sluice.example/", certificate: null } as const;
}

export interface TlsAnswer {
  readonly status: number;
  readonly challenge: string | null;
}

/** Asks once, on a connection of its own, and leaves the body unread. */
export async function askOverTls(
  { port, authority }: { readonly port: number; readonly authority: string },
  { token, certificate }: Pick<ComingCaller, "token" | "certificate">,
  { method, path, body = null }: { readonly method: string; readonly path: string; readonly body?: Uint8Array | null },
): Promise<TlsAnswer> {
  const shown = certificate === null ? {} : { cert: certificate.certificatePem, key: certificate.keyPem };
  const headers = {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === null ? {} : { "content-type": "application/json", "content-length": body.byteLength }),
  };
  const asked = request({ host: "127.0.0.1", port, ca: authority, agent: false, method, path, headers, ...shown });
  asked.end(body ?? undefined);
  const [answer]: IncomingMessage[] = await once(asked, "response");
  if (answer === undefined) throw new Error("no answer");
  answer.destroy();
  return { status: answer.statusCode ?? 0, challenge: answer.headers["www-authenticate"] ?? null };
}

/** What an answer to that caller has. */
export function expectedChallenge({ refusal }: Pick<ComingCaller, "refusal">): string | null {
  if (refusal === null) return null;
  return refusal === "unknown" ? "Bearer" : `Bearer error="invalid_token", error_description="${refusal}"`;
}
