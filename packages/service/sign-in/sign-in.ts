// Signs operators in at a provider of OpenID Connect: authorization code with PKCE (S256), `state` and `nonce`, by the
// advice of RFC 9700. `begin` sends a browser to the provider, and `finish` judges what it comes back with.
//
// #1 Only a flow that this process began, that is still under way, and that this browser has, is gone on with. It
//    counts once, also if it fails.
// #2 Where the provider says that its answers name the issuer, an answer without it is refused (RFC 9207); one that
//    names another is refused in any case.
// #3 What is asked of the provider has a bound: its answers, the time for each, and how many sign-ins are finished at
//    once. While it is away nothing is asked again within `coolDownMs`.
// #4 Neither code, token nor secret is in a log line or an answer.
// #5 Each scrape of the metrics has the provider's description and keys read where they are due, so that an alarm comes
//    before the next person does. The metric has one series, or none without a provider.
// #6 Where the provider takes pushed requests (PAR, RFC 9126), it is asked directly, by us as its client, and the
//    browser carries nothing but the name of that request. If that fails nobody is sent: who can break it could
//    otherwise have the request go through the browser.

import { hash } from "node:crypto";
import {
  formatReason,
  type ListedMetric,
  type Logger,
  type Metrics,
  type Random,
  type SignInProvider,
  type Time,
  type TokenIssuer,
} from "@sluice/kernel";
import { discoveryAddress, isErrorCode } from "@sluice/kernel/provider-answers";
import { createKeySets, KeysAway, type KeySets, type LoadKeySet } from "../access-tokens/key-sets.ts";
import { makeClientAssertion } from "./client-assertion.ts";
import { judgeIdToken, type JudgedPerson } from "./id-token.ts";
import { type Narrowing, readNarrowing } from "./narrow-rights.ts";
import { type ProviderAddresses, readProviderAddresses, readTokenAnswer, readPushedAnswer } from "./provider-answers.ts";
import { createSignInFlows, type SignInFlow } from "./sign-in-flows.ts";

export interface ProviderQuestion {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** PEM file of the authorities of the address; null: the machine's. */
  readonly caFile: string | null;
}

/** What a sign-in needs of the process. */
export interface SignInPorts {
  /** Rejects where no whole answer came in time. */
  readonly ask: (question: ProviderQuestion) => Promise<{ readonly status: number; readonly body: string }>;
  readonly readFile: (path: string) => Promise<string>;
  readonly loadKeySet: LoadKeySet;
}

/** A person as the provider knows it. Whether it may do anything is judged at each request (`signed-in.ts`). */
export interface SignedIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly subject: string;
  readonly acr: string;
  readonly narrowing: Narrowing;
  /** Names this sign-in in logs and in the audit. */
  readonly credentialId: string;
}

export type SignInRefusalReason = "flow-unknown" | "provider-refused" | "token-refused" | "acr-refused" | "claims-refused";

export type FinishedSignIn =
  | { readonly kind: "signed-in"; readonly person: SignedIn; readonly next: string }
  | { readonly kind: "refused"; readonly reason: SignInRefusalReason; readonly subject: string | null }
  | { readonly kind: "away" };

export interface SignIn {
  /** `location` is the provider's; null: the provider is away. */
  begin(next: string, remoteAddress: string | null): Promise<{ readonly location: string; readonly flow: string } | null>;
  finish(flow: string | null, answer: URLSearchParams): Promise<FinishedSignIn>;
  /** Where the provider ends its own session; null: it has no such address, or is away. */
  endSession(): Promise<string | null>;
}

interface SignInOptions extends SignInPorts {
  readonly time: Pick<Time, "nowMs" | "monotonicMs">;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "listed">;
  /** The provider now in force; null: none. */
  readonly provider: () => SignInProvider | null;
}

export const signInPath = "/sign-in/callback";
const freshMs = 5 * 60_000;
const coolDownMs = 5_000;
const finishingMax = 16;
const pushingMax = 16;
const codeCharactersMax = 4_096;

const notReadMetric: ListedMetric = {
  name: "sluice_sign_in_provider_not_read",
  help: "1: the description or the keys of the provider at which operators sign in could not be read at the last attempt",
  kind: "gauge",
  labels: ["issuer"],
};

export function createSignIn(options: SignInOptions): SignIn {
  const { time, logger } = options;
  const flows = createSignInFlows(options);
  const keySets = createKeySets({ time, logger, load: options.loadKeySet });
  const kept = keepAddresses(options);
  const findAddresses = async (provider: SignInProvider): Promise<ProviderAddresses> => await kept.find(provider);
  let finishing = 0;
  const locate = createLocator(options);
  showWhatIsNotRead(options, kept, keySets);

  function keysFor(provider: SignInProvider, addresses: ProviderAddresses) {
    return keySets.keyFor(tokenIssuerOf(provider, addresses));
  }

  async function redeem(provider: SignInProvider, addresses: ProviderAddresses, flow: SignInFlow, code: string): Promise<JudgedPerson> {
    const answer = await redeemCode(provider, addresses.token, flow, code, options);
    const expected = { provider, nonce: flow.nonce, nowMs: time.nowMs() };
    return await judgeIdToken(readTokenAnswer(answer), keysFor(provider, addresses), expected);
  }

  async function goOn(provider: SignInProvider, flow: SignInFlow, answer: URLSearchParams): Promise<FinishedSignIn> {
    const addresses = await findAddresses(provider);
    // #2
    const issuer = answer.get("iss");
    if (issuer === null ? addresses.namesIssuer : issuer !== provider.issuer) return refuse("token-refused");
    const error = answer.get("error");
    if (error !== null) {
      logger.warn("sign-in.provider-refused", { error: isErrorCode(error) ? error : "other" });
      return refuse("provider-refused");
    }
    const code = answer.get("code") ?? "";
    if (code === "" || code.length > codeCharactersMax) return refuse("token-refused");
    const judged = await redeem(provider, addresses, flow, code);
    if (!judged.ok) return { kind: "refused", reason: judged.reason, subject: judged.subject };
    const { subject, acr } = judged;
    const narrowing = readNarrowing(provider, judged.claims);
    if (narrowing === null) return { kind: "refused", reason: "claims-refused", subject };
    const { issuer: name, clientId } = provider;
    const credentialId = `sign-in-${hash("sha256", flow.id).slice(0, 12)}`;
    return { kind: "signed-in", person: { issuer: name, clientId, subject, acr, narrowing, credentialId }, next: flow.next };
  }

  function away(error: unknown): FinishedSignIn {
    if (!(error instanceof KeysAway)) logger.error("sign-in.provider-away", { reason: formatReason(error) });
    return { kind: "away" };
  }

  return {
    async begin(next, remoteAddress) {
      const provider = options.provider();
      const addresses = provider === null ? null : await findAddresses(provider).catch(() => null);
      if (provider === null || addresses === null) return null;
      const flow = flows.begin(next, nameOf(provider), remoteAddress);
      const location = await locate(provider, addresses, flow);
      return location === null ? null : { location, flow: flow.id };
    },
    async finish(id, answer) {
      const provider = options.provider();
      // #3: the flow is still there when the browser asks again.
      if (finishing >= finishingMax) return { kind: "away" };
      const flow = id === null ? null : flows.take(id);
      // #1
      if (provider === null || flow === null || flow.provider !== nameOf(provider) || answer.get("state") !== flow.state) {
        return refuse("flow-unknown");
      }
      finishing += 1;
      return await goOn(provider, flow, answer)
        .catch(away)
        .finally(() => (finishing -= 1));
    },
    async endSession() {
      const provider = options.provider();
      const addresses = provider === null ? null : await findAddresses(provider).catch(() => null);
      return provider === null || addresses === null ? null : endSessionAddress(provider, addresses);
    },
  };
}

/** #5 */
function showWhatIsNotRead({ metrics, provider: inForce }: SignInOptions, kept: KeptAddresses, keySets: Pick<KeySets, "look">): void {
  const look = (provider: SignInProvider): boolean => {
    const { addresses, isNotRead } = kept.look(provider);
    const isKeysNotRead = addresses !== null && keySets.look(tokenIssuerOf(provider, addresses));
    return isNotRead || isKeysNotRead;
  };
  metrics.listed([notReadMetric], () => {
    const provider = inForce();
    return provider === null ? [] : [{ name: notReadMetric.name, labels: { issuer: provider.issuer }, value: Number(look(provider)) }];
  });
}

function tokenIssuerOf({ issuer, clientId, caFile }: SignInProvider, { keySet }: ProviderAddresses): TokenIssuer {
  return { issuer, audience: clientId, algorithms: [], keys: { kind: "url", url: keySet, caFile } };
}

/** Where a browser is sent to sign in. #3 #6 Null: the provider is away, or too many ask at once. */
function createLocator(options: SignInOptions) {
  let pushing = 0;
  return async (provider: SignInProvider, addresses: ProviderAddresses, flow: SignInFlow): Promise<string | null> => {
    const asked = authorizationTerms(provider, flow);
    if (addresses.pushed === null) return withQuery(addresses.authorization, asked);
    if (pushing >= pushingMax) return null;
    pushing += 1;
    try {
      const answer = await postForm(provider, addresses.pushed, asked, options);
      return withQuery(addresses.authorization, { client_id: provider.clientId, request_uri: readPushedAnswer(answer) });
    } catch (error) {
      options.logger.error("sign-in.not-pushed", { reason: formatReason(error) });
      return null;
    } finally {
      pushing -= 1;
    }
  };
}

function endSessionAddress({ clientId, origin }: SignInProvider, { endSession }: ProviderAddresses): string | null {
  if (endSession === null) return null;
  const url = new URL(endSession);
  url.searchParams.set("client_id", clientId);
  url.searchParams.set("post_logout_redirect_uri", `${origin}/sign-in`);
  return url.href;
}

/** Asks the provider for the tokens of a code. */
async function redeemCode(provider: SignInProvider, url: string, flow: SignInFlow, code: string, options: SignInOptions) {
  const form = {
    grant_type: "authorization_code",
    client_id: provider.clientId,
    code,
    redirect_uri: `${provider.origin}${signInPath}`,
    code_verifier: flow.verifier,
  };
  return await postForm(provider, url, form, options);
}

/** Sends a form as the provider's client. */
async function postForm(provider: SignInProvider, url: string, form: Readonly<Record<string, string>>, options: SignInOptions) {
  const proof = await makeClientAssertion(provider, await options.readFile(provider.keyFile), options);
  const body = new URLSearchParams({ ...form, ...proof }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  return await options.ask({ url, method: "POST", headers, body, caFile: provider.caFile });
}

function refuse(reason: SignInRefusalReason): FinishedSignIn {
  return { kind: "refused", reason, subject: null };
}

function authorizationTerms(provider: SignInProvider, flow: SignInFlow): Readonly<Record<string, string>> {
  return {
    response_type: "code",
    client_id: provider.clientId,
    redirect_uri: `${provider.origin}${signInPath}`,
    scope: "openid",
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: hash("sha256", flow.verifier, "base64url"),
    code_challenge_method: "S256",
    acr_values: provider.acrValues.join(" "),
  };
}

function withQuery(address: string, terms: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(terms)) url.searchParams.set(name, value);
  return url.href;
}

/** What makes a provider another one. */
function nameOf({ issuer, clientId, origin }: SignInProvider): string {
  return JSON.stringify([issuer, clientId, origin]);
}

interface KeptAddresses {
  /** Rejects where the provider is away. */
  find(provider: SignInProvider): Promise<ProviderAddresses>;
  /** Begins to read the description where it is due; `addresses` are the last ones, `isNotRead` of the last attempt. */
  look(provider: SignInProvider): { readonly addresses: ProviderAddresses | null; readonly isNotRead: boolean };
}

/** Reads the provider's description when it is needed, and keeps it for `freshMs`. */
function keepAddresses({ time, logger, ask }: SignInOptions): KeptAddresses {
  let kept: { readonly of: string; readonly addresses: ProviderAddresses; readonly readMs: number } | null = null;
  let asking: { readonly of: string; readonly answer: Promise<ProviderAddresses> } | null = null;
  let failed: { readonly of: string; readonly atMs: number } | null = null;

  async function read(provider: SignInProvider, of: string): Promise<ProviderAddresses> {
    try {
      const headers = { accept: "application/json" };
      const answer = await ask({ url: discoveryAddress(provider.issuer), method: "GET", headers, caFile: provider.caFile });
      if (answer.status !== 200) throw new Error(`it answers ${answer.status}`);
      const addresses = readProviderAddresses(provider, answer.body);
      kept = { of, addresses, readMs: time.monotonicMs() };
      failed = null;
      return addresses;
    } catch (error) {
      logger.error("sign-in.provider-not-read", { issuer: provider.issuer, reason: formatReason(error) });
      failed = { of, atMs: time.monotonicMs() };
      throw error;
    } finally {
      asking = null;
    }
  }

  async function find(provider: SignInProvider): Promise<ProviderAddresses> {
    const of = placeOf(provider);
    const nowMs = time.monotonicMs();
    if (kept?.of === of && nowMs - kept.readMs < freshMs) return kept.addresses;
    if (asking?.of === of) return await asking.answer;
    // #3
    if (failed?.of === of && nowMs - failed.atMs < coolDownMs) throw new Error("it was away a moment ago");
    const answer = read(provider, of);
    asking = { of, answer };
    return await answer;
  }

  return {
    find,
    look(provider) {
      const of = placeOf(provider);
      const isNotRead = failed?.of === of;
      void find(provider).catch(() => {});
      return { addresses: kept?.of === of ? kept.addresses : null, isNotRead };
    },
  };
}

function placeOf({ issuer, caFile }: SignInProvider): string {
  return JSON.stringify([issuer, caFile]);
}
