// The configuration file of a world: simulated banks and a connector, a day in which every date works. It is JSON, which is YAML too.

import { createHash } from "node:crypto";

export interface PartyAccess {
  readonly id: string;
  readonly url: string;
  /** What it calls with; two while one replaces the other. */
  readonly tokens: readonly string[];
  /** What it is called with. */
  readonly sluiceToken: string;
}

export interface BankInWorld extends PartyAccess {
  readonly branch: string;
  /** Members of the bank in the file, beside or in place of the usual ones. */
  readonly members: Readonly<Record<string, unknown>>;
}

export interface DayInWorld {
  readonly zone: string;
  readonly creditsFinal: "clock" | "connector" | "bank";
  /** Counts the versions of the day's times. */
  readonly version: number;
  /** Local times. */
  readonly windows: readonly { readonly opens: string; readonly closes: string }[];
  /** Local time. */
  readonly reconciliation: string;
  /** Not given: reconcile. */
  readonly onMissedWindow?: "reconcile" | "roll";
}

/** People who may look and decide. */
export interface OperatorInWorld {
  readonly id: string;
  readonly roles: readonly ("read" | "act" | "approve")[];
  readonly token: string;
}

/** The shortest that can be configured. */
const shortDeadline = "10s";

/** Where there are operators, a resolution needs two of them. */
export function worldConfiguration(
  day: DayInWorld,
  banks: readonly BankInWorld[],
  connector: PartyAccess,
  operators: readonly OperatorInWorld[] = [],
): string {
  const calendar = "world";
  return JSON.stringify({
    version: `world-${day.version}`,
    calendars: { [calendar]: { version: `world/${day.version}`, zone: day.zone, workingDays: [1, 2, 3, 4, 5, 6, 7] } },
    schemes: [
      {
        id: "ZA_EFT",
        calendar,
        processing: day.windows,
        reconciliation: day.reconciliation,
        cutOff: "1s",
        creditsFinal: day.creditsFinal,
        creditDeadline: "1h",
        ...(day.onMissedWindow === undefined ? {} : { onMissedWindow: day.onMissedWindow }),
      },
      { id: "ZA_RTC", calendar, creditDeadline: shortDeadline },
    ],
    banks: banks.map((bank) => ({
      ...partyMembers(bank),
      agents: [{ memberId: bank.branch, branchRanges: [[bank.branch, bank.branch]] }],
      eventsUrl: bank.url,
      ...bank.members,
    })),
    connectors: [{ ...partyMembers(connector), schemes: ["ZA_EFT", "ZA_RTC"] }],
    operators: operators.map(({ id, roles, token }) => ({ id, name: `Operator ${id}`, roles, tokenSha256: [sha256(token)] })),
    resolutionNeedsSecondPerson: operators.length > 0,
  });
}

/** What the file refers to. */
export function referencesOf(parties: readonly PartyAccess[]): Readonly<Record<string, string>> {
  return Object.fromEntries(parties.map((party) => [variableOf(party), party.sluiceToken]));
}

function partyMembers(party: PartyAccess): Readonly<Record<string, unknown>> {
  return {
    id: party.id,
    name: `Party ${party.id}`,
    tokenSha256: party.tokens.map(sha256),
    baseUrl: party.url,
    allowedAddresses: ["127.0.0.0/8"],
    bearerToken: `\${${variableOf(party)}}`,
    answerTimeout: "1s",
    requestsPerSecond: 100_000,
    inboundConnections: 4_096,
  };
}

function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function variableOf({ id }: PartyAccess): string {
  return `WORLD_${id.toUpperCase()}_TOKEN`;
}
