// The one configuration file as the services see it: banks, schemes, calendars, windows. Read by `read-configuration.ts`
// from YAML; `${NAME}` in a string is taken from the environment (addresses and secrets never stand in the file).

import type { SchemeTimes } from "@sluice/calendar";

export interface Bank {
  /** Configured id, [a-z0-9-]{1,32}. */
  readonly id: string;
  readonly name: string;
  /** Agents that the bank stands for. */
  readonly agents: readonly BankAgent[];
  /** SHA-256, hex, of each bearer token that the bank may call with. */
  readonly tokenSha256: readonly string[];
  /** Base address for deliveries, without a trailing slash; operations add their path. */
  readonly baseUrl: string;
  /** Addresses of single operations where they differ, by operation name. */
  readonly operationUrls: Readonly<Partial<Record<"outboundDirectDebitResponse" | "inboundDirectDebit", string>>>;
  /** Base address for event postings; null: the bank receives none. */
  readonly eventsUrl: string | null;
  /** Bearer token that Sluice calls with; null: none. */
  readonly bearerToken: string | null;
  readonly answerTimeoutMs: number;
  /** Codes that mean "seen before" on an attempt that may not be the first. */
  readonly duplicateCodes: readonly number[];
  /** Debits released and not yet acknowledged, over all lanes. */
  readonly maxUnacknowledged: number;
  /** Connections to each of the bank's addresses. */
  readonly connections: number;
  readonly eventDeadlineMs: number;
  readonly eventShape: "full" | "sample";
  readonly onNonWorkingDay: "refuse" | "next";
  readonly isBlocked: boolean;
}

export interface BankAgent {
  readonly memberId: string | null;
  readonly bicfi: string | null;
  readonly branchRanges: readonly (readonly [string, string])[];
}

export interface Scheme {
  /** ZA_EFT. */
  readonly id: string;
  readonly currencies: readonly string[];
  readonly times: SchemeTimes;
  readonly creditsFinal: "clock";
}

export interface Configuration {
  /** Text chosen by the operator, or the first 12 hex digits of the file's SHA-256. */
  readonly version: string;
  readonly banks: readonly Bank[];
  readonly schemes: readonly Scheme[];
  readonly cdv: { readonly refuseOn: "high" | "medium" };
}
