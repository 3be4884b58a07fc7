// Compares two reports of one bench, as `--json` prints them.
//
// #1 Every number of the reports is a figure, named by its place. A step of a list is named by its service or its rate,
//    so that a report with other steps is still compared where both have one.
// #2 Of several rounds the medians are compared. A difference counts only where the rounds of one report lie all above
//    those of the other: a machine's own spread is often larger than what a change brings.
// #3 Single figures say nothing about their spread, and neither does their comparison.
// #4 Reports of different machines or stores are compared too, and the comparison says so.

import { formatTable } from "@sluice/environment";
import { roundTo, type Spread } from "../spread.ts";

interface ComparedFigure {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** After over before; null where before is 0. */
  readonly ratio: number | null;
  /** #2, #3 */
  readonly difference: "apart" | "within the spread" | "single";
}

export interface Comparison {
  readonly figures: readonly ComparedFigure[];
  /** Figures that only one report has, by name. */
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
  /** #4: what differs besides figures. */
  readonly otherwise: readonly string[];
}

/** Members that are no figures of the bench. */
const notCompared: ReadonlySet<string> = new Set(["machine", "tookMs", "load"]);

export function compareReports(before: unknown, after: unknown): Comparison {
  const [had, has] = [listFigures(before), listFigures(after)];
  return {
    figures: [...had].flatMap(([name, one]) => {
      const other = has.get(name);
      return other === undefined ? [] : [compareFigure(name, one, other)];
    }),
    onlyBefore: [...had.keys()].filter((name) => !has.has(name)),
    onlyAfter: [...has.keys()].filter((name) => !had.has(name)),
    otherwise: [...new Set([...listFacts(before), ...listFacts(after)])].filter(
      (fact) => !(listFacts(before).includes(fact) && listFacts(after).includes(fact)),
    ),
  };
}

function compareFigure(name: string, before: Spread, after: Spread): ComparedFigure {
  const isSingle = before.least === before.most && after.least === after.most;
  const isApart = after.least > before.most || after.most < before.least;
  return {
    name,
    before: before.median,
    after: after.median,
    ratio: before.median === 0 ? null : roundTo(after.median / before.median, 3),
    difference: isSingle ? "single" : isApart ? "apart" : "within the spread",
  };
}

/** #1 */
function listFigures(report: unknown): ReadonlyMap<string, Spread> {
  return new Map(figuresBelow(report, []));
}

function figuresBelow(value: unknown, path: readonly string[]): readonly (readonly [string, Spread])[] {
  if (typeof value === "number") return [[path.join(" "), { median: value, least: value, most: value }]];
  if (Array.isArray(value)) return value.flatMap((one, index) => figuresBelow(one, [...path, nameOf(one) ?? String(index + 1)]));
  if (typeof value !== "object" || value === null) return [];
  if (isSpread(value)) return [[path.join(" "), value]];
  return Object.entries(value).flatMap(([name, one]) => (notCompared.has(name) ? [] : figuresBelow(one, [...path, name])));
}

function isSpread(value: object): value is Spread {
  const members = Object.entries(value);
  return members.length === 3 && ["median", "least", "most"].every((name) => typeof Reflect.get(value, name) === "number");
}

/** The name of a step of a list; null where it has none. */
function nameOf(step: unknown): string | null {
  if (typeof step !== "object" || step === null) return null;
  const [service, rate]: readonly unknown[] = [Reflect.get(step, "service"), Reflect.get(step, "ratePerSecond")];
  if (typeof service === "string") return service;
  return typeof rate === "number" ? `${rate}/s` : null;
}

/** #4 */
function listFacts(report: unknown): readonly string[] {
  if (typeof report !== "object" || report === null) return [];
  const { machine, store } = { machine: Reflect.get(report, "machine") as unknown, store: Reflect.get(report, "store") as unknown };
  const facts = typeof machine === "object" && machine !== null ? Object.entries(machine) : [];
  return [...facts, ...(store === undefined ? [] : [["store", store] as const])].map(([name, value]) => `${name} ${String(value)}`);
}

export function formatComparison({ figures, onlyBefore, onlyAfter, otherwise }: Comparison): string {
  const rows = figures.map(({ name, before, after, ratio, difference }) => [
    name,
    String(before),
    String(after),
    ratio === null ? "" : String(ratio),
    difference === "single" ? "" : difference,
  ]);
  return [
    formatTable(["figure", "before", "after", "ratio", "difference"], rows),
    ...(otherwise.length === 0 ? [] : ["", `These differ too: ${otherwise.join("; ")}.`]),
    ...(onlyBefore.length === 0 ? [] : ["", `Only before: ${onlyBefore.join(", ")}.`]),
    ...(onlyAfter.length === 0 ? [] : ["", `Only after: ${onlyAfter.join(", ")}.`]),
  ].join("\n");
}
