// Checks across members of the file.

import { shippedRules } from "@sluice/account-validation";
import { type Calendar, firstDateWithoutNext, type SchemeTimes, wallTimeMs } from "@sluice/calendar";
import type { BankInFile, ConnectorInFile, FileMembers, OperatorInFile, SchemeInFile } from "./file-schema.ts";
import { formatBinding, toBindings } from "./certificate-bindings.ts";
import { toHeldTokens } from "./held-tokens.ts";
import { type Path, type Problem, problemAt } from "./problem.ts";

/** A part of the file that could be read, with its path. */
export interface PartAtPath<T> {
  readonly path: Path;
  readonly value: T;
}

export function checkSchemes(schemes: readonly PartAtPath<SchemeInFile>[], calendars: ReadonlySet<string>): readonly Problem[] {
  return [
    ...findRepeated(
      schemes.map(({ path, value }) => ({ path: [...path, "id"], owner: value.id, value: value.id })),
      "another scheme has this id",
    ),
    ...schemes.flatMap(({ path, value }) => [
      ...findRepeatedLimits([...path, "itemLimits"], value.itemLimits),
      ...(calendars.has(value.calendar) ? [] : [problemAt([...path, "calendar"], "no such calendar")]),
      ...checkTimes(path, value),
    ]),
  ];
}

export function schemeTimes({ processing, reconciliation, cutOff }: SchemeInFile, calendar: Calendar): SchemeTimes {
  return { calendar, processing, reconciliation, cutOffMs: cutOff };
}

/** Years in which a calendar is checked if it has no first or last date of its own. */
const checkedYears = { from: "2020-01-01", to: "2050-01-01" } as const;

/** Checks that no calendar leaves its scheme without a business date for 400 days. */
export function checkCalendars(
  schemes: readonly PartAtPath<SchemeInFile>[],
  calendars: ReadonlyMap<string, Calendar>,
  onDate: string | null,
): readonly Problem[] {
  return schemes.flatMap(({ path, value }) => {
    const calendar = calendars.get(value.calendar);
    // A scheme whose times are out of order already has a problem, and cannot be planned.
    if (calendar === undefined || checkTimes(path, value).length > 0) return [];
    if (isPlentiful(calendar)) return [];
    const from = onDate ?? firstDate(calendar);
    const date = firstDateWithoutNext(schemeTimes(value, calendar), from, lastDate(calendar, from));
    return date === null ? [] : [problemAt([...path, "calendar"], `no business date for 400 days from ${date}`)];
  });
}

/**
 * Tells whether the calendar cannot have such a gap, wherever its holidays fall: in any 400 days each weekday occurs 57
 * times, and a rule's day at most twice, with a substitute each time.
 */
function isPlentiful({ holidays, workingDays, validFrom, validTo, earlier = [] }: Calendar): boolean {
  if (validFrom !== undefined || validTo !== undefined || earlier.length > 0) return false;
  const closedMost = holidays.map((rule) => (typeof rule === "string" ? 1 : rule.kind === "dates" ? 2 * rule.dates.length : 4));
  // A missing hour may cancel a date's windows; twenty are more than any year ever had.
  return closedMost.reduce((sum, most) => sum + most, 20) < 57 * new Set(workingDays).size;
}

function firstDate({ validFrom, earlier = [] }: Calendar): string {
  const starts = [validFrom, ...earlier.map((version) => version.validFrom)];
  const defined = starts.filter((start) => start !== undefined).toSorted();
  return defined.length < starts.length ? checkedYears.from : (defined[0] ?? checkedYears.from);
}

/**
 * Near its end a calendar may have no next date, because it will be replaced. From its first date on it must have one.
 */
function lastDate({ validTo }: Calendar, from: string): string {
  const end = validTo === undefined ? checkedYears.to : Temporal.PlainDate.from(validTo).subtract({ days: 400 }).toString();
  const least = Temporal.PlainDate.from(from).add({ days: 1 }).toString();
  return end < least ? least : end;
}

export function checkBanks(
  banks: readonly PartAtPath<BankInFile>[],
  connectors: readonly PartAtPath<ConnectorInFile>[],
  operators: readonly PartAtPath<OperatorInFile>[],
): readonly Problem[] {
  const callers = [...banks, ...connectors, ...operators];
  const ids = callers.map(({ path, value }, owner) => ({ path: [...path, "id"], owner: `${owner}`, value: value.id }));
  const tokens = callers.flatMap(({ path, value }, owner) =>
    toHeldTokens(value).map(({ id, sha256 }, index) => {
      const dated = index - value.tokenSha256.length;
      const at = dated < 0 ? [...path, "tokenSha256", index] : [...path, "tokens", dated];
      return { path: at, owner: `${owner}/${index}`, id, sha256 };
    }),
  );
  const certificates = callers.flatMap(({ path, value }, owner) =>
    (toBindings(value.certificates) ?? []).map((binding, index) => ({
      path: [...path, "certificates", index],
      owner: `${owner}/${index}`,
      value: formatBinding(binding),
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
    ...findRepeated(ids, "another bank, connector or operator has this id"),
    ...callers.flatMap(({ path, value }) =>
      toHeldTokens(value).length > 0 ||
      ("clients" in value && value.clients.length > 0) ||
      ("subject" in value && value.subject !== undefined)
        ? []
        : [problemAt([...path, "tokens"], "at least one, here or in tokenSha256")],
    ),
    ...findRepeated(
      tokens.map((token) => ({ ...token, value: token.sha256 })),
      "the same token twice",
    ),
    ...findRepeated(
      tokens.map((token) => ({ ...token, owner: token.sha256, value: token.id })),
      "another token has this id",
    ),
    ...findRepeated(certificates, "the same certificate twice"),
    ...findRepeated(agents("memberId"), "another bank has this memberId"),
    ...findRepeated(agents("bicfi"), "another bank has this bicfi"),
    ...banks.flatMap(checkAgents),
    ...banks.flatMap(({ path, value }) => findRepeatedLimits([...path, "itemLimits"], value.itemLimits)),
    ...banks.flatMap(({ path, value }) => findRepeatedLimits([...path, "dayTotalAlarm"], value.dayTotalAlarm)),
    ...checkBranchRanges(banks),
    ...operators.flatMap((operator) => checkBankOf(operator, banks)),
  ];
}

/** A bank's own person looks and decides nothing. */
function checkBankOf({ path, value }: PartAtPath<OperatorInFile>, banks: readonly PartAtPath<BankInFile>[]): readonly Problem[] {
  if (value.bank === undefined) return [];
  return [
    ...(banks.some((bank) => bank.value.id === value.bank) ? [] : [problemAt([...path, "bank"], "no such bank")]),
    ...(value.roles.some((role) => role !== "read") ? [problemAt([...path, "roles"], "of one bank: only read")] : []),
    ...(value.schemes === undefined ? [] : [problemAt([...path, "schemes"], "of one bank: it sees what is the bank's in every scheme")]),
  ];
}

/** Ids of the file's schemes, and of schemes with a connector, including parts that have a problem of their own. */
export interface NamedSchemes {
  readonly known: ReadonlySet<unknown>;
  readonly spokenFor: ReadonlySet<unknown>;
}

/** Checks the schemes that others name. */
export function checkNames(
  schemes: readonly PartAtPath<SchemeInFile>[],
  banks: readonly PartAtPath<BankInFile>[],
  others: readonly PartAtPath<Pick<ConnectorInFile, "schemes"> | Pick<OperatorInFile, "schemes">>[],
  { known, spokenFor }: NamedSchemes,
): readonly Problem[] {
  const unknown = (path: Path, id: string): readonly Problem[] => (known.has(id) ? [] : [problemAt(path, "no such scheme")]);
  return [
    ...schemes.flatMap(({ path, value }) =>
      value.creditsFinal === "connector" && !spokenFor.has(value.id)
        ? [problemAt([...path, "creditsFinal"], "no connector for this scheme")]
        : [],
    ),
    ...banks.flatMap(({ path, value }) =>
      (["itemLimits", "dayTotalAlarm"] as const).flatMap((member) =>
        value[member].flatMap(({ scheme }, index) => unknown([...path, member, index, "scheme"], scheme)),
      ),
    ),
    ...others.flatMap(({ path, value }) => (value.schemes ?? []).flatMap((scheme, index) => unknown([...path, "schemes", index], scheme))),
  ];
}

/** Checks that a rule of which no data ships has a folder of imported tables. */
export function checkRules(schemes: readonly PartAtPath<SchemeInFile>[], rulesFolder: string | undefined): readonly Problem[] {
  if (rulesFolder !== undefined) return [];
  return schemes.flatMap(({ path, value: { accountRule } }) =>
    accountRule === "none" || shippedRules[accountRule].length > 0
      ? []
      : [problemAt([...path, "accountRule"], "needs rulesFolder: its tables are imported")],
  );
}

function checkTimes(path: Path, scheme: SchemeInFile): readonly Problem[] {
  const problems: Problem[] = [];
  let latestMs = -1;
  scheme.processing.forEach(({ opens, closes }, index) => {
    const at = [...path, "processing", index];
    if (wallTimeMs(opens) < latestMs) problems.push(problemAt([...at, "opens"], "before the window before it closes"));
    if (wallTimeMs(closes) <= wallTimeMs(opens)) problems.push(problemAt([...at, "closes"], "not after it opens"));
    latestMs = Math.max(latestMs, wallTimeMs(closes));
  });
  const last = scheme.processing.at(-1)!;
  if (wallTimeMs(last.closes) - scheme.cutOff < wallTimeMs(last.opens))
    problems.push(problemAt([...path, "cutOff"], "longer than the last window"));
  if (wallTimeMs(scheme.reconciliation) <= latestMs)
    problems.push(problemAt([...path, "reconciliation"], "not after the last window closes"));
  return problems;
}

function findRepeatedLimits(path: Path, limits: readonly { readonly scheme?: string; readonly currency: string }[]): readonly Problem[] {
  const places = limits.map(({ scheme = "", currency }, index) => ({
    path: [...path, index],
    owner: `${index}`,
    value: `${scheme}/${currency}`,
  }));
  return findRepeated(places, "a second limit of this scheme and currency");
}

function checkAgents({ path, value }: PartAtPath<BankInFile>): readonly Problem[] {
  return value.agents.flatMap((agent, index) => {
    const at = [...path, "agents", index];
    const isNameless = agent.memberId === null && agent.bicfi === null && agent.branchRanges.length === 0;
    return [
      ...(isNameless ? [problemAt(at, "needs a memberId, a bicfi or branchRanges")] : []),
      ...agent.branchRanges.flatMap(([from, to], range) =>
        from > to ? [problemAt([...at, "branchRanges", range], "ends before it begins")] : [],
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

/** Checks that ranges of two banks do not overlap; ranges of one bank may. */
function checkBranchRanges(banks: readonly PartAtPath<BankInFile>[]): readonly Problem[] {
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
  // Keeps the furthest end so far for each bank. A range that begins before another bank's furthest end overlaps it.
  const furthest = new Map<string, string>();
  for (const range of ranges.toSorted((a, b) => (a.from < b.from ? -1 : Number(a.from > b.from)))) {
    const other = [...furthest].find(([bank, to]) => bank !== range.bank && to >= range.from);
    if (other !== undefined) problems.push(problemAt(range.path, `overlaps a branch range of bank ${other[0]}`));
    const known = furthest.get(range.bank);
    if (known === undefined || known < range.to) furthest.set(range.bank, range.to);
  }
  return problems;
}

/** A key says who signed: with two holders it would say nothing. */
export function checkMessageKeys(
  callers: readonly PartAtPath<BankInFile | ConnectorInFile>[],
  operatorSignatures: FileMembers["operatorSignatures"],
): readonly Problem[] {
  const lists = [
    ...callers.map(({ path, value }) => ({ path: [...path, "messageSignatures"], owner: value.id, keys: value.messageSignatures?.keys })),
    { path: ["operatorSignatures"], owner: "", keys: operatorSignatures?.keys },
  ];
  return findRepeated(
    lists.flatMap(({ path, owner, keys }) =>
      (keys ?? []).map(({ publicKey }, index) => ({ path: [...path, "keys", index, "publicKey"], owner, value: publicKey })),
    ),
    "another caller or a console has this key",
  );
}

/** Returns a problem at each place of a value that already has another owner. */
function findRepeated(
  places: readonly { readonly path: Path; readonly owner: string; readonly value: string }[],
  text: string,
): readonly Problem[] {
  const owners = new Map<string, string>();
  return places.flatMap(({ path, owner, value }) => {
    const known = owners.get(value);
    if (known === undefined) owners.set(value, owner);
    return known === undefined || known === owner ? [] : [problemAt(path, text)];
  });
}
