// Reads the table of rule uk-modulus in its published form (valacdos): first and last sort code, method, 14 weights,
// and an exception or none, separated by blanks.
//
// #1 A sort code has one row or two; a third has no meaning and is refused.

import { type NumberedLine, type RefusedLine, splitLines, type TableReading } from "../table-reading.ts";
import { type UkMethod, ukMethods, type UkRow } from "./data.ts";

export interface ValacdosContent {
  readonly rows: readonly UkRow[];
}

const rowsPerSortCodeMax = 2;
const highestException = 14;

export function readValacdos(text: string): TableReading<ValacdosContent> {
  const lines = splitLines(text);
  const read = lines.map((line) => ({ ...line, row: readRow(line) }));
  const refused: RefusedLine[] = [];
  const good: NumberedRow[] = [];
  for (const { line, row } of read) {
    if (typeof row === "string") refused.push({ line, reason: row });
    else good.push({ line, row });
  }
  const tooMany = thirdRows(good);
  refused.push(...[...tooMany].map(({ line }) => ({ line, reason: "a third row for its sort codes" })));
  const rows = good.filter((one) => !tooMany.has(one)).map(({ row }) => row);
  const unknown = new Set(rows.flatMap(({ exception }) => (exception !== null && exception > highestException ? [exception] : [])));
  const warnings = [...unknown].map((exception) => `exception ${exception} is not known: its sort codes are not verifiable`);
  return { content: { rows }, linesRead: lines.length, rowsRead: rows.length, refused: inLines(refused), warnings };
}

interface NumberedRow {
  readonly line: number;
  readonly row: UkRow;
}

/** Finds rows whose sort codes have two rows already, by going up the sort codes. */
function thirdRows(rows: readonly NumberedRow[]): ReadonlySet<NumberedRow> {
  const third = new Set<NumberedRow>();
  let open: readonly NumberedRow[] = [];
  for (const one of rows.toSorted((a, b) => Number(a.row.sortCodes[0]) - Number(b.row.sortCodes[0]))) {
    open = open.filter(({ row }) => row.sortCodes[1] >= one.row.sortCodes[0]);
    if (open.length >= rowsPerSortCodeMax) third.add(one);
    else open = [...open, one];
  }
  return third;
}

/** Returns a text with the fault if the line cannot be read. */
function readRow({ text }: NumberedLine): UkRow | string {
  const [from = "", to = "", method = "", ...numbers] = text.trim().split(/\s+/);
  if (!/^\d{6}$/.test(from) || !/^\d{6}$/.test(to)) return "no two sort codes of six digits at its start";
  if (from > to) return "the first sort code is after the last";
  if (!isMethod(method)) return `the method is not ${ukMethods.join(", ")}`;
  if (numbers.length < 14 || numbers.length > 15) return "not 14 weights and at most one exception";
  const weights = numbers.slice(0, 14);
  if (!weights.every((weight) => /^-?\d{1,3}$/.test(weight))) return "a weight is not a number of at most three digits";
  const exception = numbers[14] ?? null;
  if (exception !== null && !/^[1-9]\d?$/.test(exception)) return "the exception is not a number from 1 on";
  return { sortCodes: [from, to], method, weights: weights.map(Number), exception: exception === null ? null : Number(exception) };
}

function isMethod(text: string): text is UkMethod {
  return (ukMethods as readonly string[]).includes(text);
}

function inLines(refused: readonly RefusedLine[]): readonly RefusedLine[] {
  return refused.toSorted((a, b) => a.line - b.line);
}
