// Reads what a provider of OpenID Connect answers: its own description (OpenID Connect Discovery) and an answer of its
// token endpoint. Pure.
//
// #1 The description must be that of the issuer that the configuration names, and its addresses have TLS or are
//    loopback addresses.
// #2 No problem repeats a text of the provider, because it may hold a token; an error code of the standard is named.

import type { SignInProvider } from "@sluice/kernel";
import {
  isErrorCode,
  providerCharactersMax,
  type ProviderMembers,
  readEndpointAddress,
  readProviderMembers,
} from "@sluice/kernel/provider-answers";

export interface ProviderAddresses {
  readonly authorization: string;
  readonly token: string;
  readonly keySet: string;
  /** Null: the provider cannot be asked to end its own session. */
  readonly endSession: string | null;
  /** Where requests are pushed to it (RFC 9126); null: it takes none. */
  readonly pushed: string | null;
  /** Whether its answers to the browser name the issuer (RFC 9207). */
  readonly namesIssuer: boolean;
}

/** What could not be read. */
export class ProviderProblem extends Error {}

/** Throws a `ProviderProblem`. */
export function readProviderAddresses({ issuer }: Pick<SignInProvider, "issuer">, text: string): ProviderAddresses {
  const members = parseMembers(text);
  if (members["issuer"] !== issuer) throw new ProviderProblem("its description names another issuer");
  const methods = members["code_challenge_methods_supported"];
  if (Array.isArray(methods) && !methods.includes("S256")) throw new ProviderProblem("it does not know S256 of PKCE");
  const [endSession, pushed] = [members["end_session_endpoint"], members["pushed_authorization_request_endpoint"]];
  return {
    authorization: readAddress(members, "authorization_endpoint"),
    token: readAddress(members, "token_endpoint"),
    keySet: readAddress(members, "jwks_uri"),
    endSession: endSession === undefined ? null : readAddress(members, "end_session_endpoint"),
    pushed: pushed === undefined ? null : readAddress(members, "pushed_authorization_request_endpoint"),
    namesIssuer: members["authorization_response_iss_parameter_supported"] === true,
  };
}

/** Returns the name of a request that was pushed (RFC 9126, section 2.2). Throws a `ProviderProblem`. */
export function readPushedAnswer({ status, body }: { readonly status: number; readonly body: string }): string {
  const members = parseMembers(body);
  const { request_uri: name, error: code } = members;
  if (status !== 201) throw new ProviderProblem(`it answers ${status}${isErrorCode(code) ? ` ${code}` : ""} to a pushed request`);
  if (typeof name !== "string" || !/^[\x21-\x7e]{1,512}$/.test(name)) throw new ProviderProblem("it names no pushed request");
  return name;
}

/** Returns the ID token. Throws a `ProviderProblem`. */
export function readTokenAnswer({ status, body }: { readonly status: number; readonly body: string }): string {
  const members = parseMembers(body);
  if (status !== 200) {
    const code = members["error"];
    throw new ProviderProblem(`it answers ${status}${isErrorCode(code) ? ` ${code}` : ""}`);
  }
  const token = members["id_token"];
  if (typeof token !== "string") throw new ProviderProblem("its answer has no ID token");
  return token;
}

function parseMembers(text: string): ProviderMembers {
  if (text.length > providerCharactersMax) throw new ProviderProblem(`an answer of more than ${providerCharactersMax} characters`);
  return readProviderMembers(text);
}

/** #1 */
function readAddress(members: ProviderMembers, member: string): string {
  const address = readEndpointAddress(members[member]);
  if (address === null) throw new ProviderProblem(`its description has no safe ${member}`);
  return address;
}
