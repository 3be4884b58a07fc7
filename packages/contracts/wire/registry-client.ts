// Asks the registry's Confluent API.
//
// #1 A failed connection and a late answer reject with the retryable Fault `contracts.registry-unavailable`.
// #2 No Fault repeats a password or what the registry said about itself beyond one short sentence.
// #3 An answer that a registry does not give, such as a page of another server, is reported as a wrong address, and not
//    as a schema that is missing. It is tried again, because what stands before a registry may give it for a while.

import type { SecureContext } from "node:tls";
import { requestText } from "@sluice/connection";
import { Fault, type Time } from "@sluice/kernel";

export interface RegistryConnection {
  /** Address of the registry's Confluent API, without a trailing slash, for example `http://…/apis/ccompat/v7`. */
  readonly url: string;
  /** For https: what a new connection makes TLS with. */
  readonly tls?: () => SecureContext;
  /** Basic authentication, with the password in force now. */
  readonly login?: () => { readonly username: string; readonly password: string };
  readonly answerTimeoutMs?: number;
}

export interface RegistryAnswer {
  readonly status: number;
  /** Members of the answer's object; none if it is something else. */
  readonly members: Readonly<Record<string, unknown>>;
  /** For an error's text. */
  readonly said: string;
}

export interface RegistryClient {
  ask(method: "GET" | "POST" | "PUT", path: string, body?: object): Promise<RegistryAnswer>;
}

const mediaType = "application/vnd.schemaregistry.v1+json";
const answerTimeoutDefaultMs = 5_000;
const saidCharactersMax = 300;
/** With a body that is no registry's: found, moved, not found. A 5xx may come from what stands before a registry. */
const wrongAddressStatuses: readonly number[] = [200, 301, 302, 303, 307, 308, 404, 405];

export function createRegistryClient(connection: RegistryConnection, time: Time): RegistryClient {
  const { url, tls, login, answerTimeoutMs: timeoutMs = answerTimeoutDefaultMs } = connection;

  function authorization(): Readonly<Record<string, string>> {
    if (login === undefined) return {};
    const { username, password } = login();
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
  }

  const { host } = new URL(url);

  return {
    async ask(method, path, body) {
      const headers = { accept: mediaType, "content-type": mediaType, ...authorization() };
      const secureContext = tls === undefined || !url.startsWith("https:") ? {} : { secureContext: tls() };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const asked = { url: `${url}${path}`, method, headers, ...sent, ...secureContext, time, timeoutMs };
      const answer = await requestText(asked).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : "no answer";
        throw new Fault("contracts.registry-unavailable", `the registry at ${host} does not answer: ${why}`, { isRetryable: true });
      });
      const members = parseMembers(answer.body);
      if (members === null && wrongAddressStatuses.includes(answer.status)) {
        const text = `what answers at ${host} is no registry (HTTP ${answer.status}): check SCHEMA_REGISTRY_URL, with its path`;
        throw new Fault("contracts.registry-unavailable", text, { isRetryable: true });
      }
      const message = typeof members?.["message"] === "string" ? `: ${members["message"].slice(0, saidCharactersMax)}` : "";
      return { status: answer.status, members: members ?? {}, said: `the registry answers ${answer.status}${message}` };
    },
  };
}

/** Null: it is no object, which a registry never answers. */
function parseMembers(body: string): Readonly<Record<string, unknown>> | null {
  try {
    const members: unknown = JSON.parse(body);
    return typeof members === "object" && members !== null ? { ...members } : null;
  } catch {
    return null;
  }
}
