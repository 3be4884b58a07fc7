// The shape of the configuration file, member by member, with every default. `cross-checks.ts` checks members against
// each other. No message repeats a value of the file.

import { isIP } from "node:net";
import { readLocalTime } from "@sluice/calendar";
import { banksMax, connectorsMax, partitionCountDefault, partitionCountMax, secondPersonActions } from "@sluice/domain";
import { defaultScheme, schemeIds, schemes } from "@sluice/domain/schemes";
import { z } from "zod";
import { operatorRoles } from "../configuration.ts";
import { readDuration } from "./durations.ts";
import { certificateMembers } from "./certificate-bindings.ts";
import { tokenMembers } from "./held-tokens.ts";
import { operatorSignaturesSchema, signatureMembers } from "./message-signatures.ts";
import { operatorSignInSchema, subjectMember } from "../sign-in/operator-sign-in.ts";
import { clientMembers, tokenIssuerSchema } from "./token-issuers.ts";
import { accountRules, fillFromRow } from "./scheme-defaults.ts";

const text = (most: number) => z.string().min(1, "must not be empty").max(most, `at most ${most} characters`);
const localTime = z
  .string()
  .refine((given) => readLocalTime(given) !== null, "a local time such as 17:30, 17:30:05 or +1d 02:00")
  .meta({ pattern: String.raw`^(\+\dd )?([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$` });
const branch = z.string("six digits in quotes").regex(/^\d{6}$/, "six digits in quotes");

function duration(leastMs: number, mostMs: number) {
  const duration = z.string("a duration such as 1s, 15m or 72h").meta({ pattern: String.raw`^\d{1,9}(ms|s|m|h|d)$` });
  return duration.transform((given, context) => {
    const ms = readDuration(given);
    if (ms !== null && ms >= leastMs && ms <= mostMs) return ms;
    const message = ms === null ? "a duration such as 1s, 15m or 72h" : `from ${leastMs / 1_000}s to ${mostMs / 1_000}s`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

const httpAddress = z.string().meta({ pattern: "^https?://[^?#]+$" });
const url = httpAddress.transform((given, context) => {
  const read = URL.canParse(given) ? new URL(given) : null;
  const isGood = read !== null && /^https?:$/.test(read.protocol) && `${read.username}${read.password}${read.search}${read.hash}` === "";
  if (isGood) return given.replace(/\/+$/, "");
  context.addIssue({ code: "custom", message: "an http or https address without user, query and fragment" });
  return z.NEVER;
});

/** @internal Tells whether a text is an IP address or a CIDR block. */
export function isAddressBlock(given: string): boolean {
  const [address = "", bits, ...more] = given.split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || more.length > 0) return false;
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

const cidr = z.string().refine(isAddressBlock, "an IP address or a CIDR block, such as 10.20.0.0/16 or fd00::/8");
const file = text(1_024);

/** An address without a path. (User and password are refused too, because they would be secrets.) */
const origin = url.refine((given) => new URL(given).pathname === "/", "an address without a path");

const signingKey = z.strictObject({
  kind: z.enum(["symmetric", "ed25519"]),
  secret: text(1_024).nullable().default(null),
  secretFile: file.nullable().default(null),
});

const accessToken = z.strictObject({
  tokenUrl: url,
  clientId: text(256),
  scope: text(1_024).nullable().default(null),
  keyFile: file.nullable().default(null),
  keyId: text(256).nullable().default(null),
  audience: text(1_024).nullable().default(null),
});

const agent = z.strictObject({
  memberId: text(35).nullable().default(null),
  bicfi: z
    .string()
    .regex(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/, "a BIC of 8 or 11 characters")
    .nullable()
    .default(null),
  branchRanges: z
    .array(z.tuple([branch, branch]))
    .max(1_000)
    .default([]),
});

/** An amount in quotes, so that YAML does not read a floating-point number; read as × 10,000. */
const money = z
  .string('an amount in quotes, for example "25000.00"')
  .regex(/^\d{1,14}(\.\d{1,4})?$/, 'an amount in quotes, for example "25000.00"')
  .transform((given) => {
    const [whole = "", fraction = ""] = given.split(".");
    return BigInt(whole + fraction.padEnd(4, "0"));
  });
const currencyCode = z.string().regex(/^[A-Z]{3}$/, "an ISO 4217 code");
const schemeId = z.enum(schemeIds);

/** Members of banks, connectors and operators. */
const caller = {
  id: z.string().regex(/^[a-z0-9-]{1,32}$/, "1 to 32 of a-z, 0-9 and -"),
  name: text(140),
  ...tokenMembers,
  ...certificateMembers,
};

const party = {
  ...caller,
  ...clientMembers,
  ...signatureMembers,
  requestsPerSecond: z.int().min(1).max(100_000).default(500),
  inboundConnections: z.int().min(1).max(4_096).default(64),
  baseUrl: url,
  bearerToken: text(1_024).nullable().default(null),
  answerTimeout: duration(1_000, 30_000).default(5_000),
  acknowledgeCodes: z.array(z.int().min(200).max(299)).max(10).default([]),
  duplicateCodes: z.array(z.int().min(200).max(499)).max(10).default([409]),
  connections: z.int().min(1).max(1_024).default(16),
  concurrency: z.enum(["learnt", "fixed"]).default("learnt"),
  allowedAddresses: z.array(cidr).max(100).default([]),
  caFile: file.nullable().default(null),
  clientCertificate: z.strictObject({ certificateFile: file, keyFile: file }).nullable().default(null),
  bearerTokenFile: file.nullable().default(null),
  accessToken: accessToken.nullable().default(null),
  signingKeys: z.array(signingKey).max(4).default([]),
  egressProxy: origin.nullable().default(null),
  egressProxyCredentialsFile: file.nullable().default(null),
};

export const bankSchema = z.strictObject({
  ...party,
  agents: z.array(agent).min(1, "at least one").max(100),
  operationUrls: z
    .strictObject({
      outboundDirectDebitResponse: url.optional(),
      inboundDirectDebit: url.optional(),
      inboundCreditTransferAuthorization: url.optional(),
    })
    .default({}),
  eventsUrl: url.nullable().default(null),
  maxUnacknowledged: z.int().min(1).max(100_000).default(256),
  eventDeadline: duration(1_000, 30 * 86_400_000).default(72 * 3_600_000),
  eventShape: z.enum(["full", "sample"]).default("full"),
  eventClasses: z
    .array(z.enum(["TRANSACTION_STATE", "ESM_STATE"]))
    .min(1, "at least one")
    .max(2)
    .refine((classes) => classes.includes("TRANSACTION_STATE"), "TRANSACTION_STATE is always sent")
    .default(["TRANSACTION_STATE"]),
  eventPayload: z.enum(["full", "masked", "none"]).default("full"),
  onUsOutcomeReport: z.boolean().default(false),
  onNonWorkingDay: z.enum(["refuse", "next"]).default("refuse"),
  blocked: z.boolean().default(false),
  blockedAccounts: z
    .array(z.strictObject({ branch: branch.nullable().default(null), account: text(40) }))
    .max(100_000)
    .default([]),
  itemLimits: z
    .array(z.strictObject({ scheme: schemeId, currency: currencyCode, amount: money }))
    .max(100)
    .default([]),
  dayTotalAlarm: z
    .array(z.strictObject({ scheme: schemeId, currency: currencyCode, amount: money }))
    .max(100)
    .default([]),
});

export const connectorSchema = z.strictObject({
  ...party,
  schemes: z.array(schemeId).min(1, "at least one").max(schemeIds.length),
  operationUrls: z
    .strictObject({ inboundDirectDebitResponse: url.optional(), inboundCreditTransferAuthorizationResponse: url.optional() })
    .default({}),
});

/** Editors show what the default scheme's row has; each scheme is given its own row's. */
const shown = schemes[defaultScheme].defaults;

const schemeMembers = z.strictObject({
  id: schemeId.default(defaultScheme),
  currencies: z.array(currencyCode).min(1, "at least one").optional().meta({ default: shown.currencies }),
  calendar: text(64).optional(),
  processing: z
    .array(z.strictObject({ opens: localTime, closes: localTime }))
    .min(1, "at least one window")
    .max(24)
    .optional()
    .meta({ default: shown.processing }),
  reconciliation: localTime.optional().meta({ default: shown.reconciliation }),
  cutOff: duration(0, 12 * 3_600_000).default(15 * 60_000),
  /** Left out: connector if a connector is configured for the scheme, else clock. */
  creditsFinal: z.enum(["clock", "connector", "bank"]).optional(),
  creditDeadline: duration(10_000, 24 * 3_600_000).default(2 * 3_600_000),
  accountRule: z.enum(accountRules).optional().meta({ default: shown.accountRule }),
  itemLimits: z
    .array(z.strictObject({ currency: currencyCode, amount: money }))
    .max(100)
    .default([]),
  onMissedWindow: z.enum(["reconcile", "carry-over"]).default("reconcile"),
  carryOversMax: z.int().min(1).max(5).default(1),
});

/** A scheme, with the defaults of its row for what the file leaves out. */
export const schemeSchema = schemeMembers.transform((given, context) => {
  const filled = fillFromRow(given, schemes[given.id].defaults);
  if (filled.ok) return { ...given, ...filled.members };
  for (const member of filled.missing) {
    context.addIssue({ code: "custom", path: [member], message: "must be given: this scheme has no default" });
  }
  return z.NEVER;
});

export const operatorSchema = z.strictObject({
  ...caller,
  ...subjectMember,
  person: caller.id.optional().meta({ description: "The person behind the tokens: two operators of one person count as one. The id." }),
  roles: z
    .array(z.enum(operatorRoles))
    .min(1, "at least one")
    .max(operatorRoles.length)
    .refine((roles) => new Set(roles).size === roles.length, "a role twice"),
  bank: caller.id
    .optional()
    .meta({ description: "A bank's own person: sees this bank alone and decides nothing, so that its only role is read. Every bank." }),
  schemes: z
    .array(schemeId)
    .min(1, "at least one")
    .max(schemeIds.length)
    .refine((given) => new Set(given).size === given.length, "a scheme twice")
    .optional()
    .meta({ description: "Sees and decides about days and transactions of these schemes alone. Every scheme." }),
});

export const cdvSchema = z.strictObject({ refuseOn: z.enum(["high", "medium"]).default("high") });

const dayMs = 86_400_000;
/** Above the longest deadline of what they hold, so that no work is lost. */
const retention = (leastDays: number, days: number) => duration(leastDays * dayMs, 36_500 * dayMs).default(days * dayMs);

const topicsSchema = z
  .strictObject({
    replication: z.int().min(1).max(9).default(3),
    minInsync: z.int().min(1).max(9).default(2),
    retention: z
      .strictObject({
        dispatch: retention(7, 30),
        events: retention(7, 30),
        analytics: retention(7, 1_830),
        receipts: retention(7, 42),
        deadLetters: retention(7, 90),
      })
      .prefault({}),
  })
  .refine(({ replication, minInsync }) => minInsync <= replication, { message: "must not be above replication", path: ["minInsync"] });

const secondPersonSchema = z.strictObject({
  actions: z
    .array(z.enum(secondPersonActions))
    .refine((actions) => new Set(actions).size === actions.length, "an action twice")
    .default([...secondPersonActions])
    .meta({
      description:
        "credits-final, open-gate, withdraw, redrive, stop, replay, skip, extend, erase; []: one person decides, and nobody can erase. All of them.",
    }),
  proposalLifetime: duration(5 * 60_000, 7 * dayMs).default(dayMs),
});

/** The file as a whole. Each part is then read with its own schema, so that one bad bank hides no other problem. */
export const fileSchema = z.strictObject({
  version: text(64).optional(),
  environment: text(32)
    .optional()
    .meta({ description: "What the console shows at the top of every page, such as production. Left out: nothing." }),
  calendars: z.record(z.string(), z.unknown()).optional(),
  schemes: z.array(z.unknown()).min(1, "at least one").max(10).optional(),
  banks: z.array(z.unknown()).min(1, "at least one").max(banksMax),
  connectors: z.array(z.unknown()).max(connectorsMax).optional(),
  cdv: z.unknown().optional(),
  rulesFolder: text(1_024)
    .optional()
    .meta({ description: "Folder of rule data imported with `./sluice rules import`. Left out: what ships alone." }),
  operators: z.array(z.unknown()).max(1_000).optional(),
  tokenIssuers: z.array(tokenIssuerSchema).max(8).default([]),
  operatorSignIn: operatorSignInSchema.nullable().default(null),
  resolutionNeedsSecondPerson: z.boolean().default(true),
  secondPerson: secondPersonSchema.prefault({}),
  operatorSignatures: operatorSignaturesSchema.nullable().default(null),
  sealPersonalData: z.boolean().default(false).meta({
    description:
      "Parties, accounts and free text of new messages are sealed, in the log and in the store. Every process then needs `SLUICE_KEYRING_FOLDER` or `SLUICE_VAULT_URL`.",
  }),
  partitionCount: z.int().min(1).max(partitionCountMax).default(partitionCountDefault).meta({
    description:
      "Partitions of every topic but the probe's. Fixed once the topics exist: a service that finds another number does not start.",
  }),
  topics: topicsSchema.prefault({}),
});

export type FileMembers = z.infer<typeof fileSchema>;
export type BankInFile = z.infer<typeof bankSchema>;
export type ConnectorInFile = z.infer<typeof connectorSchema>;
export type OperatorInFile = z.infer<typeof operatorSchema>;
export type SchemeInFile = z.infer<typeof schemeSchema>;
