// Checks one number by one row of rule za-cdv.

import { weigh } from "../check-digits.ts";
import type { StepListener } from "../check-steps.ts";
import type { AcceptedRemainder, CdvRow, RowCondition } from "./data.ts";
import {
  cdvExceptionChecks,
  type CdvNumber,
  isKnownException,
  type RowVerdict,
  standaloneExceptions,
  standardBankCentral,
} from "./exceptions.ts";

export function checkCdvRow(row: CdvRow, number: CdvNumber, note: StepListener): RowVerdict {
  note?.({ step: "row", row: row.bank, exception: row.exception, confidence: row.confidence });
  const why = whyNotTestable(row, number);
  if (why === null) return checkTestable(row, number, note);
  note?.({ step: "finding", text: why.text });
  return why.verdict;
}

function whyNotTestable(row: CdvRow, number: CdvNumber): { readonly verdict: RowVerdict; readonly text: string } | null {
  const { exception, confidence, digitsAsGiven, condition } = row;
  if (confidence === "low" || confidence === "conflict")
    return { verdict: "unsure", text: `a row of confidence ${confidence} decides nothing` };
  if (digitsAsGiven !== null && !digitsAsGiven.includes(number.given.length))
    return { verdict: "not-about", text: `the row is about numbers of ${digitsAsGiven.join(", ")} digits, as given` };
  if (condition !== null && !conditions[condition](number, number.digits ?? ""))
    return { verdict: "not-about", text: "the row's notes leave such numbers out" };
  if (exception !== null && !isKnownException(exception)) return { verdict: "unsure", text: `exception ${exception} is not known` };
  const isStandalone = exception !== null && standaloneExceptions.has(exception);
  if ((row.weights === null || row.modulus === 0) && !isStandalone) return { verdict: "unsure", text: "the row has no check digit test" };
  if (number.digits === null && exception !== "h") return { verdict: "not-about", text: "more than 11 significant digits" };
  return null;
}

/** Conditions from the rows' notes. A row does not apply to a number that does not meet its condition. */
const conditions: Readonly<Record<RowCondition, (number: CdvNumber, digits: string) => boolean>> = {
  "standard-bank": ({ branch, given }, digits) => branch === standardBankCentral || given.length <= 9 || digits.startsWith("00"),
  "nedbank-current": (_, digits) => digits.startsWith("01"),
  "nedbank-savings": (_, digits) => digits.startsWith("02"),
};

function checkTestable(row: CdvRow, number: CdvNumber, note: StepListener): RowVerdict {
  const { exception } = row;
  const remainder = baseRemainder(row, number, note);
  const isKnown = exception !== null && isKnownException(exception);
  const verdict = isKnown ? cdvExceptionChecks[exception](number, remainder, note) : toVerdict(remainder);
  if (verdict !== "fails" || row.accepts === null || remainder !== row.accepts.remainder) return verdict;
  return checkAccepted(row.accepts, number, note);
}

/** The remainder of the base test; null: the row has none, or the number has too many digits. */
function baseRemainder({ weights, modulus, fudge }: CdvRow, { digits }: CdvNumber, note: StepListener): number | null {
  return weights === null || modulus === 0 || digits === null ? null : weigh(digits, { test: "base", weights, modulus, fudge }, note);
}

function toVerdict(remainder: number | null): RowVerdict {
  if (remainder === null) return "unsure";
  return remainder === 0 ? "passes" : "fails";
}

/** Positions count from the right, as everywhere in the rules. A number that fits only from the left is not refused. */
function checkAccepted({ position, digits }: AcceptedRemainder, number: CdvNumber, note: StepListener): RowVerdict {
  const padded = number.digits ?? "";
  const isAccepted = (text: string | undefined): boolean => text !== undefined && digits.includes(Number(text));
  const verdict = isAccepted(padded.at(-position)) ? "passes" : isAccepted(padded[position - 1]) ? "unsure" : "fails";
  note?.({ step: "finding", text: `the row accepts this remainder with ${digits.join(" or ")} at position ${position}: ${verdict}` });
  return verdict;
}
