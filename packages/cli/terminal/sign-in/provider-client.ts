// Asks a provider of OpenID Connect for the tokens of a command line: device authorization grant (RFC 8628), refresh
// (RFC 6749, section 6) and revocation (RFC 7009). The client is public: its tokens are bound to a key
// (`proof-key.ts`).
//
// #1 The description must name the very issuer that the profile names. The issuer and the addresses that it names have
//    TLS, or are loopback.
// #2 Each answer is bounded in time and size, and leads nowhere else.
// #3 What the provider says is printed only as far as it is a code or an address: anybody could else write on the
//    terminal.
// #4 A provider that is away ends no sign-in: the person may be entering the code. It is asked again until the code
//    ends, each time after twice as long (RFC 8628, section 3.5).

import { Fault } from "@sluice/kernel";
import {
  discoveryAddress,
  isErrorCode,
  providerCharactersMax,
  type ProviderMembers,
  readEndpointAddress,
  readProviderMembers,
  readSafeAddress,
} from "@sluice/kernel/provider-answers";
import { makeProof } from "./proof-key.ts";

export interface ProviderClientPorts {
  fetch(url: string, request: RequestInit): Promise<Response>;
  nowMs(): number;
  sleep(ms: number): Promise<void>;
}

interface LoginProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** What the console's tokens are for: `audience` of its `tokenIssuers`. */
  readonly audience: string;
}

export interface GivenTokens {
  readonly accessToken: string;
  readonly expiresAtMs: number;
  /** Null: the provider gives none. */
  readonly refreshToken: string | null;
}

interface Description {
  readonly token: string;
  readonly device: string | null;
  readonly revocation: string | null;
}

/** What a person is shown. */
interface DeviceCode {
  readonly verificationUri: string;
  readonly userCode: string;
  readonly expiresInS: number;
}

interface DeviceGrant extends DeviceCode {
  readonly deviceCode: string;
  readonly intervalS: number;
}

const answerMaxMs = 5_000;
/** Seconds between two polls: where the provider says nothing, what "slow down" adds, and at most while it is away. */
const [pollDefaultS, slowDownS, pollAwayMaxS] = [5, 5, 60];
const firstServerError = 500;
const lifeMaxS = 1_800;

export function providerClient(ports: ProviderClientPorts, settings: LoginProvider, keyPem: string) {
  const { issuer, clientId, audience } = settings;

  const ask = (url: string, request: RequestInit) => askProvider(ports, url, request);

  async function describe(): Promise<Description> {
    // #1
    if (readSafeAddress(issuer) === null)
      throw new Fault("cli.no-provider", `${issuer} is no safe address of a provider: it needs https`, { isRetryable: false });
    const { response, members } = await ask(discoveryAddress(issuer), {});
    // #1
    if (!response.ok || members["issuer"] !== issuer) {
      throw new Fault("cli.no-provider", `${issuer} is no provider of OpenID Connect, or not this one`, { isRetryable: false });
    }
    const token = readEndpointAddress(members["token_endpoint"]);
    if (token === null)
      throw new Fault("cli.no-provider", `the provider ${issuer} names no safe address for tokens`, { isRetryable: false });
    const names = ["device_authorization_endpoint", "revocation_endpoint"] as const;
    const [device = null, revocation = null] = names.map((name) => readEndpointAddress(members[name]));
    return { token, device, revocation };
  }

  const send = (url: string, form: Readonly<Record<string, string>>, proof: string | null) =>
    ask(url, {
      method: "POST",
      body: new URLSearchParams({ ...form, client_id: clientId }),
      headers: { accept: "application/json", ...(proof === null ? {} : { dpop: proof }) },
    });

  /** Asks once more where the server wants its own nonce in the proof (RFC 9449, section 8). */
  async function askForTokens(url: string, form: Readonly<Record<string, string>>): Promise<GivenTokens | string> {
    const prove = (nonce: string | null) => makeProof(keyPem, { method: "POST", url, token: null, nonce }, ports.nowMs());
    let { response, members } = await send(url, form, prove(null));
    const nonce = response.headers.get("dpop-nonce");
    if (members["error"] === "use_dpop_nonce" && nonce !== null) ({ response, members } = await send(url, form, prove(nonce)));
    if (!response.ok) return readErrorCode(members);
    return readTokens(members, ports.nowMs());
  }

  return {
    /** Shows the person a code, and waits until the person has signed in with it. `sayAway` has each outage once. */
    async signIn(show: (code: DeviceCode) => void, sayAway: (text: string) => void = () => {}): Promise<GivenTokens> {
      const { device, token } = await describe();
      if (device === null) {
        const text = `the provider ${issuer} has no device authorization (RFC 8628), so that nobody signs in on a command line`;
        throw new Fault("cli.no-provider", text, { isRetryable: false });
      }
      const { response, members } = await send(device, { scope: "openid offline_access", resource: audience }, null);
      if (!response.ok) throw refused(readErrorCode(members));
      const code = readDeviceCode(members);
      show(code);
      const grant = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: code.deviceCode, resource: audience };
      return await awaitPerson(ports, code, () => askForTokens(token, grant), sayAway);
    },
    /** Null: the provider takes the refresh token no more. */
    async refresh(refreshToken: string): Promise<GivenTokens | null> {
      const { token } = await describe();
      const answer = await askForTokens(token, { grant_type: "refresh_token", refresh_token: refreshToken, resource: audience });
      if (typeof answer !== "string") return { ...answer, refreshToken: answer.refreshToken ?? refreshToken };
      if (answer === "invalid_grant") return null;
      throw refused(answer);
    },
    /** Revokes the refresh token, else the access token. Whether the provider has a revocation and took it. */
    async revoke({ refreshToken, accessToken }: Pick<GivenTokens, "refreshToken" | "accessToken">): Promise<boolean> {
      const form = { token: refreshToken ?? accessToken, token_type_hint: refreshToken === null ? "access_token" : "refresh_token" };
      const asked = async () => {
        const { revocation } = await describe();
        return revocation !== null && (await send(revocation, form, null)).response.ok;
      };
      return await asked().catch(() => false);
    },
  };
}

/** #2 Throws Fault `cli.provider-away`, also where what answers is not the provider but what stands before it. */
async function askProvider(ports: ProviderClientPorts, url: string, request: RequestInit) {
  const signal = AbortSignal.timeout(answerMaxMs);
  const asked = async () => {
    const response = await ports.fetch(url, { ...request, redirect: "error", signal });
    const members = readProviderMembers(await readText(response));
    if (response.status >= firstServerError) throw new Error(`it answers ${response.status}`);
    return { response, members };
  };
  return await asked().catch((error: unknown) => {
    const reason = error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : String(error);
    throw new Fault("cli.provider-away", `the provider does not answer at ${new URL(url).origin}: ${reason}`, { isRetryable: true });
  });
}

/** Polls until the person has signed in, or the code has ended. */
async function awaitPerson(
  ports: ProviderClientPorts,
  { expiresInS, intervalS }: DeviceGrant,
  poll: () => Promise<GivenTokens | string>,
  sayAway: (text: string) => void,
): Promise<GivenTokens> {
  const endsAtMs = ports.nowMs() + expiresInS * 1_000;
  let everyS = intervalS;
  let away: Fault | null = null;
  for (let leftMs = expiresInS * 1_000; leftMs > 0; leftMs = endsAtMs - ports.nowMs()) {
    await ports.sleep(Math.min(everyS * 1_000, leftMs));
    const answer = await poll().catch(requireAway);
    if (answer instanceof Fault) {
      // #4
      if (away === null) sayAway(`${answer.message}; asked again until the code ends`);
      away = answer;
      everyS = Math.max(everyS, Math.min(everyS * 2, pollAwayMaxS));
      continue;
    }
    away = null;
    if (typeof answer !== "string") return answer;
    if (answer === "slow_down") everyS += slowDownS;
    else if (answer !== "authorization_pending") throw refused(answer);
  }
  throw away ?? refused("expired_token");
}

/** #4 */
function requireAway(error: unknown): Fault {
  if (error instanceof Fault && error.code === "cli.provider-away") return error;
  throw error;
}

/** #2: of a longer text the beginning, which is then refused. */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > providerCharactersMax) break;
  }
  return text;
}

const refusals: Readonly<Record<string, string>> = {
  access_denied: "the sign-in was refused at the provider",
  expired_token: "nobody signed in with the code in time",
  invalid_target: "the provider gives this client no token for that audience (--audience)",
  invalid_client: "the provider does not know this client (--client-id)",
  unauthorized_client: "the provider does not let this client sign in by device authorization",
};

function refused(code: string): Fault {
  return new Fault("cli.sign-in-refused", `${refusals[code] ?? "the provider refuses"} (${code})`, { isRetryable: false });
}

function readTokens(members: ProviderMembers, nowMs: number): GivenTokens {
  const { access_token: accessToken, expires_in: expiresInS, token_type: type, refresh_token: refreshToken } = members;
  if (typeof accessToken !== "string" || !/^[\w.~+/-]+=*$/.test(accessToken) || typeof expiresInS !== "number") {
    throw new Fault("cli.no-provider", "the provider's answer has no access token with an end", { isRetryable: false });
  }
  if (String(type).toLowerCase() !== "dpop") {
    throw new Fault("cli.no-provider", "the provider binds its access tokens to no key (DPoP), so that no console takes them", {
      isRetryable: false,
    });
  }
  return { accessToken, expiresAtMs: nowMs + expiresInS * 1_000, refreshToken: typeof refreshToken === "string" ? refreshToken : null };
}

/** #3 */
function readDeviceCode(members: ProviderMembers): DeviceGrant {
  const { device_code: deviceCode, user_code: userCode, expires_in: expiresInS, interval } = members;
  const verificationUri = readSafeAddress(members["verification_uri"]);
  if (typeof deviceCode !== "string" || typeof userCode !== "string" || !/^[\w -]{1,40}$/.test(userCode) || verificationUri === null) {
    throw new Fault("cli.no-provider", "the provider's answer has no code for a person", { isRetryable: false });
  }
  const lifeS = typeof expiresInS === "number" ? Math.min(expiresInS, lifeMaxS) : lifeMaxS;
  const intervalS = typeof interval === "number" && interval >= 1 && interval <= 60 ? interval : pollDefaultS;
  return { deviceCode, userCode, verificationUri, expiresInS: lifeS, intervalS };
}

/** #3 */
function readErrorCode({ error }: ProviderMembers): string {
  return isErrorCode(error) ? error : "no reason";
}
