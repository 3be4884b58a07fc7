// The file of users that a guarded store reads (java/GuardedBackend.java): who may log in, and what each may do.
//
// #1 It holds no password, only what SCRAM-SHA-256 proves one by (RFC 5802): who reads it can still not log in.
// #2 A user has the privileges that it is given and no others; a user without a list may do everything.

import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";

export interface StoreUser {
  readonly user: string;
  /** Visible ASCII, so that it needs no preparation (RFC 7677). */
  readonly password: string;
  /** As MongoDB's `createRole` takes them; null: it may do everything. */
  readonly privileges: readonly StorePrivilege[] | null;
}

export interface StorePrivilege {
  readonly resource: { readonly db: string; readonly collection: string };
  readonly actions: readonly string[];
}

const iterations = 15_000;
const saltBytes = 16;
const hashBytes = 32;

/** Replaced at once: the store never reads a half of it. */
export async function writeStoreUsers(path: string, users: readonly StoreUser[]): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify({ users: users.map(renderUser) }, null, 1)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

function renderUser({ user, password, privileges }: StoreUser): object {
  if (!/^[\x21-\x7e]+$/.test(password)) throw new Error(`the password of ${user} is not visible ASCII`);
  const salt = randomBytes(saltBytes);
  const salted = pbkdf2Sync(password, salt, iterations, hashBytes, "sha256");
  const [clientKey, serverKey] = ["Client Key", "Server Key"].map((text) => createHmac("sha256", salted).update(text).digest());
  const storedKey = createHash("sha256").update(clientKey!).digest();
  const encoded = { salt, storedKey, serverKey: serverKey! };
  const keys = Object.fromEntries(Object.entries(encoded).map(([name, bytes]) => [name, bytes.toString("base64")]));
  return { user, isRoot: privileges === null, iterations, ...keys, privileges: privileges ?? [] };
}
