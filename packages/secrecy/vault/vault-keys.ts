// A key service on the transit engine of Vault, or of a server with its API: one named key for each scope.
//
// #1 The key of a scope has the scope as its name, with a dot: `alpha.2026-11`. Vault makes it once, also where two
//    processes ask at once.
// #2 Vault forgets that a deleted key ever was. So a destroyed scope has another key in its place, `erased.<name>`,
//    which is made before the first is deleted: while it is there, no key of that scope is made.
// #3 A Fault names the status of the answer, and neither the token nor a key.

import { requestText } from "@sluice/connection";
import { Fault, type Time } from "@sluice/kernel";
import type { SecureContext } from "node:tls";
import { isScope, type KeyService, type WrappedKey } from "../key-service.ts";

interface VaultConnection {
  /** Such as `https://vault:8200`. */
  readonly url: string;
  /** Where the transit engine is mounted, such as `transit`. */
  readonly mount: string;
  readonly token: () => string;
  /** For https. */
  readonly tls?: () => SecureContext;
  readonly time: Time;
}

const answerTimeoutMs = 2_000;
const erasedPrefix = "erased.";
const derivedInput = Buffer.from("sluice derived 1").toString("base64");

interface Answer {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
}
type Ask = (method: "GET" | "POST" | "DELETE", path: string, body?: object) => Promise<Answer>;

function connect({ url, mount, token, tls, time }: VaultConnection): Ask {
  return async (method, path, body = {}) => {
    const asked = {
      url: `${url}/v1/${mount}/${path}`,
      method,
      headers: { "x-vault-token": token(), "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
      ...(tls === undefined ? {} : { secureContext: tls() }),
      time,
      timeoutMs: answerTimeoutMs,
    };
    const answer = await requestText(asked).catch((error: unknown) => {
      throw unavailable(error instanceof Error ? error.message : "no answer");
    });
    return { status: answer.status, data: readData(answer.body) };
  };
}

async function exists(ask: Ask, name: string): Promise<boolean> {
  const { status } = await ask("GET", `keys/${name}`);
  if (status === 200 || status === 404) return status === 200;
  throw unavailable(`status ${status}`);
}

async function make(ask: Ask, name: string): Promise<void> {
  done(await ask("POST", `keys/${name}`, { type: "aes256-gcm96" }));
}

/** Asks for one scope's keys in one call; null where the scope has no key. */
async function decrypt(ask: Ask, scope: string, keys: readonly WrappedKey[]): Promise<readonly (Uint8Array | null)[]> {
  const batch = keys.map(({ wrapped }) => ({ ciphertext: Buffer.from(wrapped).toString("utf8") }));
  const { status, data } = await ask("POST", `decrypt/${nameFor(scope)}`, { batch_input: batch });
  const results = listIn(data["batch_results"]);
  if (status === 200 && results.length === keys.length) return results.map((one) => bytesIn(one, "plaintext") ?? notWrapped(scope));
  if (status >= 500 || status === 403 || status === 429) throw unavailable(`status ${status}`);
  // A key that is gone and a text that it did not make are both answered 400.
  if (!(await exists(ask, nameFor(scope)))) return keys.map(() => null);
  return notWrapped(scope);
}

export function createVaultKeys(connection: VaultConnection): KeyService {
  const ask = connect(connection);
  return {
    async create(scope) {
      const name = nameFor(scope);
      if (await exists(ask, erasedPrefix + name)) return null;
      if (!(await exists(ask, name))) await make(ask, name);
      const { data } = done(await ask("POST", `datakey/plaintext/${name}`, { bits: 256 }));
      const [plain, wrapped] = [bytesIn(data, "plaintext"), data["ciphertext"]];
      if (plain === null || typeof wrapped !== "string") throw unavailable("an answer without a data key");
      return { plain, wrapped: Buffer.from(wrapped) };
    },
    async unwrap(keys) {
      const byScope = Map.groupBy(keys, ({ scope }) => scope);
      const opened = new Map<WrappedKey, Uint8Array | null>();
      await Promise.all(
        [...byScope].map(async ([scope, ofScope]) => {
          const plain = await decrypt(ask, scope, ofScope);
          for (const [index, one] of ofScope.entries()) opened.set(one, plain[index] ?? null);
        }),
      );
      return keys.map((one) => opened.get(one) ?? null);
    },
    derive: (scopes) =>
      Promise.all(
        scopes.map(async (scope) => {
          const { status, data } = await ask("POST", `hmac/${nameFor(scope)}/sha2-256`, { input: derivedInput });
          if (status === 400 || status === 404) return null;
          const text = data["hmac"];
          if (status !== 200 || typeof text !== "string") throw unavailable(`status ${status}`);
          return Buffer.from(text.slice(text.lastIndexOf(":") + 1), "base64");
        }),
      ),
    async list() {
      const { status, data } = await ask("GET", "keys?list=true");
      if (status === 404) return [];
      if (status !== 200) throw unavailable(`status ${status}`);
      const names = listIn(data["keys"]).filter((name) => typeof name === "string");
      const destroyed = new Set(names.filter((name) => name.startsWith(erasedPrefix)).map((name) => name.slice(erasedPrefix.length)));
      const all = [...new Set([...names.filter((name) => !name.startsWith(erasedPrefix)), ...destroyed])];
      return all
        .map((name) => ({ scope: name.replace(".", "/"), isDestroyed: destroyed.has(name) }))
        .filter(({ scope }) => isScope(scope))
        .toSorted((one, other) => (one.scope < other.scope ? -1 : 1));
    },
    async destroy(scope) {
      const name = nameFor(scope);
      // #2
      await make(ask, erasedPrefix + name);
      if (!(await exists(ask, name))) return;
      done(await ask("POST", `keys/${name}/config`, { deletion_allowed: true }));
      done(await ask("DELETE", `keys/${name}`));
    },
  };
}

/** #1 */
function nameFor(scope: string): string {
  if (!isScope(scope)) throw new Fault("secrecy.not-wrapped", "a scope that no key can have", { isRetryable: false });
  return scope.replace("/", ".");
}

function done(answer: Answer): Answer {
  if (answer.status === 200 || answer.status === 204) return answer;
  throw unavailable(`status ${answer.status}`);
}

function readData(body: string): Answer["data"] {
  try {
    const read: unknown = body === "" ? {} : JSON.parse(body);
    const data: unknown = typeof read === "object" && read !== null && "data" in read ? read.data : {};
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object's members are unknown
    return typeof data === "object" && data !== null ? (data as Answer["data"]) : {};
  } catch {
    return {};
  }
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function bytesIn(value: unknown, member: string): Uint8Array | null {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, member) : undefined;
  return typeof text === "string" && text !== "" ? Buffer.from(text, "base64") : null;
}

function notWrapped(scope: string): never {
  throw new Fault("secrecy.not-wrapped", `a data key that was not wrapped under ${scope}`, { isRetryable: false });
}

/** #3 */
function unavailable(what: string): Fault {
  return new Fault("secrecy.unavailable", `the key service cannot be used: ${what}`, { isRetryable: true });
}
