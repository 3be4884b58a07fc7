// The certificate that a caller shows with its connection, and whether it is one of those that the caller is bound to.
//
// #1 The handshake proves that the peer has the certificate's key, without regard to its issuer. So a certificate that
//    is named by its SHA-256 needs no authority.
// #2 A name counts only under its authority: the handshake has verified the chain, and each signature up to the
//    authority is checked here once more, because the peer chooses what else it sends.
// #3 The time of the certificate is checked at each request. A connection may live longer than the certificate.
// #4 Text of a certificate that cannot be read without doubt gives no names.

import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { type DetailedPeerCertificate, TLSSocket } from "node:tls";
import { type CertificateBinding, tokenId } from "@sluice/kernel";

export interface PeerCertificate {
  /** Names it in logs and in the audit: the beginning of its SHA-256. */
  readonly id: string;
  /** SHA-256 of the certificate, hex in lower case. */
  readonly sha256: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly uris: readonly string[];
  /** In lower case. */
  readonly dnsNames: readonly string[];
  /** SHA-256 of each authority above it in its verified chain; none: the listener trusts no authority of it. */
  readonly authoritySha256: readonly string[];
}

export type CertificateRefusalReason = "certificate-missing" | "certificate-expired" | "certificate-not-bound";

const chainMax = 10;

/** Null: the connection has no TLS, or the peer showed no certificate. */
export function readPeerCertificate(socket: Socket): PeerCertificate | null {
  if (!(socket instanceof TLSSocket)) return null;
  const shown = socket.getPeerX509Certificate();
  if (shown === undefined) return null;
  const sha256 = sha256Of(shown);
  const names = parseNames(shown.subjectAltName ?? "");
  return {
    id: tokenId(sha256),
    sha256,
    notBeforeMs: shown.validFromDate.getTime(),
    notAfterMs: shown.validToDate.getTime(),
    uris: names.flatMap(({ kind, name }) => (kind === "URI" ? [name] : [])),
    dnsNames: names.flatMap(({ kind, name }) => (kind === "DNS" ? [name.toLowerCase()] : [])),
    authoritySha256: socket.authorized ? listAuthorities(shown, socket) : [],
  };
}

/** Null: the caller is bound to no certificate, or shows one of its own. */
export function judgeCertificate(
  bindings: readonly CertificateBinding[] | null,
  shown: PeerCertificate | null,
  nowMs: number,
): CertificateRefusalReason | null {
  if (bindings === null) return null;
  if (shown === null) return "certificate-missing";
  // #3
  if (nowMs < shown.notBeforeMs || nowMs > shown.notAfterMs) return "certificate-expired";
  return bindings.some((binding) => isMatch(binding, shown)) ? null : "certificate-not-bound";
}

function isMatch(binding: CertificateBinding, shown: PeerCertificate): boolean {
  if (binding.kind === "sha256") return binding.sha256 === shown.sha256;
  // #2
  if (!shown.authoritySha256.includes(binding.authoritySha256)) return false;
  return (binding.kind === "uri" ? shown.uris : shown.dnsNames).includes(binding.name);
}

/** #2: this older form of the chain has the authority at its end, which peers do not send. */
function listAuthorities(shown: X509Certificate, socket: TLSSocket): readonly string[] {
  const found: string[] = [];
  let below = shown;
  let link = socket.getPeerCertificate(true);
  while (found.length < chainMax) {
    const next = link.issuerCertificate as DetailedPeerCertificate | undefined;
    if (next === undefined || next === link) return found;
    const above = new X509Certificate(next.raw);
    if (!below.checkIssued(above) || !below.verify(above.publicKey)) return found;
    found.push(sha256Of(above));
    [below, link] = [above, next];
  }
  return found;
}

function sha256Of({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(":", "").toLowerCase();
}

interface AlternativeName {
  readonly kind: string;
  readonly name: string;
}

/** Reads Node's text of the names, in which a name with a comma or a quote is a JSON string. #4 */
export function parseNames(text: string): readonly AlternativeName[] {
  const one = /([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y;
  const names: AlternativeName[] = [];
  while (one.lastIndex < text.length) {
    const [whole, kind, name] = one.exec(text) ?? [];
    if (whole === undefined || kind === undefined || name === undefined) return [];
    const unquoted: unknown = name.startsWith('"') ? JSON.parse(name) : name;
    names.push({ kind, name: String(unquoted) });
  }
  return names;
}
