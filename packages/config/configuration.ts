// The configuration as services see it: banks, connectors, schemes, calendars, windows. `file/read-configuration.ts`
// reads it from YAML; `${NAME}` in a string is taken from the environment, so that the file holds no addresses and no
// secrets.

import type { SchemeTimes } from "@sluice/calendar";
import type { DeliveryOperation, SecondPersonAction } from "@sluice/domain";
import type { SchemeId } from "@sluice/domain/schemes";
import type { CertificateBinding, HeldToken, MessageKey, SignInProvider, TokenClient, TokenIssuer } from "@sluice/kernel";
import type { SchemeAccountRule } from "./file/scheme-defaults.ts";

/** A bank or a connector: it calls Sluice and is called by it. Ids are unique among both. */
export interface ConfiguredParty {
  /** Configured id, [a-z0-9-]{1,32}. */
  readonly id: string;
  readonly name: string;
  /** The bearer tokens with which it may call. */
  readonly tokens: readonly HeldToken[];
  /** The client certificates of which a call needs one, besides a token; null: it needs none. */
  readonly certificates: readonly CertificateBinding[] | null;
  /** The clients of `tokenIssuers` whose access tokens it may use instead of a bearer token of its own. */
  readonly clients: readonly TokenClient[];
  /** Requests per second that it may send; further ones get 429. */
  readonly requestsPerSecond: number;
  /** Connections that it may hold open; requests on a further one get 429. */
  readonly inboundConnections: number;
  /** Base address for deliveries, without a trailing slash. Operations add their path. */
  readonly baseUrl: string;
  /** Addresses of single operations where they differ. */
  readonly operationUrls: Readonly<Partial<Record<DeliveryOperation, string>>>;
  /** Bearer token that Sluice sends; null for none. */
  readonly bearerToken: string | null;
  readonly answerTimeoutMs: number;
  /** 2xx codes that acknowledge a message as 202 does. */
  readonly acknowledgeCodes: readonly number[];
  /** Codes that mean "seen before" on an attempt that may not be the first. */
  readonly duplicateCodes: readonly number[];
  /** Connections to each of its addresses. */
  readonly connections: number;
  /** With `learnt`, its answers decide how many of the connections are used. */
  readonly concurrency: "learnt" | "fixed";
  /**
   * CIDR blocks and single addresses at which it may be reached besides public ones, such as private or loopback
   * addresses.
   */
  readonly allowedAddresses: readonly string[];
  /** PEM file of the authorities that must have issued its certificate; null for the public ones. */
  readonly caFile: string | null;
  readonly clientCertificate: ClientCertificate | null;
  /** File with the bearer token, in place of `bearerToken`; read again when it changes. */
  readonly bearerTokenFile: string | null;
  /** How Sluice gets access tokens for it, in place of a bearer token; null: it gets none. */
  readonly accessToken: ConfiguredAccessToken | null;
  /** Keys that all sign every message; several while one replaces another. */
  readonly signingKeys: readonly SigningKey[];
  /** Signatures of messages in both directions (RFC 9421); null: none. */
  readonly messageSignatures: MessageSignatures | null;
  /** Address of the HTTP proxy for every connection to it; null for none. */
  readonly egressProxy: string | null;
  /** File with `user:password` for that proxy; read again when it changes. Null where it asks for none. */
  readonly egressProxyCredentialsFile: string | null;
}

export interface MessageSignatures {
  /** Its public keys, one of which must have signed each of its messages; null: it need not sign. */
  readonly keys: readonly MessageKey[] | null;
  /** Our key that signs what we send to it; null: none does. */
  readonly deliveries: OwnSigningKey | null;
  /** Our key that signs the 202 to each of its messages; null: none does. */
  readonly receipts: OwnSigningKey | null;
}

export interface OwnSigningKey {
  /** PEM file of the private key, read again when it changes. */
  readonly keyFile: string;
  /** Name of the key in signatures; null: its thumbprint. */
  readonly keyId: string | null;
}

/** An authorization server that gives Sluice access tokens, for client credentials. */
export interface ConfiguredAccessToken {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string | null;
  /** PEM file of the key that signs what proves us to the server; null: our client certificate does. */
  readonly keyFile: string | null;
  /** Name of that key, as the server knows it. */
  readonly keyId: string | null;
  /** What the server calls itself in that; null: its address. */
  readonly audience: string | null;
}

/** PEM files, read again when they change. */
export interface ClientCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * A signing key: either a secret, or a file with one or more secrets, one a line. `whsec_…` is symmetric, `whsk_…` is
 * ed25519.
 */
export interface SigningKey {
  readonly kind: "symmetric" | "ed25519";
  readonly secret: string | null;
  readonly secretFile: string | null;
}

export interface Bank extends ConfiguredParty {
  /** Agents of messages that belong to the bank. */
  readonly agents: readonly BankAgent[];
  /** Base address for event postings; null if the bank receives none. */
  readonly eventsUrl: string | null;
  /** Most debits that are released and not yet acknowledged, over all partitions. */
  readonly maxUnacknowledged: number;
  readonly eventDeadlineMs: number;
  readonly eventShape: "full" | "sample";
  readonly eventClasses: readonly EventClass[];
  readonly eventPayload: "full" | "masked" | "none";
  /** Whether the initiating side gets a report (ACSC or RJCT) when an on-us debit ends. */
  readonly onUsOutcomeReport: boolean;
  readonly onNonWorkingDay: "refuse" | "next";
  /** Whether every debit and credit to it is refused (AG01). */
  readonly isBlocked: boolean;
  /** Accounts for which payments are refused (AG01). */
  readonly blockedAccounts: readonly BlockedAccount[];
  /** Largest amount of one payment, by scheme and currency (AM14); none by default. */
  readonly itemLimits: readonly ItemLimit[];
  /** Day totals above which the console raises an alarm, but refuses nothing; none by default. */
  readonly dayTotalAlarms: readonly ItemLimit[];
}

export type EventClass = "TRANSACTION_STATE" | "ESM_STATE";

export interface BlockedAccount {
  /** Branch of the account; null for any branch. */
  readonly branch: string | null;
  readonly account: string;
}

export interface ItemLimit {
  readonly scheme: string;
  readonly currency: string;
  /** The amount × 10,000 as an integer, so that no floating-point number is involved. */
  readonly amountTenThousandths: bigint;
}

export interface Connector extends ConfiguredParty {
  /** Schemes to which it connects. */
  readonly schemes: readonly string[];
}

export interface BankAgent {
  readonly memberId: string | null;
  readonly bicfi: string | null;
  readonly branchRanges: readonly (readonly [string, string])[];
}

export interface Scheme {
  readonly id: SchemeId;
  readonly currencies: readonly string[];
  /** Times of its business days. If `takesDebits` is false only the calendar counts, because no day is planned. */
  readonly times: SchemeTimes;
  readonly takesDebits: boolean;
  /** The side that declares the credits of a day final. */
  readonly creditsFinal: "clock" | "connector" | "bank";
  /** Milliseconds after receipt within which a credit must be delivered and reported on. */
  readonly creditDeadlineMs: number;
  /** Rule for account numbers of the schema GENERIC. */
  readonly accountRule: SchemeAccountRule;
  /** Largest amount of one payment by currency, for every bank (AM14). */
  readonly itemLimits: readonly ItemLimit[];
  /**
   * Treatment of debits still HELD at the last processing close: `reconcile` makes them items, `carry-over` moves them
   * to the next business day.
   */
  readonly onMissedWindow: "reconcile" | "carry-over";
  /** Most times that a debit is carried over. */
  readonly carryOversMax: number;
}

export const operatorRoles = ["read", "act", "approve"] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** A person, or a person's program, that uses the console. */
export interface ConfiguredOperator {
  /** Configured id, [a-z0-9-]{1,32}, unique among operators, banks and connectors. Actions are recorded under it. */
  readonly id: string;
  readonly name: string;
  /** The person behind the tokens: two operators with the same person count as one. By default it is the id. */
  readonly person: string;
  /** No other caller has one of these bearer tokens. */
  readonly tokens: readonly HeldToken[];
  /** The client certificates of which a call needs one, besides a token; null: it needs none. */
  readonly certificates: readonly CertificateBinding[] | null;
  /** At least one. */
  readonly roles: readonly OperatorRole[];
  /** `sub` of the person at `operatorSignIn`; null: the operator does not sign in there. */
  readonly subject: string | null;
  /** The one bank of which the operator may see something; null: an operator of Sluice, who may see every bank. */
  readonly bank: string | null;
  /** The schemes whose days and transactions the operator may see and decide about; null: every scheme. */
  readonly schemes: readonly string[] | null;
}

export interface Configuration {
  /** Text from the file, or the first 12 hex digits of the file's SHA-256. */
  readonly version: string;
  /** The first 12 hex digits of the file's SHA-256. */
  readonly hash: string;
  /** Name of the environment, which people see in the console; null: none was given. */
  readonly environment: string | null;
  readonly banks: readonly Bank[];
  readonly connectors: readonly Connector[];
  readonly schemes: readonly Scheme[];
  readonly cdv: { readonly refuseOn: "high" | "medium" };
  /** Folder of imported rule data (`./sluice rules import`); null for the shipped rules alone. */
  readonly rulesFolder: string | null;
  readonly operators: readonly ConfiguredOperator[];
  /** The authorization servers whose access tokens count. */
  readonly tokenIssuers: readonly TokenIssuer[];
  /** Where operators sign in to the pages; null: with their tokens alone. */
  readonly operatorSignIn: SignInProvider | null;
  /** Whether a person's resolution of a reconciliation item counts only once another person confirms it. */
  readonly resolutionNeedsSecondPerson: boolean;
  /** Which other decisions take effect only once another person confirms them. */
  readonly secondPerson: ConfiguredSecondPerson;
  /** What signs operators' records, and from when on they count only with a signature; null: they need none. */
  readonly operatorSignatures: ConfiguredOperatorSignatures | null;
  /** Whether personal data of new messages is sealed before it is stored anywhere. */
  readonly sealPersonalData: boolean;
  /** Number of partitions of every topic but the probe's; fixed when the topics are created. */
  readonly partitionCount: number;
  /** What topics are created with. */
  readonly topics: ConfiguredTopics;
}

export interface ConfiguredOperatorSignatures {
  /** Epoch milliseconds of the broker. Records from before are judged as they were then. */
  readonly requiredFromMs: number;
  /** Public keys of consoles. One that has ended stays here, because older records are judged by it. */
  readonly keys: readonly MessageKey[];
}

export interface ConfiguredSecondPerson {
  readonly actions: readonly SecondPersonAction[];
  /** Milliseconds within which a proposed decision can be confirmed. */
  readonly proposalLifetimeMs: number;
}

export interface ConfiguredTopics {
  readonly replication: number;
  /** Replicas that must have a record before it is acknowledged. */
  readonly minInsync: number;
  /** Milliseconds. Journal, transactions and proposals are kept for ever: they rebuild or prove everything. */
  readonly retentionMs: {
    readonly dispatch: number;
    readonly events: number;
    readonly analytics: number;
    readonly receipts: number;
    readonly deadLetters: number;
  };
}

/** Lists the banks and connectors, which call Sluice and are called by it. */
export function listParties(configuration: Configuration): readonly ConfiguredParty[] {
  return [...configuration.banks, ...configuration.connectors];
}
