// The answer to a decision about several, as a session keeps it until each has its outcome.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { plural } from "../parts/html.ts";
import type { DecidedTogether } from "../sessions/kept-outcomes.ts";

/** Null: the answer is that of another decision. */
export function readDecidedTogether(answer: Readonly<Record<string, unknown>>, atMs: number | null): DecidedTogether | null {
  if (answer["schema"] === "SeveralDecisions") {
    const { action, sums, rows } = controlAnswers.withdrawDebits.parse(answer);
    const ones = rows.map(({ key, action: id, outcome, why }) => ({ key, name: null, action: id, whyRefused: refusal(outcome, why) }));
    return { action, atMs, sums, ones };
  }
  if (answer["schema"] === "Redrives") {
    const { action, sums, rows } = controlAnswers.redriveBank.parse(answer);
    const ones = rows.map(({ uetr, messageIdentification: name, action: id, outcome, why }) => ({
      key: uetr ?? "",
      name,
      action: id,
      whyRefused: refusal(outcome, why),
    }));
    return { action, atMs, sums, ones };
  }
  if (answer["schema"] === "DeadLettersReplays") {
    const { action, rows } = controlAnswers.replayDeadLetters.parse(answer);
    const ones = rows.map(({ of, outcome, records, why }) => ({
      key: of,
      name: null,
      action,
      whyRefused: refusal(outcome, why),
      done: records === null ? "under this decision before" : plural(records, "record"),
    }));
    return { action, atMs, sums: [], ones };
  }
  return null;
}

function refusal(outcome: string, why: string | null): string | null {
  return outcome === "refused" ? (why ?? "It was refused.") : null;
}
