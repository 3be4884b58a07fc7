// The one configuration file as the services see it: banks, scheme connectors, schemes, calendars, windows. Read by `read-configuration.ts`
// from YAML; `${NAME}` in a string is taken from the environment (addresses and secrets never stand in the file).

import type { SchemeTimes } from "@sluice/calendar";
import type { DeliveryOperation } from "@sluice/domain";

/** Whoever calls Sluice and is called by it: a bank, or a scheme connector. Ids are unique among both. */
export interface Party {
  /** Configured id, [a-z0-9-]{1,32}. */
  readonly id: string;
  readonly name: string;
  /** SHA-256, hex, of each bearer token that it may call with. */
  readonly tokenSha256: readonly string[];
  /** Requests a second that it may send; beyond that 429. */
  readonly requestsPerSecond: number;
  /** Connections that it may hold open; on a further one 429. */
  readonly inboundConnections: number;
  /** Base address for deliveries, without a trailing slash; operations add their path. */
  readonly baseUrl: string;
  /** Addresses of single operations where they differ. */
  readonly operationUrls: Readonly<Partial<Record<DeliveryOperation, string>>>;
  /** Bearer token that Sluice calls with; null: none. */
  readonly bearerToken: string | null;
  readonly answerTimeoutMs: number;
  /** 2xx codes that acknowledge a message as 202 does. */
  readonly acknowledgeCodes: readonly number[];
  /** Codes that mean "seen before" on an attempt that may not be the first. */
  readonly duplicateCodes: readonly number[];
  /** Connections to each of its addresses. */
  readonly connections: number;
  /** `learnt`: how many of them are used follows from its answers. */
  readonly concurrency: "learnt" | "fixed";
  /** CIDR blocks, and single addresses, beside public ones that it may be reached at: private, loopback and the like only if listed. */
  readonly allowedAddresses: readonly string[];
  /** PEM of the authorities that its certificate must come from, in place of the public ones; null: those. */
  readonly caFile: string | null;
  readonly clientCertificate: ClientCertificate | null;
  /** Holds the bearer token, in place of `bearerToken`; read anew when it changes. */
  readonly bearerTokenFile: string | null;
  /** Every message is signed with each of them; several while one replaces another. */
  readonly signingKeys: readonly SigningKey[];
  /** Address of the HTTP proxy that every connection to it goes through; null: none. */
  readonly egressProxy: string | null;
}

/** PEM files; read anew when they change. */
export interface ClientCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Either the secret is given or a file that holds it, or several, one a line: `whsec_…` (symmetric), `whsk_…` (ed25519). */
export interface SigningKey {
  readonly kind: "symmetric" | "ed25519";
  readonly secret: string | null;
  readonly secretFile: string | null;
}

export interface Bank extends Party {
  /** Agents that the bank stands for. */
  readonly agents: readonly BankAgent[];
  /** Base address for event postings; null: the bank receives none. */
  readonly eventsUrl: string | null;
  /** Debits released and not yet acknowledged, over all lanes. */
  readonly maxUnacknowledged: number;
  readonly eventDeadlineMs: number;
  readonly eventShape: "full" | "sample";
  readonly eventClasses: readonly EventClass[];
  readonly eventPayload: "full" | "masked" | "none";
  /** The initiating side is told ACSC or RJCT when an on-us debit ends. */
  readonly onUsOutcomeReport: boolean;
  readonly onNonWorkingDay: "refuse" | "next";
  /** Every debit and credit to it is refused (AG01). */
  readonly isBlocked: boolean;
  /** Accounts that are refused (AG01). */
  readonly blockedAccounts: readonly BlockedAccount[];
  /** Largest item by scheme and currency (AM14); none by default. */
  readonly itemLimits: readonly ItemLimit[];
  /** A day's total beyond which the console raises an alarm; never a refusal. None by default. */
  readonly dayTotalAlarms: readonly ItemLimit[];
}

export type EventClass = "TRANSACTION_STATE" | "ESM_STATE";

export interface BlockedAccount {
  /** Null: whatever the branch. */
  readonly branch: string | null;
  readonly account: string;
}

export interface ItemLimit {
  readonly scheme: string;
  readonly currency: string;
  /** × 10,000, so that no double touches it. */
  readonly amountTenThousandths: bigint;
}

export interface Connector extends Party {
  /** Schemes that it speaks for. */
  readonly schemes: readonly string[];
}

export interface BankAgent {
  readonly memberId: string | null;
  readonly bicfi: string | null;
  readonly branchRanges: readonly (readonly [string, string])[];
}

export const schemeIds = ["ZA_EFT", "ZA_RTC", "ZA_RPP"] as const;

export interface Scheme {
  /** One of `schemeIds`. */
  readonly id: string;
  readonly currencies: readonly string[];
  /** Where `takesDebits` is false only the calendar counts: no day is planned. */
  readonly times: SchemeTimes;
  readonly takesDebits: boolean;
  /** Who declares the credits of a day final. */
  readonly creditsFinal: "clock" | "connector" | "bank";
  /** How long after receipt a credit must have been delivered and reported on. */
  readonly creditDeadlineMs: number;
  /** Rule for account numbers of the schema GENERIC. */
  readonly accountRule: "za-cdv" | "uk-modulus" | "none";
  /** Largest item by currency, whatever the bank (AM14). */
  readonly itemLimits: readonly ItemLimit[];
  /** What becomes of a debit still HELD at the last processing close: an item at the reconciliation close, or the next business date. */
  readonly onMissedWindow: "reconcile" | "roll";
  /** How many times a debit may roll. */
  readonly maxRolls: number;
}

export const operatorRoles = ["read", "act", "approve"] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** A person, or a person's program, at the console. */
export interface Operator {
  /** Configured id, [a-z0-9-]{1,32}, unique among operators, banks and connectors: it is the "who" of an action. */
  readonly id: string;
  readonly name: string;
  /** SHA-256, hex, of each bearer token; shared with nobody. */
  readonly tokenSha256: readonly string[];
  /** At least one. */
  readonly roles: readonly OperatorRole[];
}

export interface Configuration {
  /** Text chosen by the operator, or the first 12 hex digits of the file's SHA-256. */
  readonly version: string;
  readonly banks: readonly Bank[];
  readonly connectors: readonly Connector[];
  readonly schemes: readonly Scheme[];
  readonly cdv: { readonly refuseOn: "high" | "medium" };
  /** Folder of imported rule data (`./sluice rules import`); null: what ships alone. */
  readonly rulesFolder: string | null;
  readonly operators: readonly Operator[];
  /** A person's resolution of a reconciliation item counts once another person confirms it. */
  readonly resolutionNeedsSecondPerson: boolean;
}

/** Banks and connectors: who may call, and who is called. */
export function partiesOf(configuration: Configuration): readonly Party[] {
  return [...configuration.banks, ...configuration.connectors];
}
