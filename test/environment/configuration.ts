// Renders the configuration file of a test environment: simulated banks, a connector, and a calendar in which every
// date is a working day. The file is JSON, which is also valid YAML.

import { createHash } from "node:crypto";

export interface PartyAccess {
  readonly id: string;
  readonly url: string;
  /** Tokens that the party sends to Sluice; two of them while one replaces the other. */
  readonly tokens: readonly string[];
  /** Token that Sluice sends to the party. */
  readonly sluiceToken: string;
}

export interface EnvironmentBankAccess extends PartyAccess {
  readonly branch: string;
  /** Members of the bank in the file; they are added to the usual ones or replace them. */
  readonly members: Readonly<Record<string, unknown>>;
}

export interface EnvironmentDay {
  readonly zone: string;
  readonly creditsFinal: "clock" | "connector" | "bank";
  /** Number of this version of the day's times, from 1. */
  readonly version: number;
  /** Windows in local time, such as `08:00`. */
  readonly windows: readonly { readonly opens: string; readonly closes: string }[];
  /** Close of the day in local time. */
  readonly reconciliation: string;
  /** What becomes of held debits whose window was missed; `reconcile` by default. */
  readonly onMissedWindow?: "reconcile" | "carry-over";
}

/** A person who may read or decide through the control API. */
export interface EnvironmentOperator {
  readonly id: string;
  readonly roles: readonly ("read" | "act" | "approve")[];
  readonly token: string;
}

/** The shortest deadline that the configuration admits. */
const shortDeadline = "10s";

/** Renders the file. If there are operators, a resolution needs two of them, and what `secondPerson` names. */
export function renderConfiguration(
  day: EnvironmentDay,
  banks: readonly EnvironmentBankAccess[],
  connector: PartyAccess,
  operators: readonly EnvironmentOperator[] = [],
  secondPerson: readonly string[] = [],
): string {
  const calendar = "test";
  return JSON.stringify({
    version: `test-${day.version}`,
    calendars: { [calendar]: { version: `test/${day.version}`, zone: day.zone, workingDays: [1, 2, 3, 4, 5, 6, 7] } },
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
    secondPerson: { actions: secondPerson },
  });
}

/** Builds the environment variables that the file refers to, with their values. */
export function buildReferences(parties: readonly PartyAccess[]): Readonly<Record<string, string>> {
  return Object.fromEntries(parties.map((party) => [tokenVariable(party), party.sluiceToken]));
}

function partyMembers(party: PartyAccess): Readonly<Record<string, unknown>> {
  return {
    id: party.id,
    name: `Party ${party.id}`,
    tokenSha256: party.tokens.map(sha256),
    baseUrl: party.url,
    allowedAddresses: ["127.0.0.0/8"],
    bearerToken: `\${${tokenVariable(party)}}`,
    answerTimeout: "1s",
    requestsPerSecond: 100_000,
    inboundConnections: 4_096,
  };
}

function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function tokenVariable({ id }: PartyAccess): string {
  return `PARTY_${id.toUpperCase()}_TOKEN`;
}
