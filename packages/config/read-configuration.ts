// The configuration file, read: YAML, the environment, the shape, then what members must be to each other.
//
// #1 All problems at once, each with the path of its member: one bad part hides no problem of another.
// #2 No problem's text repeats a value, so none can hold a secret.
// #3 Pure: the same text and environment give the same configuration, or the same problems in the same order.

import { createHash } from "node:crypto";
import { LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import type { Bank, Configuration, Connector, ItemLimit, Operator, Scheme } from "./configuration.ts";
import type { Calendar } from "@sluice/calendar";
import { calendarFrom, calendarSchema, extended, extendingSchema } from "./calendar-schema.ts";
import { checkCredentials } from "./credential-checks.ts";
import { timesOf, calendarOf, checkBanks, checkCalendars, checkNames, checkRules, checkSchemes } from "./cross-checks.ts";
import type { Placed } from "./cross-checks.ts";
import { isUnresolved, withEnvironment } from "./environment.ts";
import type { Environment } from "./environment.ts";
import { bankSchema, cdvSchema, connectorSchema, fileSchema, operatorSchema, schemeSchema } from "./file-schema.ts";
import type { BankInFile, ConnectorInFile, OperatorInFile, SchemeInFile } from "./file-schema.ts";
import { problem } from "./problem.ts";
import type { Path, Problem } from "./problem.ts";
import { southAfrica, southAfricaEveryDay } from "./south-africa.ts";

export type ConfigurationReading =
  | { readonly ok: true; readonly configuration: Configuration }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const textCharactersMax = 1_048_576;

/** `onDate`: the day from which the calendars must go on; null where no clock is at hand: then only gaps in them are looked for. */
export function readConfiguration(text: string, environment: Environment, onDate: string | null = null): ConfigurationReading {
  const problems: Problem[] = [];
  const tree = withEnvironment(readYaml(text, problems), environment, problems);
  if (tree === undefined) return { ok: false, problems };
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
    ...checkNames(schemes, banks, connectors, {
      known: new Set(listed(schemesGiven).map((scheme) => memberAt(scheme, ["id"]) ?? "ZA_EFT")),
      spokenFor: new Set(listed(connectorsGiven).flatMap((connector) => listed(memberAt(connector, ["schemes"])))),
    }),
    ...checkRules(schemes, file?.rulesFolder),
  );
  if (problems.length > 0 || file === undefined || cdv === undefined) return { ok: false, problems };
  return {
    ok: true,
    configuration: {
      version: file.version ?? createHash("sha256").update(text).digest("hex").slice(0, 12),
      banks: banks.map(({ value }) => bankOf(value)),
      connectors: connectors.map(({ value }) => connectorOf(value)),
      schemes: schemes.map(({ value }) => schemeFrom(value, calendars.get(calendarOf(value))!, connectors)),
      cdv,
      rulesFolder: file.rulesFolder ?? null,
      operators: operators.map(({ value }) => operatorOf(value)),
      resolutionNeedsSecondPerson: file.resolutionNeedsSecondPerson,
    },
  };
}

/** By name, with those that ship. */
function readCalendars(given: unknown, problems: Problem[]): ReadonlyMap<string, Calendar> {
  const shipped = { za: southAfrica, "za-every-day": southAfricaEveryDay };
  const calendars = new Map<string, Calendar>(Object.entries(shipped));
  for (const [name, calendar] of Object.entries(given ?? {})) {
    const path = ["calendars", name];
    const isExtending = memberAt(calendar, ["extends"]) !== undefined;
    const extending = isExtending ? readPart(extendingSchema, path, calendar, problems) : undefined;
    const whole = isExtending ? undefined : readPart(calendarSchema, path, calendar, problems);
    // A calendar with a problem of its own is still known by name, so that its schemes get none.
    const read = whole === undefined ? southAfrica : calendarFrom(whole);
    calendars.set(name, extending === undefined ? read : extended(shipped[extending.extends], extending));
  }
  return calendars;
}

/** Undefined where there is none; null for an empty text. */
function readYaml(text: string, problems: Problem[]): unknown {
  if (text.length > textCharactersMax) {
    problems.push(problem([], `longer than ${textCharactersMax} characters`));
    return undefined;
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter, maxAliasCount: 100 } as Parameters<typeof parseDocument>[1]);
  for (const { code, pos } of document.errors) {
    const { line, col } = lineCounter.linePos(pos[0]);
    problems.push(problem([], `not YAML: ${code} at line ${line}, column ${col}`));
  }
  if (document.errors.length > 0) return undefined;
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch {
    problems.push(problem([], "not YAML: too many aliases"));
    return undefined;
  }
}

function readParts<S extends z.ZodType>(schema: S, member: string, given: unknown, problems: Problem[]): readonly Placed<z.infer<S>>[] {
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
  for (const { code, keys, path: at, message } of read.error.issues.flatMap(inOneForm)) {
    if (code === "unrecognized_keys") problems.push(...keys.map((key) => problem([...path, ...at, key], "unknown member")));
    else if (!isUnresolved(memberAt(given, at))) problems.push(problem([...path, ...at], message));
  }
  return undefined;
}

interface Issue {
  readonly code: string;
  readonly keys: readonly string[];
  readonly path: Path;
  readonly message: string;
}

/** Where a member may have several forms (a date, or a rule): the issues of the one that was meant, told by its type. */
function inOneForm(issue: z.core.$ZodIssue): readonly Issue[] {
  if (issue.code !== "invalid_union") return [{ ...issue, keys: issue.code === "unrecognized_keys" ? issue.keys : [] }];
  const isOfType = (form: readonly z.core.$ZodIssue[]): boolean =>
    !form.some(({ code, path }) => code === "invalid_type" && path.length === 0);
  const meant = issue.errors.find(isOfType) ?? [];
  if (meant.length === 0) return [{ ...issue, keys: [], message: "neither a date in quotes nor a rule" }];
  return meant.flatMap((one) => inOneForm({ ...one, path: [...issue.path, ...one.path] }));
}

function memberAt(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined), tree);
}

function bankOf(file: BankInFile): Bank {
  const { answerTimeout, eventDeadline, blocked, operationUrls, tokenSha256, itemLimits, dayTotalAlarm, ...same } = file;
  return {
    ...same,
    tokenSha256: tokenSha256.map((hash) => hash.toLowerCase()),
    operationUrls: given(operationUrls),
    answerTimeoutMs: answerTimeout,
    eventDeadlineMs: eventDeadline,
    isBlocked: blocked,
    itemLimits: itemLimits.map(limitOf),
    dayTotalAlarms: dayTotalAlarm.map(limitOf),
  };
}

function limitOf({ scheme, currency, amount }: BankInFile["itemLimits"][number]): ItemLimit {
  return { scheme, currency, amountTenThousandths: amount };
}

function connectorOf(file: ConnectorInFile): Connector {
  const { answerTimeout, operationUrls, tokenSha256, ...same } = file;
  const hashes = tokenSha256.map((hash) => hash.toLowerCase());
  return { ...same, tokenSha256: hashes, operationUrls: given(operationUrls), answerTimeoutMs: answerTimeout };
}

function operatorOf({ tokenSha256, ...same }: OperatorInFile): Operator {
  return { ...same, tokenSha256: tokenSha256.map((hash) => hash.toLowerCase()) };
}

/** Without the members that were left out. */
function given<T extends Readonly<Record<string, string | undefined>>>(members: T): { readonly [K in keyof T]?: string } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only members of T are left
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as { readonly [K in keyof T]?: string };
}

function schemeFrom(file: SchemeInFile, calendar: Calendar, connectors: readonly Placed<ConnectorInFile>[]): Scheme {
  const { id, currencies, creditsFinal, creditDeadline, accountRule, itemLimits } = file;
  const { onMissedWindow, maxRolls } = file;
  const isConnected = connectors.some(({ value }) => value.schemes.includes(id));
  return {
    id,
    currencies,
    takesDebits: id === "ZA_EFT",
    times: timesOf(file, calendar),
    creditsFinal: creditsFinal ?? (isConnected ? "connector" : "clock"),
    creditDeadlineMs: creditDeadline,
    accountRule,
    itemLimits: itemLimits.map(({ currency, amount }) => ({ scheme: id, currency, amountTenThousandths: amount })),
    onMissedWindow,
    maxRolls,
  };
}
