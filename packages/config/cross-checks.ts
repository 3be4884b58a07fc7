// What members of the file must be to each other.

import { firstDateWithoutNext, wallMs } from "@sluice/calendar";
import type { Calendar, SchemeTimes } from "@sluice/calendar";
import type { BankInFile, ConnectorInFile, OperatorInFile, SchemeInFile } from "./file-schema.ts";
import { problem } from "./problem.ts";
import type { Path, Problem } from "./problem.ts";

/** A part of the file that could be read, and where it stood. */
export interface Placed<T> {
  readonly path: Path;
  readonly value: T;
}

export function checkSchemes(schemes: readonly Placed<SchemeInFile>[], calendars: ReadonlySet<string>): readonly Problem[] {
  return [
    ...repeated(
      schemes.map(({ path, value }) => ({ path: [...path, "id"], owner: value.id, value: value.id })),
      "another scheme has this id",
    ),
    ...schemes.flatMap(({ path, value }) => [
      ...limitsTwice([...path, "itemLimits"], value.itemLimits),
      ...(calendars.has(calendarOf(value)) ? [] : [problem([...path, "calendar"], "no such calendar")]),
      ...checkTimes(path, value),
    ]),
  ];
}

/** Name of a scheme's calendar: credits that are final at once are taken every day. */
export function calendarOf({ id, calendar }: SchemeInFile): string {
  return calendar ?? (id === "ZA_EFT" ? "za" : "za-every-day");
}

export function timesOf({ processing, reconciliation, cutOff }: SchemeInFile, calendar: Calendar): SchemeTimes {
  return { calendar, processing, reconciliation, cutOffMs: cutOff };
}

/** Years in which a calendar is looked at as a whole, where it has no first or last date of its own. */
const lookedAt = { from: "2020-01-01", to: "2050-01-01" } as const;

/** A scheme is never left without a business date for 400 days. */
export function checkCalendars(
  schemes: readonly Placed<SchemeInFile>[],
  calendars: ReadonlyMap<string, Calendar>,
  onDate: string | null,
): readonly Problem[] {
  return schemes.flatMap(({ path, value }) => {
    const calendar = calendars.get(calendarOf(value));
    // With its times out of order it has a problem already, and no plan.
    if (calendar === undefined || checkTimes(path, value).length > 0) return [];
    if (isPlentiful(calendar)) return [];
    const from = onDate ?? firstDateOf(calendar);
    const date = firstDateWithoutNext(timesOf(value, calendar), from, lastDateOf(calendar, from));
    return date === null ? [] : [problem([...path, "calendar"], `no business date for 400 days from ${date}`)];
  });
}

/** It cannot be left so long, however its holidays lie: in any 400 days each weekday comes 57 times, and a rule's day at most twice, with a substitute. */
function isPlentiful({ holidays, workingDays, validFrom, validTo, earlier = [] }: Calendar): boolean {
  if (validFrom !== undefined || validTo !== undefined || earlier.length > 0) return false;
  const closedMost = holidays.map((rule) => (typeof rule === "string" ? 1 : rule.kind === "dates" ? 2 * rule.dates.length : 4));
  // A missing hour may void a date's windows; twenty are more than there ever were in a year.
  return closedMost.reduce((sum, most) => sum + most, 20) < 57 * new Set(workingDays).size;
}

function firstDateOf({ validFrom, earlier = [] }: Calendar): string {
  const starts = [validFrom, ...earlier.map((version) => version.validFrom)];
  const defined = starts.filter((start) => start !== undefined).toSorted();
  return defined.length < starts.length ? lookedAt.from : (defined[0] ?? lookedAt.from);
}

/** Towards its end a calendar may be without a next date: it is there to be replaced. From the first date on there must be one. */
function lastDateOf({ validTo }: Calendar, from: string): string {
  const end = validTo === undefined ? lookedAt.to : Temporal.PlainDate.from(validTo).subtract({ days: 400 }).toString();
  const least = Temporal.PlainDate.from(from).add({ days: 1 }).toString();
  return end < least ? least : end;
}

export function checkBanks(
  banks: readonly Placed<BankInFile>[],
  connectors: readonly Placed<ConnectorInFile>[],
  operators: readonly Placed<OperatorInFile>[],
): readonly Problem[] {
  const callers = [...banks, ...connectors, ...operators];
  const ids = callers.map(({ path, value }, owner) => ({ path: [...path, "id"], owner: `${owner}`, value: value.id }));
  const tokens = callers.flatMap(({ path, value }, owner) =>
    value.tokenSha256.map((hash, index) => ({
      path: [...path, "tokenSha256", index],
      owner: `${owner}/${index}`,
      value: hash.toLowerCase(),
    })),
  );
  const agents = (member: "memberId" | "bicfi") =>
    banks.flatMap(({ path, value }) =>
      value.agents.flatMap((agent, index) => {
        const name = agent[member];
        return name === null ? [] : [{ path: [...path, "agents", index, member], owner: value.id, value: name }];
      }),
    );
  return [
    ...repeated(ids, "another bank, connector or operator has this id"),
    ...repeated(tokens, "the same token twice"),
    ...repeated(agents("memberId"), "another bank has this memberId"),
    ...repeated(agents("bicfi"), "another bank has this bicfi"),
    ...banks.flatMap(checkAgents),
    ...banks.flatMap(({ path, value }) => limitsTwice([...path, "itemLimits"], value.itemLimits)),
    ...banks.flatMap(({ path, value }) => limitsTwice([...path, "dayTotalAlarm"], value.dayTotalAlarm)),
    ...checkBranchRanges(banks),
  ];
}

/** Ids of schemes that the file has, and of those that a connector speaks for, also where such a part has a problem of its own. */
export interface NamedSchemes {
  readonly known: ReadonlySet<unknown>;
  readonly spokenFor: ReadonlySet<unknown>;
}

/** What banks, connectors and schemes name of each other. */
export function checkNames(
  schemes: readonly Placed<SchemeInFile>[],
  banks: readonly Placed<BankInFile>[],
  connectors: readonly Placed<ConnectorInFile>[],
  { known, spokenFor }: NamedSchemes,
): readonly Problem[] {
  const unknown = (path: Path, id: string): readonly Problem[] => (known.has(id) ? [] : [problem(path, "no such scheme")]);
  return [
    ...schemes.flatMap(({ path, value }) =>
      value.creditsFinal === "connector" && !spokenFor.has(value.id)
        ? [problem([...path, "creditsFinal"], "no connector speaks for this scheme")]
        : [],
    ),
    ...banks.flatMap(({ path, value }) =>
      (["itemLimits", "dayTotalAlarm"] as const).flatMap((member) =>
        value[member].flatMap(({ scheme }, index) => unknown([...path, member, index, "scheme"], scheme)),
      ),
    ),
    ...connectors.flatMap(({ path, value }) => value.schemes.flatMap((scheme, index) => unknown([...path, "schemes", index], scheme))),
  ];
}

/** The tables of uk-modulus are imported, never shipped. */
export function checkRules(schemes: readonly Placed<SchemeInFile>[], rulesFolder: string | undefined): readonly Problem[] {
  if (rulesFolder !== undefined) return [];
  return schemes.flatMap(({ path, value }) =>
    value.accountRule === "uk-modulus" ? [problem([...path, "accountRule"], "needs rulesFolder: its tables are imported")] : [],
  );
}

function checkTimes(path: Path, scheme: SchemeInFile): readonly Problem[] {
  const problems: Problem[] = [];
  let latestMs = -1;
  scheme.processing.forEach(({ opens, closes }, index) => {
    const at = [...path, "processing", index];
    if (wallMs(opens) < latestMs) problems.push(problem([...at, "opens"], "before the window before it closes"));
    if (wallMs(closes) <= wallMs(opens)) problems.push(problem([...at, "closes"], "not after it opens"));
    latestMs = Math.max(latestMs, wallMs(closes));
  });
  const last = scheme.processing.at(-1)!;
  if (wallMs(last.closes) - scheme.cutOff < wallMs(last.opens)) problems.push(problem([...path, "cutOff"], "longer than the last window"));
  if (wallMs(scheme.reconciliation) <= latestMs) problems.push(problem([...path, "reconciliation"], "not after the last window closes"));
  return problems;
}

function limitsTwice(path: Path, limits: readonly { readonly scheme?: string; readonly currency: string }[]): readonly Problem[] {
  const places = limits.map(({ scheme = "", currency }, index) => ({
    path: [...path, index],
    owner: `${index}`,
    value: `${scheme}/${currency}`,
  }));
  return repeated(places, "a second limit of this scheme and currency");
}

function checkAgents({ path, value }: Placed<BankInFile>): readonly Problem[] {
  return value.agents.flatMap((agent, index) => {
    const at = [...path, "agents", index];
    const isNameless = agent.memberId === null && agent.bicfi === null && agent.branchRanges.length === 0;
    return [
      ...(isNameless ? [problem(at, "needs a memberId, a bicfi or branchRanges")] : []),
      ...agent.branchRanges.flatMap(([from, to], range) =>
        from > to ? [problem([...at, "branchRanges", range], "ends before it begins")] : [],
      ),
    ];
  });
}

interface Range {
  readonly path: Path;
  readonly bank: string;
  readonly from: string;
  readonly to: string;
}

/** Ranges of two banks must not overlap; within one bank they may. */
function checkBranchRanges(banks: readonly Placed<BankInFile>[]): readonly Problem[] {
  const ranges = banks.flatMap(({ path, value }) =>
    value.agents.flatMap((agent, index) =>
      agent.branchRanges.map(([from, to], range): Range => ({
        path: [...path, "agents", index, "branchRanges", range],
        bank: value.id,
        from,
        to,
      })),
    ),
  );
  const problems: Problem[] = [];
  // Per bank the furthest end seen so far: a range that begins before another bank's furthest end overlaps it.
  const furthest = new Map<string, string>();
  for (const range of ranges.toSorted((a, b) => (a.from < b.from ? -1 : Number(a.from > b.from)))) {
    const other = [...furthest].find(([bank, to]) => bank !== range.bank && to >= range.from);
    if (other !== undefined) problems.push(problem(range.path, `overlaps a branch range of bank ${other[0]}`));
    const known = furthest.get(range.bank);
    if (known === undefined || known < range.to) furthest.set(range.bank, range.to);
  }
  return problems;
}

/** A problem at the second and each further place of a value with another owner. */
function repeated(
  places: readonly { readonly path: Path; readonly owner: string; readonly value: string }[],
  text: string,
): readonly Problem[] {
  const ownerOf = new Map<string, string>();
  return places.flatMap(({ path, owner, value }) => {
    const known = ownerOf.get(value);
    if (known === undefined) ownerOf.set(value, owner);
    return known === undefined || known === owner ? [] : [problem(path, text)];
  });
}
