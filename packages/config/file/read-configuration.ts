// Reads the configuration file in four steps: YAML, variables, the shape of each member, and checks across members.
//
// #1 All problems are reported at once, each with the path of its member. A bad part hides no problem of another part.
// #2 No problem's text repeats a value, so that it cannot contain a secret.
// #3 Pure: the same text and environment give the same configuration, or the same problems in the same order.

import { createHash } from "node:crypto";
import { defaultScheme, schemes as schemeTable } from "@sluice/domain/schemes";
import type { z } from "zod";
import type { Bank, Configuration, Connector, ItemLimit, ConfiguredOperator, Scheme } from "../configuration.ts";
import type { Calendar } from "@sluice/calendar";
import { buildCalendar, calendarSchema, extendCalendar, extendingSchema } from "../calendars/calendar-schema.ts";
import { checkCredentials } from "./credential-checks.ts";
import {
  checkBanks,
  checkCalendars,
  checkMessageKeys,
  checkNames,
  checkRules,
  checkSchemes,
  type PartAtPath,
  schemeTimes,
} from "./cross-checks.ts";
import { type FileVariables, isUnresolvedVariable, resolveVariables } from "./variables.ts";
import {
  type BankInFile,
  bankSchema,
  cdvSchema,
  type ConnectorInFile,
  connectorSchema,
  fileSchema,
  type OperatorInFile,
  operatorSchema,
  type SchemeInFile,
  schemeSchema,
} from "./file-schema.ts";
import { toBindings } from "./certificate-bindings.ts";
import { toMessageSignatures, toOperatorSignatures } from "./message-signatures.ts";
import { toHeldTokens } from "./held-tokens.ts";
import { checkTokenIssuers } from "./token-issuer-checks.ts";
import { checkOperatorSignIn } from "../sign-in/operator-sign-in.ts";
import { toTokenIssuer } from "./token-issuers.ts";
import { parseYaml } from "./parse-yaml.ts";
import { type Path, type Problem, problemAt } from "./problem.ts";
import { southAfrica, southAfricaEveryDay } from "../calendars/south-africa.ts";

export type ConfigurationReading =
  | { readonly ok: true; readonly configuration: Configuration }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const textCharactersMax = 1_048_576;

/**
 * Reads and checks a file. Calendars must continue from `onDate` on; with null, for callers without a clock, only their
 * gaps are checked.
 */
export function readConfiguration(text: string, environment: FileVariables, onDate: string | null = null): ConfigurationReading {
  const problems: Problem[] = [];
  const tree = resolveVariables(readYaml(text, problems), environment, problems);
  if (tree === undefined) return { ok: false, problems };
  if (typeof tree !== "object" || tree === null || Array.isArray(tree)) {
    const found = tree === null ? "the file is empty" : "the file has no members";
    return {
      ok: false,
      problems: [...problems, problemAt([], `${found}: it has to name banks, for example (packages/config/sluice.sample.yaml)`)],
    };
  }
  const file = readPart(fileSchema, [], tree, problems);
  const calendars = readCalendars(memberAt(tree, ["calendars"]), problems);
  const schemesGiven = memberAt(tree, ["schemes"]) ?? [{}];
  const connectorsGiven = memberAt(tree, ["connectors"]) ?? [];
  const schemes = readParts(schemeSchema, "schemes", schemesGiven, problems);
  const connectors = readParts(connectorSchema, "connectors", connectorsGiven, problems);
  const banks = readParts(bankSchema, "banks", memberAt(tree, ["banks"]), problems);
  const operators = readParts(operatorSchema, "operators", memberAt(tree, ["operators"]), problems);
  const cdv = readPart(cdvSchema, ["cdv"], memberAt(tree, ["cdv"]) ?? {}, problems);
  problems.push(
    ...checkSchemes(schemes, new Set(calendars.keys())),
    ...checkCalendars(schemes, calendars, onDate),
    ...checkBanks(banks, connectors, operators),
    ...checkCredentials([...banks, ...connectors]),
    ...checkMessageKeys([...banks, ...connectors], file?.operatorSignatures ?? null),
    ...checkTokenIssuers(file?.tokenIssuers ?? null, [...banks, ...connectors]),
    ...checkOperatorSignIn(file?.operatorSignIn, operators, {
      issuers: file?.tokenIssuers ?? [],
      clients: [...banks, ...connectors].flatMap(({ value }) => value.clients),
    }),
    ...checkNames(schemes, banks, [...connectors, ...operators], {
      known: new Set(listed(schemesGiven).map((scheme) => memberAt(scheme, ["id"]) ?? defaultScheme)),
      spokenFor: new Set(listed(connectorsGiven).flatMap((connector) => listed(memberAt(connector, ["schemes"])))),
    }),
    ...checkRules(schemes, file?.rulesFolder),
  );
  if (problems.length > 0 || file === undefined || cdv === undefined) return { ok: false, problems };
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return {
    ok: true,
    configuration: {
      version: file.version ?? hash,
      hash,
      environment: file.environment ?? null,
      banks: banks.map(({ value }) => toBank(value)),
      connectors: connectors.map(({ value }) => toConnector(value)),
      schemes: schemes.map(({ value }) => toScheme(value, calendars.get(value.calendar)!, connectors)),
      cdv,
      rulesFolder: file.rulesFolder ?? null,
      operators: operators.map(({ value }) => toOperator(value)),
      tokenIssuers: file.tokenIssuers.map((issuer) => toTokenIssuer(issuer)),
      operatorSignIn: file.operatorSignIn,
      resolutionNeedsSecondPerson: file.resolutionNeedsSecondPerson,
      secondPerson: { actions: file.secondPerson.actions, proposalLifetimeMs: file.secondPerson.proposalLifetime },
      operatorSignatures: toOperatorSignatures(file.operatorSignatures),
      sealPersonalData: file.sealPersonalData,
      partitionCount: file.partitionCount,
      topics: { replication: file.topics.replication, minInsync: file.topics.minInsync, retentionMs: file.topics.retention },
    },
  };
}

type CalendarReading =
  | { readonly ok: true; readonly schemes: readonly Scheme[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Members that say what a calendar file is for. */
const calendarMembers = ["calendars", "schemes"] as const;

/**
 * Reads calendars and schemes of a file, and nothing else of it: it can be a whole configuration file, or these parts
 * alone. No variable is replaced there. A scheme's times are its own; who declares its credits final is not asked.
 */
export function readCalendarParts(text: string, onDate: string): CalendarReading {
  const problems: Problem[] = [];
  const whole = readYaml(text, problems);
  if (whole === undefined) return { ok: false, problems };
  const isFile = typeof whole === "object" && whole !== null && !Array.isArray(whole);
  if (!isFile || !calendarMembers.some((name) => name in whole))
    return { ok: false, problems: [problemAt([], "the file has neither calendars nor schemes")] };
  const names = Object.keys(whole).filter((name) => !(name in fileSchema.shape));
  problems.push(...names.map((name) => problemAt([name], "unknown member")));
  const given = Object.fromEntries(calendarMembers.flatMap((name) => (name in whole ? [[name, memberAt(whole, [name])]] : [])));
  if (readPart(calendarPartsSchema, [], given, problems) === undefined) return { ok: false, problems };
  const parts = resolveVariables(given, {}, problems);
  const calendars = readCalendars(memberAt(parts, ["calendars"]), problems);
  const schemes = readParts(schemeSchema, "schemes", memberAt(parts, ["schemes"]) ?? [{}], problems);
  problems.push(...checkSchemes(schemes, new Set(calendars.keys())));
  // A gap is looked for over decades, and only in a file that is otherwise good.
  if (problems.length === 0) problems.push(...checkCalendars(schemes, calendars, onDate));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, schemes: schemes.map(({ value }) => toScheme(value, calendars.get(value.calendar)!, [])) };
}

const calendarPartsSchema = fileSchema.pick({ calendars: true, schemes: true });

/** The file as a tree with its variables replaced, whatever else is wrong with it; undefined: it is not YAML. */
export function readConfigurationTree(text: string, environment: FileVariables): unknown {
  return resolveVariables(readYaml(text, []), environment, []);
}

/** Returns all calendars by name, including the shipped ones. */
function readCalendars(given: unknown, problems: Problem[]): ReadonlyMap<string, Calendar> {
  const shipped = { za: southAfrica, "za-every-day": southAfricaEveryDay };
  const calendars = new Map<string, Calendar>(Object.entries(shipped));
  for (const [name, calendar] of Object.entries(given ?? {})) {
    const path = ["calendars", name];
    const isExtending = memberAt(calendar, ["extends"]) !== undefined;
    const extending = isExtending ? readPart(extendingSchema, path, calendar, problems) : undefined;
    const whole = isExtending ? undefined : readPart(calendarSchema, path, calendar, problems);
    // A calendar with a problem is still known by name, so that its schemes get no second problem.
    const read = whole === undefined ? southAfrica : buildCalendar(whole);
    calendars.set(name, extending === undefined ? read : extendCalendar(shipped[extending.extends], extending));
  }
  return calendars;
}

/** Parses the text; undefined if it is not YAML, null if it is empty. */
function readYaml(text: string, problems: Problem[]): unknown {
  if (text.length > textCharactersMax) {
    problems.push(problemAt([], `longer than ${textCharactersMax} characters`));
    return undefined;
  }
  const { document, lineCounter, errors } = parseYaml(text);
  for (const { code, offset } of errors) {
    const { line, col } = lineCounter.linePos(offset);
    problems.push(problemAt([], `not YAML: ${code} at line ${line}, column ${col}`));
  }
  if (errors.length > 0) return undefined;
  try {
    const tree = document.toJS({ maxAliasCount: 100 }) as unknown;
    // It throws where a part has itself in it: who goes through such a tree comes to no end.
    JSON.stringify(tree);
    return tree;
  } catch {
    problems.push(problemAt([], "not YAML: too many aliases, or one of a part that it is in"));
    return undefined;
  }
}

function readParts<S extends z.ZodType>(schema: S, member: string, given: unknown, problems: Problem[]): readonly PartAtPath<z.infer<S>>[] {
  return listed(given).flatMap((one, index) => {
    const path = [member, index];
    const value = readPart(schema, path, one, problems);
    return value === undefined ? [] : [{ path, value }];
  });
}

function listed(given: unknown): readonly unknown[] {
  return Array.isArray(given) ? given : [];
}

function readPart<S extends z.ZodType>(schema: S, path: Path, given: unknown, problems: Problem[]): z.infer<S> | undefined {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  for (const { code, keys, path: at, message } of read.error.issues.flatMap(toIssues)) {
    if (code === "unrecognized_keys") problems.push(...keys.map((key) => problemAt([...path, ...at, key], "unknown member")));
    else if (!isUnresolvedVariable(memberAt(given, at))) problems.push(problemAt([...path, ...at], inOwnWords(message)));
  }
  return undefined;
}

/** "Invalid input: expected array, received undefined" is the library's word for a member that is not there. */
function inOwnWords(message: string): string {
  const [, expected, received] = /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? [];
  if (expected === undefined) return message;
  const what = typeWords[expected] ?? expected;
  return received === "undefined" ? `is missing: ${what}` : `must be ${what}`;
}

const typeWords: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  record: "an object",
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

interface Issue {
  readonly code: string;
  readonly keys: readonly string[];
  readonly path: Path;
  readonly message: string;
}

/** For a member with several forms (a date or a rule), answers the issues of the form that its type shows was meant. */
function toIssues(issue: z.core.$ZodIssue): readonly Issue[] {
  if (issue.code !== "invalid_union") return [{ ...issue, keys: issue.code === "unrecognized_keys" ? issue.keys : [] }];
  const isOfType = (form: readonly z.core.$ZodIssue[]): boolean =>
    !form.some(({ code, path }) => code === "invalid_type" && path.length === 0);
  const meant = issue.errors.find(isOfType) ?? [];
  if (meant.length === 0) return [{ ...issue, keys: [], message: "neither a date in quotes nor a rule" }];
  return meant.flatMap((one) => toIssues({ ...one, path: [...issue.path, ...one.path] }));
}

function memberAt(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined), tree);
}

function toBank(file: BankInFile): Bank {
  const { answerTimeout, eventDeadline, blocked, operationUrls, tokenSha256: _hashes, itemLimits, dayTotalAlarm, ...same } = file;
  return {
    ...same,
    tokens: toHeldTokens(file),
    certificates: toBindings(file.certificates),
    messageSignatures: toMessageSignatures(file.messageSignatures),
    operationUrls: withoutUndefined(operationUrls),
    answerTimeoutMs: answerTimeout,
    eventDeadlineMs: eventDeadline,
    isBlocked: blocked,
    itemLimits: itemLimits.map(toItemLimit),
    dayTotalAlarms: dayTotalAlarm.map(toItemLimit),
  };
}

function toItemLimit({ scheme, currency, amount }: BankInFile["itemLimits"][number]): ItemLimit {
  return { scheme, currency, amountTenThousandths: amount };
}

function toConnector(file: ConnectorInFile): Connector {
  const { answerTimeout, operationUrls, tokenSha256: _hashes, ...same } = file;
  const known = { tokens: toHeldTokens(file), certificates: toBindings(file.certificates) };
  const messageSignatures = toMessageSignatures(file.messageSignatures);
  return { ...same, ...known, messageSignatures, operationUrls: withoutUndefined(operationUrls), answerTimeoutMs: answerTimeout };
}

function toOperator({ tokenSha256, tokens, ...same }: OperatorInFile): ConfiguredOperator {
  const known = { tokens: toHeldTokens({ tokenSha256, tokens }), certificates: toBindings(same.certificates) };
  return {
    ...same,
    ...known,
    person: same.person ?? same.id,
    bank: same.bank ?? null,
    subject: same.subject ?? null,
    schemes: same.schemes ?? null,
  };
}

/** Copies an object without its undefined members. */
function withoutUndefined<T extends Readonly<Record<string, string | undefined>>>(members: T): { readonly [K in keyof T]?: string } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only members of T are left
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as { readonly [K in keyof T]?: string };
}

function toScheme(file: SchemeInFile, calendar: Calendar, connectors: readonly PartAtPath<ConnectorInFile>[]): Scheme {
  const { id, currencies, creditsFinal, creditDeadline, accountRule, itemLimits } = file;
  const { onMissedWindow, carryOversMax } = file;
  const isConnected = connectors.some(({ value }) => value.schemes.includes(id));
  return {
    id,
    currencies,
    takesDebits: schemeTable[id].debits !== null,
    times: schemeTimes(file, calendar),
    creditsFinal: creditsFinal ?? (isConnected ? "connector" : "clock"),
    creditDeadlineMs: creditDeadline,
    accountRule,
    itemLimits: itemLimits.map(({ currency, amount }) => ({ scheme: id, currency, amountTenThousandths: amount })),
    onMissedWindow,
    carryOversMax,
  };
}
