// The local store as a bank runs its own: it asks for a login and for rights, and speaks TLS. In memory or kept; kept
// data is that of the plain store, which has no users, so it can be started on either way.

import { join } from "node:path";
import { mongoKind } from "./mongo-server.ts";
import type { ServerKind } from "./server-kind.ts";
import { type StoreUser, writeStoreUsers } from "./store-users.ts";

export interface SecuredMongoOptions {
  readonly users: readonly StoreUser[];
  /** Files of the certificate for 127.0.0.1 and its key, and the authority; null: users only, without TLS. */
  readonly tls: { readonly certificateFile: string; readonly keyFile: string; readonly authorityPem: string } | null;
}

/** The file of users in a server's directory: one that replaces it changes rights at once. */
export function storeUsersFile(directory: string): string {
  return join(directory, "mongo", "users.json");
}

export function securedMongo({ users, tls }: SecuredMongoOptions): ServerKind {
  return mongoKind(async (directory) => {
    const file = storeUsersFile(directory);
    await writeStoreUsers(file, users);
    const speaksTls = tls === null ? [] : [`-Dsluice.certificate=${tls.certificateFile}`, `-Dsluice.key=${tls.keyFile}`];
    return { properties: [`-Dsluice.users=${file}`, ...speaksTls], authorityPem: tls?.authorityPem ?? null };
  });
}
