// Profiles of consoles: a name for an address, the file with the operator's token or the provider at which the operator
// signs in, and the file with its authorities.
//
// #1 No token is in the file of profiles: it names the file that has it, which is read at each call.
// #2 A profile is used only if --profile or SLUICE_PROFILE names it. So nothing reaches another system by a setting
//    that somebody has forgotten.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Fault } from "@sluice/kernel";

export interface Profile {
  readonly name: string;
  readonly url: string;
  /** Null: the operator signs in (`signIn`). */
  readonly tokenFile: string | null;
  /** The provider of sign-ins; null: there is a file with a token. */
  readonly signIn: { readonly issuer: string; readonly clientId: string; readonly audience: string } | null;
  /** PEM file of authorities; null: those of the machine. */
  readonly caFile: string | null;
}

const profilesMax = 100;
const nameForm = /^[a-z0-9][a-z0-9-]{0,31}$/;

export function profilesPath(environment: Readonly<Record<string, string | undefined>>): string {
  const given = environment["XDG_CONFIG_HOME"] ?? "";
  return join(given === "" ? join(homedir(), ".config") : given, "sluice", "profiles.json");
}

/** The profiles in the order of their names; none if there is no file. */
export function readProfiles(path: string): readonly Profile[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  const value: unknown = parseJson(text);
  const rows = typeof value === "object" && value !== null && "profiles" in value && Array.isArray(value.profiles) ? value.profiles : null;
  if (rows === null) throw new Fault("cli.unfit-file", `${path} is not a file of profiles`, { isRetryable: false });
  return rows.flatMap(toProfile).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Throws Fault `cli.no-profile`, which names the profiles that there are. */
export function requireProfile(path: string, name: string): Profile {
  const profiles = readProfiles(path);
  const found = profiles.find((profile) => profile.name === name);
  if (found !== undefined) return found;
  const known = profiles.length === 0 ? "there is none" : `there are ${profiles.map((profile) => profile.name).join(", ")}`;
  throw new Fault("cli.no-profile", `there is no profile ${name}; ${known} (./sluice profile add)`, { isRetryable: false });
}

/** Adds a profile, or replaces the one with its name. */
export function addProfile(path: string, profile: Profile): void {
  if (!nameForm.test(profile.name))
    throw new Fault("cli.wrong-use", `${profile.name} is no name of a profile (a-z, 0-9 and -)`, { isRetryable: false });
  const others = readProfiles(path).filter(({ name }) => name !== profile.name);
  if (others.length >= profilesMax) throw new Fault("cli.wrong-use", `there are ${profilesMax} profiles already`, { isRetryable: false });
  writeProfiles(path, [...others, profile]);
}

export function removeProfile(path: string, name: string): void {
  requireProfile(path, name);
  writeProfiles(
    path,
    readProfiles(path).filter((profile) => profile.name !== name),
  );
}

/** #1 Throws Fault `cli.no-token`. */
export function readProfileToken({ name, tokenFile }: Profile): string {
  try {
    if (tokenFile === null) throw new Error("it has none");
    const token = readFileSync(tokenFile, "utf8").trim();
    if (token !== "") return token;
  } catch {
    // Said below, as an empty file is.
  }
  throw new Fault("cli.no-token", `the token of profile ${name} cannot be read from ${tokenFile}`, { isRetryable: false });
}

/** Only its owner may read it, because it says where tokens are. */
function writeProfiles(path: string, profiles: readonly Profile[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, `${JSON.stringify({ schema: "Profiles", profiles }, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toProfile(row: unknown): readonly Profile[] {
  if (typeof row !== "object" || row === null || !("name" in row) || !("url" in row) || !("tokenFile" in row)) return [];
  const tokenFile = typeof row.tokenFile === "string" ? row.tokenFile : null;
  const signIn = "signIn" in row ? readProvider(row.signIn) : null;
  const caFile = "caFile" in row && typeof row.caFile === "string" ? row.caFile : null;
  return [{ name: String(row.name), url: String(row.url), tokenFile, signIn, caFile }];
}

function readProvider(given: unknown): Profile["signIn"] {
  if (typeof given !== "object" || given === null || !("issuer" in given) || !("clientId" in given) || !("audience" in given)) return null;
  return { issuer: String(given.issuer), clientId: String(given.clientId), audience: String(given.audience) };
}
