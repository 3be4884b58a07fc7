// Reads a clearing house's file of branches and check digit parameters (CIM900): fixed width, a branch a line, nine
// groups of parameters.
//
// #1 A line is accepted whole or not at all, because a half understood branch could refuse a good number. A branch that
//    is not accepted is unknown, so its numbers are not verifiable.
// #2 Of two different lines for one branch neither is accepted.
// #3 Rows are the operator's own, of high confidence. Two groups of one type in a line are a test and its second test,
//    in that order.
// #4 Branch name, member number, country and status are skipped: they decide nothing.

import { type NumberedLine, type RefusedLine, splitLines, type TableReading } from "../table-reading.ts";
import type { AcceptedRemainder, CdvRange, CdvRow } from "./data.ts";
import { isKnownException } from "./exceptions.ts";

export interface Cim900Content {
  readonly rows: readonly CdvRow[];
  readonly notVerifiable: readonly CdvRange[];
}

/** First and last position of a field; positions count from 1. */
const branchAt = [3, 8] as const;
const memberNameAt = [39, 68] as const;
const firstGroupAt = 725;
const groupWidth = 37;
const groups = 9;
const lineWidth = firstGroupAt - 1 + groups * groupWidth;

type Parameters = Omit<CdvRow, "branchRanges">;

interface BranchLine extends NumberedLine {
  readonly branch: string;
  readonly bank: string;
  readonly rows: readonly Parameters[];
}

export function readCim900(text: string): TableReading<Cim900Content> {
  const lines = splitLines(text);
  const refused: RefusedLine[] = [];
  const byBranch = new Map<string, BranchLine[]>();
  for (const line of lines) {
    const read = readBranchLine(line);
    if (typeof read === "string") refused.push({ line: line.line, reason: read });
    else byBranch.set(read.branch, [...(byBranch.get(read.branch) ?? []), read]);
  }
  const taken: BranchLine[] = [];
  for (const same of byBranch.values()) {
    const [first] = same;
    const isOne = new Set(same.map((one) => one.text.trimEnd())).size === 1;
    if (first !== undefined && isOne) taken.push(first);
    const others = isOne ? same.slice(1) : same;
    const reason = isOne ? "the same line again" : "its branch has two lines that differ: neither is taken";
    refused.push(...others.map(({ line }) => ({ line, reason })));
  }
  const content = buildContent(taken);
  return {
    content,
    linesRead: lines.length,
    rowsRead: taken.reduce((sum, { rows }) => sum + rows.length, 0),
    refused: refused.toSorted((a, b) => a.line - b.line),
    warnings: warnOfExceptions(content.rows),
  };
}

/** Returns a text with the fault if the line cannot be read. */
function readBranchLine(line: NumberedLine): BranchLine | string {
  const { text } = line;
  if (text.length < lineWidth) return `${text.length} characters, not ${lineWidth}`;
  const branch = field(text, branchAt);
  if (!/^\d{6}$/.test(branch)) return "no branch code of six digits at 3–8";
  const bank = field(text, memberNameAt).trim() || `branch ${branch}`;
  const rows: Parameters[] = [];
  for (let index = 0; index < groups; index += 1) {
    const from = firstGroupAt - 1 + index * groupWidth;
    const read = readGroup(text.slice(from, from + groupWidth), bank);
    if (typeof read === "string") return `group ${index + 1}: ${read}`;
    if (read !== null) rows.push(read);
  }
  return { ...line, branch, bank, rows };
}

const groupForm =
  /^(?<type>\d)(?<weights>[ \d]{22})(?<fudge>[ \d]{2})(?<modulus>[ \d]{2})(?<remainder>[ \d]{2})(?<position>[ \d]{2})(?<digit1>[ \d])(?<digit2>[ \d])(?<indicator>[ 0-4])(?<exception>[ A-Za-z\d]{2})(?<status>.)$/;

/** Null: the group is not used. */
function readGroup(text: string, bank: string): Parameters | string | null {
  if (/^[ 0]/.test(text)) return text.slice(1).replaceAll(/[ 0]/g, "") === "" ? null : "parameters without an account type";
  const given = groupForm.exec(text)?.groups;
  if (given === undefined) return "not a type, 11 weights of two digits, fudge, modulus and the rest";
  const weights = [...(given["weights"] ?? "").matchAll(/../g)].map(([pair]) => Number(pair));
  const modulus = Number(given["modulus"]);
  if (modulus === 1) return "a modulus of 1";
  const exception = (given["exception"] ?? "").trim().toLowerCase();
  const indicator = (given["indicator"] ?? "").trim();
  return {
    bank,
    accountTypes: [Number(given["type"])],
    weights: weights.every((weight) => weight === 0) ? null : weights,
    fudge: Number(given["fudge"]),
    modulus,
    exception: exception === "" || exception === "0" || exception === "00" ? null : exception,
    accountIndicator: indicator === "" ? null : Number(indicator),
    digitsAsGiven: null,
    confidence: "high",
    condition: null,
    accepts: readAccepted(given),
  };
}

function readAccepted(given: Readonly<Record<string, string>>): AcceptedRemainder | null {
  const remainder = Number(given["remainder"]);
  const position = Number(given["position"]);
  if (remainder === 0 || position === 0) return null;
  const digits = [given["digit1"] ?? " ", given["digit2"] ?? " "].filter((digit) => digit !== " ").map(Number);
  return digits.length === 0 ? null : { remainder, position, digits: [...new Set(digits)] };
}

/** Merges branches with the same parameters into one row, and neighbours into one range. */
function buildContent(lines: readonly BranchLine[]): Cim900Content {
  const shared = new Map<string, { readonly order: number; readonly row: Parameters; readonly branches: string[] }>();
  for (const { branch, rows } of lines) {
    for (const row of rows) {
      const order = rows.filter((other) => other.accountTypes[0] === row.accountTypes[0]).indexOf(row);
      const key = JSON.stringify([order, row]);
      const known = shared.get(key);
      if (known === undefined) shared.set(key, { order, row, branches: [branch] });
      else known.branches.push(branch);
    }
  }
  const inOrder = [...shared.values()].sort((a, b) => a.order - b.order);
  const bare = lines.filter(({ rows }) => rows.length === 0).map(({ branch }) => branch);
  return {
    rows: inOrder.map(({ row, branches }) => ({ ...row, branchRanges: mergeRanges(branches) })),
    notVerifiable:
      bare.length === 0 ? [] : [{ bank: "branches without parameters", branchRanges: mergeRanges(bare), accountTypes: [1, 2, 3, 4, 6] }],
  };
}

function mergeRanges(branches: readonly string[]): readonly (readonly [string, string])[] {
  const ranges: [string, string][] = [];
  for (const branch of branches.toSorted()) {
    const last = ranges.at(-1);
    if (last !== undefined && Number(last[1]) + 1 === Number(branch)) last[1] = branch;
    else ranges.push([branch, branch]);
  }
  return ranges;
}

function warnOfExceptions(rows: readonly CdvRow[]): readonly string[] {
  const unknown = new Map<string, string>();
  for (const { exception, bank } of rows) {
    if (exception !== null && !isKnownException(exception)) unknown.set(exception, bank);
  }
  return [...unknown].map(([exception, bank]) => `exception ${exception} (${bank}, …) is not known: such accounts are not verifiable`);
}

function field(text: string, [from, to]: readonly [number, number]): string {
  return text.slice(from - 1, to);
}
