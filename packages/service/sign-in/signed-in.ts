// Who a signed-in person is to us now. It is judged at each request by the configuration in force, so that a
// person who leaves the configuration is out at once, in the middle of a session.
//
// #1 The person counts while the configuration names the provider, the subject and the value of `acr`.
// #2 Its rights are those of the operator now, narrowed by the claims of its sign-in (`narrow-rights.ts`).
// #3 An operator that is bound to certificates needs one here too.
// #4 Who signed in on a command line shows an access token of the provider for the client of command lines. Its
//    `sub`, `acr` and claims are judged like those of an ID token, at each call.

import type { SignInProvider } from "@sluice/kernel";
import { judgeCertificate, type PeerCertificate } from "../callers/peer-certificate.ts";
import type { IdentifyPerson, LogIn, RefusedLogIn, TokenHolder } from "../callers/tokens.ts";
import { narrowRights, readNarrowing } from "./narrow-rights.ts";
import type { SignedIn } from "./sign-in.ts";

interface SignedInHolder extends TokenHolder {
  readonly subject: string | null;
  readonly roles: readonly string[];
  readonly bank: string | null;
  readonly schemes: readonly string[] | null;
}

interface Known<Holder> {
  readonly operatorSignIn: SignInProvider | null;
  readonly operators: readonly Holder[];
}

type JudgedPersonToken = Parameters<IdentifyPerson<TokenHolder>>[0];

const unknown: RefusedLogIn = { ok: false, reason: "unknown", holder: null, tokenId: null, certificateId: null };

export function identifySignedIn<Holder extends SignedInHolder>(
  { issuer, clientId, subject, acr, narrowing, credentialId }: SignedIn,
  { operatorSignIn: provider, operators }: Known<Holder>,
  certificate: PeerCertificate | null,
  nowMs: number,
): LogIn<Holder> {
  // #1
  if (provider?.issuer !== issuer || provider.clientId !== clientId || !provider.acrValues.includes(acr)) return unknown;
  const holder = operators.find((one) => one.subject === subject);
  // #2
  const narrowed = holder === undefined ? null : narrowRights(holder, narrowing);
  if (narrowed === null) return unknown;
  // #3
  const reason = judgeCertificate(narrowed.certificates, certificate, nowMs);
  const certificateId = certificate?.id ?? null;
  if (reason !== null) return { ok: false, reason, holder: narrowed.id, tokenId: credentialId, certificateId };
  return { ok: true, holder: { ...narrowed, tokenId: credentialId, certificateId: narrowed.certificates === null ? null : certificateId } };
}

/** #4 */
export function identifyAtCommandLine<Holder extends SignedInHolder>(
  judged: JudgedPersonToken,
  known: Known<Holder>,
  certificate: PeerCertificate | null,
  nowMs: number,
): LogIn<Holder> {
  const { operatorSignIn: provider } = known;
  const { client, tokenId } = judged;
  if (provider?.issuer !== client.issuer || provider.commandLineClient !== client.clientId) return unknown;
  if (judged.kind === "refused") return { ok: false, reason: judged.reason, holder: null, tokenId, certificateId: certificate?.id ?? null };
  const { sub: subject, acr } = judged.claims;
  const narrowing = readNarrowing(provider, judged.claims);
  if (typeof subject !== "string" || typeof acr !== "string" || narrowing === null) return unknown;
  const { issuer, clientId } = provider;
  return identifySignedIn({ issuer, clientId, subject, acr, narrowing, credentialId: tokenId }, known, certificate, nowMs);
}
