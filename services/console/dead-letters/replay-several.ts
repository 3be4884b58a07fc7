// replayDeadLetters: appends several dead letters and transactions again as one decision, so that a second person
// confirms them all at once.
//
// #1 It names each of them, and how many records they have: what was seen is what is replayed. Nothing is appended if
//    one of them would be refused, or if the number of records is another one by now.
// #2 Sent again under the same id it goes on where it broke off: a transaction counts the id once.

import type { ControlBody } from "@sluice/contracts/decision-bodies";
import { createDecisionHandler, refuseWith, type DecisionContext } from "../decisions/decision.ts";
import type { ControlAnswer, ControlHandler, ControlRequest } from "../http/control-handler.ts";
import { replayDeadLetter, replayTransaction, type ReplayDeadLetterPorts } from "./replay-dead-letters.ts";

type Replaying = DecisionContext<"replayDeadLetters">;

interface Handlers {
  readonly ofTransaction: ControlHandler;
  readonly ofLetter: ControlHandler;
}

interface ReplayedOne {
  readonly of: string;
  readonly outcome: "replayed" | "would-be-replayed" | "refused";
  /** Null: it was replayed under this id before. */
  readonly records: number | null;
  readonly why: string | null;
}

export function replaySeveral(ports: ReplayDeadLetterPorts): ControlHandler {
  const handlers = { ofTransaction: replayTransaction(ports), ofLetter: replayDeadLetter(ports) };
  return createDecisionHandler(ports, "replayDeadLetters", async (replaying) => {
    const isOnlyChecked = replaying.question.isCheckOnly === true || replaying.body.isDryRun === true;
    const checked = await replayEach(handlers, replaying, true);
    if ("kind" in checked) return checked;
    const refusal = findRefusal(checked, replaying.body);
    if (refusal !== null) return refusal;
    const rows = isOnlyChecked ? checked : await replayEach(handlers, replaying, false);
    if ("kind" in rows) return rows;
    const records = rows.reduce((sum, row) => sum + (row.records ?? 0), 0);
    const body = { schema: "DeadLettersReplays", action: replaying.action.id, isDryRun: isOnlyChecked, records, rows };
    return isOnlyChecked ? { kind: "found", body } : { kind: "accepted", body };
  });
}

/** #2 One after the other; an answer that is not known ends it, and is the answer to all. */
async function replayEach(handlers: Handlers, replaying: Replaying, isCheckOnly: boolean): Promise<readonly ReplayedOne[] | ControlAnswer> {
  const rows: ReplayedOne[] = [];
  for (const of of replaying.body.of) {
    const answer = await handleOne(handlers, replaying, of, isCheckOnly);
    if (answer.kind === "unavailable") return answer;
    if (answer.kind === "refused") rows.push({ of, outcome: "refused", records: 0, why: answer.detail });
    else rows.push({ of, outcome: isCheckOnly ? "would-be-replayed" : "replayed", records: countRecords(answer), why: null });
  }
  return rows;
}

async function handleOne(
  { ofTransaction, ofLetter }: Handlers,
  { action, body, question }: Replaying,
  of: string,
  isCheckOnly: boolean,
): Promise<ControlAnswer> {
  const single: ControlRequest = {
    ...question,
    path: of.includes(":") ? { letter: of } : { uetr: of },
    body: new TextEncoder().encode(JSON.stringify({ reason: body.reason })),
    actionId: action.id,
    isCheckOnly,
  };
  return await (of.includes(":") ? ofLetter(single) : ofTransaction(single));
}

function countRecords(answer: ControlAnswer): number | null {
  if (!("body" in answer)) return null;
  const { rows }: { readonly rows?: readonly object[] } = answer.body;
  return rows?.length ?? null;
}

/** #1 Null: each is possible, and they have as many records as were named. */
function findRefusal(checked: readonly ReplayedOne[], { records, isDryRun }: ControlBody<"replayDeadLetters">): ControlAnswer | null {
  if (isDryRun === true) return null;
  const refused = checked.find(({ outcome }) => outcome === "refused");
  if (refused !== undefined) return refuseWith(409, "Not possible now", `${refused.of}: ${refused.why}`);
  const found = checked.reduce((sum, row) => sum + (row.records ?? 0), 0);
  const isCounted = checked.every((row) => row.records !== null);
  if (!isCounted || found === records) return null;
  return refuseWith(409, "Not possible now", `records-changed: they have ${found} records by now, and ${records} were named.`);
}
