// What a profile has while its person is signed in: tokens, and the key that they are bound to, in a file beside the
// profiles that its owner alone can read.
//
// #1 A file that others can read is not used: what is in it may be theirs too.
// #2 One process at a time refreshes. A provider that gives a new refresh token each time takes the second use of an
//    old one for theft, and ends the sign-in.
// #3 A token is refreshed `refreshBeforeMs` before its end, so that it does not end on its way.
// #4 After a logout nothing stays. A refresh under way keeps its tokens only if its sign-in is still the one that is
//    kept, and revokes them otherwise. A logout waits for it, and looks again.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "@sluice/kernel";
import type { Profile } from "../profiles.ts";
import { providerClient, type GivenTokens, type ProviderClientPorts } from "./provider-client.ts";

interface KeptSignIn extends GivenTokens {
  readonly issuer: string;
  readonly keyPem: string;
}

const refreshBeforeMs = 30_000;
/** Milliseconds to wait for another process that refreshes, between two looks, and after which it has died. */
const [lockWaitMs, lockLookMs, lockDeadMs] = [20_000, 100, 30_000];

export function keptSignInPath(profilesFile: string, profile: string): string {
  return join(dirname(profilesFile), `${profile}.sign-in.json`);
}

/** Null: nobody is signed in. */
export function readSignIn(path: string): KeptSignIn | null {
  let text: string;
  try {
    const { mode } = statSync(path);
    // #1
    if ((mode & 0o077) !== 0)
      throw new Fault("cli.unfit-file", `${path} can be read by others: remove it, and sign in again`, { isRetryable: false });
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Fault) throw error;
    return null;
  }
  return toSignIn(text);
}

export function writeSignIn(path: string, kept: KeptSignIn): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(`${path}.new`, { force: true });
  writeFileSync(`${path}.new`, `${JSON.stringify({ schema: "SignIn", ...kept }, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(`${path}.new`, path);
}

/** #4 Forgets first and revokes then. Null: nobody was signed in; else whether the provider took every revocation. */
export async function forgetSignIn(
  path: string,
  ports: Pick<ProviderClientPorts, "nowMs" | "sleep">,
  revoke: (kept: KeptSignIn) => Promise<boolean>,
): Promise<{ readonly isRevoked: boolean } | null> {
  const kept = takeAway(path);
  const taken = kept === null ? null : await revoke(kept);
  await awaitRefresh(`${path}.lock`, ports);
  const late = takeAway(path);
  // A process that died between the two has left its tokens here.
  rmSync(`${path}.new`, { force: true });
  if (late === null) return taken === null ? null : { isRevoked: taken };
  return { isRevoked: (await revoke(late)) && taken !== false };
}

function takeAway(path: string): KeptSignIn | null {
  const kept = readSignIn(path);
  rmSync(path, { force: true });
  return kept;
}

/** A process that refreshes for longer than that has died: it is not waited for any more. */
async function awaitRefresh(lock: string, ports: Pick<ProviderClientPorts, "nowMs" | "sleep">): Promise<void> {
  if (!existsSync(lock)) return;
  await inTurn(lock, ports, () => Promise.resolve()).catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error;
  });
}

/** A token that counts now, and the key for its proofs. Throws Fault `cli.not-signed-in`. */
export async function requireSignIn(
  profile: Profile & { readonly signIn: NonNullable<Profile["signIn"]> },
  profilesFile: string,
  ports: ProviderClientPorts,
): Promise<KeptSignIn> {
  const path = keptSignInPath(profilesFile, profile.name);
  const usable = (): KeptSignIn | null => {
    const kept = requireKept(path, profile);
    return kept.expiresAtMs - ports.nowMs() > refreshBeforeMs ? kept : null;
  };
  return usable() ?? (await inTurn(`${path}.lock`, ports, async () => usable() ?? (await refresh(path, profile, ports))));
}

function requireKept(path: string, { name, signIn }: Profile): KeptSignIn {
  const kept = readSignIn(path);
  if (kept !== null && kept.issuer === signIn?.issuer) return kept;
  throw new Fault("cli.not-signed-in", `nobody is signed in for profile ${name}: ./sluice login ${name}`, { isRetryable: false });
}

/** #3 #4 */
async function refresh(path: string, profile: Parameters<typeof requireSignIn>[0], ports: ProviderClientPorts): Promise<KeptSignIn> {
  const kept = requireKept(path, profile);
  const client = providerClient(ports, profile.signIn, kept.keyPem);
  const given = kept.refreshToken === null ? null : await client.refresh(kept.refreshToken);
  if (readSignIn(path)?.keyPem !== kept.keyPem) {
    if (given !== null) await client.revoke(given);
    return requireKept(path, profile);
  }
  if (given === null) {
    takeAway(path);
    throw new Fault("cli.not-signed-in", `the sign-in of profile ${profile.name} has ended: ./sluice login ${profile.name}`, {
      isRetryable: false,
    });
  }
  const next = { ...kept, ...given };
  writeSignIn(path, next);
  return next;
}

/** #2 */
async function inTurn<T>(lock: string, ports: Pick<ProviderClientPorts, "nowMs" | "sleep">, work: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; !takeLock(lock); waitedMs += lockLookMs) {
    if (waitedMs >= lockWaitMs)
      throw new Fault("cli.busy", `another ./sluice refreshes the sign-in: ${lock} is there`, { isRetryable: true });
    const ageMs = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (ageMs > lockDeadMs) rmSync(lock, { recursive: true, force: true });
    await ports.sleep(lockLookMs);
  }
  try {
    return await work();
  } finally {
    // Another process has removed it where this one slept for long.
    rmSync(lock, { recursive: true, force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock, { mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}

function toSignIn(text: string): KeptSignIn | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return null;
    const { issuer, keyPem, accessToken, expiresAtMs, refreshToken }: Partial<Record<keyof KeptSignIn, unknown>> = value;
    if (typeof issuer !== "string" || typeof keyPem !== "string" || typeof accessToken !== "string" || typeof expiresAtMs !== "number")
      return null;
    return { issuer, keyPem, accessToken, expiresAtMs, refreshToken: typeof refreshToken === "string" ? refreshToken : null };
  } catch {
    return null;
  }
}
