// Builds a valid configuration that a test changes on purpose, so that a test names only what it is about.

import { createHash } from "node:crypto";
import type { SchemeTimes } from "@sluice/calendar";
import type { Bank, Configuration, Connector, ConfiguredOperator, ConfiguredParty, Scheme } from "@sluice/config";
import { defaultScheme, schemes } from "@sluice/domain/schemes";
import { type HeldToken, tokenId } from "@sluice/kernel";

/** The branch of the sample bank and of the builders' messages. */
export const sampleBranch = "250655";

export interface SampleBankOptions extends Partial<Bank> {
  readonly id: string;
  /** The bank's branch code, which is also its member id. */
  readonly branch?: string;
}

/** Returns the token that a sample bank or connector sends. */
export function sampleToken(partyId: string): string {
  return `sample-token-of-${partyId}`;
}

export function sampleBank({ branch = sampleBranch, ...options }: SampleBankOptions): Bank {
  return {
    ...sampleParty(options.id, `Bank ${options.id}`),
    agents: [{ memberId: branch, bicfi: null, branchRanges: [[branch, branch]] }],
    eventsUrl: `http://${options.id}.invalid`,
    maxUnacknowledged: 256,
    eventDeadlineMs: 72 * 3_600_000,
    eventShape: "full",
    eventClasses: ["TRANSACTION_STATE"],
    eventPayload: "full",
    onUsOutcomeReport: false,
    onNonWorkingDay: "refuse",
    isBlocked: false,
    blockedAccounts: [],
    itemLimits: [],
    dayTotalAlarms: [],
    ...options,
  };
}

/** Builds a connector of every scheme. */
export function sampleConnector(options: Partial<Connector> = {}): Connector {
  const { id = "clearing" } = options;
  return { ...sampleParty(id, `Connector ${id}`), schemes: ["ZA_EFT", "ZA_RTC", "ZA_RPP"], ...options };
}

/** Builds an operator with every role, whose token is `sampleToken(id)`. */
export function sampleOperator(options: Partial<ConfiguredOperator> = {}): ConfiguredOperator {
  const { id = "operator" } = options;
  return {
    id,
    name: `Operator ${id}`,
    person: id,
    certificates: null,
    tokens: [sampleHeldToken(sampleToken(id))],
    roles: ["read", "act", "approve"],
    subject: null,
    bank: null,
    schemes: null,
    ...options,
  };
}

/** Builds what the configuration has of a token. */
export function sampleHeldToken(token: string, notAfterMs: number | null = null): HeldToken {
  const sha256 = createHash("sha256").update(token).digest("hex");
  return { id: tokenId(sha256), sha256, notAfterMs };
}

function sampleParty(id: string, name: string): ConfiguredParty {
  return {
    id,
    name,
    tokens: [sampleHeldToken(sampleToken(id))],
    certificates: null,
    clients: [],
    requestsPerSecond: 100_000,
    inboundConnections: 1_024,
    baseUrl: `http://${id}.invalid`,
    operationUrls: {},
    bearerToken: null,
    answerTimeoutMs: 5_000,
    acknowledgeCodes: [],
    duplicateCodes: [409],
    connections: 16,
    concurrency: "learnt",
    allowedAddresses: [],
    caFile: null,
    clientCertificate: null,
    bearerTokenFile: null,
    accessToken: null,
    signingKeys: [],
    messageSignatures: null,
    egressProxy: null,
    egressProxyCredentialsFile: null,
  };
}

export const sampleTimes: SchemeTimes = {
  calendar: { version: "sample-1", zone: "+02:00", workingDays: [1, 2, 3, 4, 5, 6, 7], holidays: [] },
  processing: [{ opens: "08:00", closes: "16:00" }],
  reconciliation: "17:30",
  cutOffMs: 900_000,
};

/** Builds the default scheme, or another that takes debits if its row does. */
export function sampleScheme(options: Partial<Scheme> = {}): Scheme {
  const { id = defaultScheme } = options;
  return {
    id,
    currencies: ["ZAR"],
    times: sampleTimes,
    takesDebits: schemes[id].debits !== null,
    creditsFinal: "clock",
    creditDeadlineMs: 2 * 3_600_000,
    accountRule: "za-cdv",
    itemLimits: [],
    onMissedWindow: "reconcile",
    carryOversMax: 1,
    ...options,
  };
}

/** Builds a configuration with one bank, no connector and ZA_EFT. */
export function sampleConfiguration(options: Partial<Configuration> & { readonly times?: SchemeTimes } = {}): Configuration {
  const { times = sampleTimes, ...rest } = options;
  return {
    version: "sample",
    hash: "0123456789ab",
    environment: null,
    banks: [sampleBank({ id: "first" })],
    connectors: [],
    schemes: [sampleScheme({ times })],
    cdv: { refuseOn: "high" },
    rulesFolder: null,
    operators: [],
    sealPersonalData: false,
    tokenIssuers: [],
    operatorSignIn: null,
    resolutionNeedsSecondPerson: false,
    secondPerson: { actions: [], proposalLifetimeMs: 86_400_000 },
    operatorSignatures: null,
    topics: { replication: 1, minInsync: 1, retentionMs: { dispatch: 1, events: 1, analytics: 1, receipts: 1, deadLetters: 1 } },
    partitionCount: 12,
    ...rest,
  };
}
