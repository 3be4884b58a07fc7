// A key service in a folder, for a laptop: one file for each scope, readable by its owner alone. The folder is made on
// the first use.
//
// #1 A file is written beside its place and linked into it, so that of two processes one is first and both read whole
//    keys.
// #2 A destroyed key leaves an empty file with the ending `.destroyed`. While that is there, no key is read or made.

import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault, type Random } from "@sluice/kernel";
import { isScope, type KeyService, type WrappedKey } from "../key-service.ts";

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const keyEnding = ".key";
const destroyedEnding = ".destroyed";

/** `random` must be fit for keys, as the machine's is. */
export function openKeyring(folder: string, random: Random): KeyService {
  const draw = (bytes: number): Buffer => Buffer.from(random.hex(bytes), "hex");

  function path(scope: string, ending: string): string {
    if (!isScope(scope)) throw new Fault("secrecy.not-wrapped", "a scope that no key can have", { isRetryable: false });
    return join(folder, `${scope.replace("/", "_")}${ending}`);
  }

  async function read(scope: string): Promise<Buffer | null> {
    // #2
    if ((await readOrNull(path(scope, destroyedEnding))) !== null) return null;
    return await readOrNull(path(scope, keyEnding));
  }

  async function readOrMake(scope: string): Promise<Buffer | null> {
    const found = await read(scope);
    if (found !== null || (await readOrNull(path(scope, destroyedEnding))) !== null) return found;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const beside = join(folder, `.${random.hex(8)}`);
    await writeFile(beside, draw(keyBytes), { mode: 0o600, flush: true });
    try {
      // #1
      await link(beside, path(scope, keyEnding)).catch((error: unknown) => {
        if (codeFrom(error) !== "EEXIST") throw error;
      });
    } finally {
      await rm(beside, { force: true });
    }
    return await read(scope);
  }

  return {
    create: (scope) =>
      available(async () => {
        const key = await readOrMake(scope);
        if (key === null) return null;
        const plain = draw(keyBytes);
        return { plain, wrapped: wrap(key, scope, plain, draw(nonceBytes)) };
      }),
    unwrap: (keys) => available(() => Promise.all(keys.map(async (one) => openWrapped(await read(one.scope), one)))),
    derive: (scopes) =>
      available(() =>
        Promise.all(
          scopes.map(async (scope) => {
            const key = await read(scope);
            return key === null ? null : createHmac("sha256", key).update(`derived ${scope}`).digest();
          }),
        ),
      ),
    list: () =>
      available(async () => {
        const names = await readdir(folder).catch((error: unknown) => {
          if (codeFrom(error) === "ENOENT") return [];
          throw error;
        });
        const destroyed = new Set(scopesWith(names, destroyedEnding));
        const scopes = [...new Set([...scopesWith(names, keyEnding), ...destroyed])].toSorted();
        return scopes.map((scope) => ({ scope, isDestroyed: destroyed.has(scope) }));
      }),
    destroy: (scope) =>
      available(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(path(scope, destroyedEnding), "", { mode: 0o600, flush: true });
        await rm(path(scope, keyEnding), { force: true });
      }),
  };
}

function scopesWith(names: readonly string[], ending: string): readonly string[] {
  return names
    .filter((name) => name.endsWith(ending) && !name.startsWith("."))
    .map((name) => name.slice(0, -ending.length).replace("_", "/"));
}

function wrap(key: Uint8Array, scope: string, plain: Uint8Array, nonce: Uint8Array): Uint8Array {
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(scope));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function openWrapped(key: Uint8Array | null, { scope, wrapped }: WrappedKey): Uint8Array | null {
  if (key === null) return null;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, wrapped.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(scope));
    decipher.setAuthTag(wrapped.subarray(wrapped.length - tagBytes));
    return Buffer.concat([decipher.update(wrapped.subarray(nonceBytes, wrapped.length - tagBytes)), decipher.final()]);
  } catch {
    throw new Fault("secrecy.not-wrapped", `a data key that was not wrapped under ${scope}`, { isRetryable: false });
  }
}

async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeFrom(error) === "ENOENT") return null;
    throw error;
  }
}

async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("secrecy.unavailable", `the keyring cannot be used: ${codeFrom(error)}`, { isRetryable: true });
  }
}

function codeFrom(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
