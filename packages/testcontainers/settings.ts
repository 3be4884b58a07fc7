// What an environment is made of, and the configuration file that follows from it. Pure: the clock's start, tokens and
// the name under which a container reaches this machine are arguments.
//
// #1 Every date is a working day, and it is about noon at the clock's start, so that a suite runs on any day, at any
//    hour, and within one date.
// #2 The file holds no secret. Tokens and signing secrets are variables of the environment.

import { createHash } from "node:crypto";
import { type Duration, durationMs } from "./duration.ts";

export interface TestBank {
  /** Where the bank listens, without a trailing slash: in this process, or anywhere else. */
  readonly url: string;
  /** Six digits; the bank's agent in messages. `250655` for the first bank, one more for each further bank. */
  readonly branch?: string;
  /** Token with which the bank calls; drawn where it is not given. */
  readonly token?: string;
  /** Secrets that sign what Sluice sends to it: `whsec_…` or `whsk_…`. */
  readonly signingSecrets?: readonly string[];
  /** False: the bank takes no event postings. */
  readonly takesEvents?: boolean;
  /** Members of the bank in the configuration file; they are added to the usual ones, or replace them. */
  readonly members?: Readonly<Record<string, unknown>>;
}

export interface TestConnector extends Omit<TestBank, "branch" | "takesEvents"> {
  /** `ZA_EFT` and `ZA_RTC` by default. */
  readonly schemes?: readonly string[];
}

export interface WindowOptions {
  /** From the clock's start. */
  readonly opensIn: Duration;
  readonly lasts: Duration;
  /** From the window's close to the reconciliation close; `30s` by default. */
  readonly reconcilesAfter?: Duration;
}

export interface Party {
  readonly id: string;
  readonly kind: "bank" | "connector";
  readonly url: string;
  /** Null for a connector. */
  readonly branch: string | null;
  /** Token with which it calls Sluice, and the one with which Sluice calls it. */
  readonly token: string;
  readonly sluiceToken: string;
  readonly signingSecrets: readonly string[];
  readonly takesEvents: boolean;
  readonly members: Readonly<Record<string, unknown>>;
}

export interface EnvironmentSettings {
  readonly parties: readonly Party[];
  readonly window: WindowOptions;
  readonly startAtMs: number;
  readonly operatorToken: string;
  /** Members of the configuration file; they replace those that are made here. */
  readonly members: Readonly<Record<string, unknown>>;
}

export interface RenderedSettings {
  readonly configuration: string;
  /** The variables that the file refers to. */
  readonly variables: Readonly<Record<string, string>>;
}

const operatorId = "test";
export const windowDefault: WindowOptions = { opensIn: "1h", lasts: "1h", reconcilesAfter: "30m" };
const reconcilesAfterDefault = "30s";
const firstBranch = 250_655;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const calendar = "every-day";
/** Private and loopback addresses: where a test's bank is. */
const addressesOfTests = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7"];

export function branchOf(index: number): string {
  return String(firstBranch + index);
}

/** #1: an offset in whole hours in which it is about noon. */
export function noonZone(atMs: number): string {
  const hours = Math.round(12 - (atMs % dayMs) / hourMs);
  return `${hours < 0 ? "-" : "+"}${String(Math.abs(hours)).padStart(2, "0")}:00`;
}

function local(zone: string, atMs: number): Date {
  return new Date(atMs + Number(zone.slice(0, 3)) * hourMs);
}

/** The date in that zone as YYYY-MM-DD. */
export function dateIn(zone: string, atMs: number): string {
  return local(zone, atMs).toISOString().slice(0, 10);
}

function timeIn(zone: string, atMs: number): string {
  return local(zone, atMs).toISOString().slice(11, 19);
}

/** Renders the configuration file, with addresses as `reach` gives them. */
export function renderSettings(settings: EnvironmentSettings, reach: (url: string) => string): RenderedSettings {
  const { parties, startAtMs } = settings;
  const zone = noonZone(startAtMs);
  const configuration = {
    version: "test",
    partitionCount: 3,
    calendars: { [calendar]: { version: `${calendar}/1`, zone, workingDays: [1, 2, 3, 4, 5, 6, 7] } },
    schemes: [
      { id: "ZA_EFT", calendar, creditsFinal: "clock", creditDeadline: "1h", cutOff: "1s", ...renderDay(settings, zone) },
      { id: "ZA_RTC", calendar, creditDeadline: "1h" },
    ],
    banks: parties.filter(({ kind }) => kind === "bank").map((party) => renderParty(party, reach)),
    connectors: parties.filter(({ kind }) => kind === "connector").map((party) => renderParty(party, reach)),
    operators: [{ id: operatorId, name: "Test", roles: ["read", "act", "approve"], tokenSha256: [sha256(settings.operatorToken)] }],
    ...settings.members,
  };
  const variables = parties.flatMap((party) => [
    [tokenVariable(party), party.sluiceToken],
    ...party.signingSecrets.map((secret, index) => [secretVariable(party, index), secret]),
  ]);
  return { configuration: JSON.stringify(configuration, null, 1), variables: Object.fromEntries(variables) };
}

function renderDay({ window, startAtMs }: EnvironmentSettings, zone: string) {
  const opensAtMs = startAtMs + durationMs(window.opensIn);
  const closesAtMs = opensAtMs + durationMs(window.lasts);
  const reconcilesAtMs = closesAtMs + durationMs(window.reconcilesAfter ?? reconcilesAfterDefault);
  if (dateIn(zone, startAtMs) !== dateIn(zone, reconcilesAtMs)) throw new Error("the window and its close must lie within one date");
  return {
    processing: [{ opens: timeIn(zone, opensAtMs), closes: timeIn(zone, closesAtMs) }],
    reconciliation: timeIn(zone, reconcilesAtMs),
  };
}

/** #2 */
function renderParty(party: Party, reach: (url: string) => string): Readonly<Record<string, unknown>> {
  const { id, branch, token, members, signingSecrets } = party;
  return {
    id,
    name: `Party ${id}`,
    ...(branch === null ? {} : { agents: [{ memberId: branch, branchRanges: [[branch, branch]] }] }),
    tokenSha256: [sha256(token)],
    baseUrl: reach(party.url),
    ...(party.takesEvents ? { eventsUrl: reach(party.url) } : {}),
    allowedAddresses: addressesOfTests,
    bearerToken: `\${${tokenVariable(party)}}`,
    answerTimeout: "2s",
    requestsPerSecond: 100_000,
    inboundConnections: 1_024,
    signingKeys: signingSecrets.map((secret, index) => ({
      kind: secret.startsWith("whsec_") ? "symmetric" : "ed25519",
      secret: `\${${secretVariable(party, index)}}`,
    })),
    ...members,
  };
}

function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function tokenVariable({ id }: Party): string {
  return `PARTY_${id.toUpperCase().replaceAll("-", "_")}_TOKEN`;
}

function secretVariable({ id }: Party, index: number): string {
  return `PARTY_${id.toUpperCase().replaceAll("-", "_")}_SECRET_${index}`;
}
