// One decision about several transactions, banks or connectors.
//
// #1 It names each of them: what was seen is what is decided, whatever a filter would find meanwhile.
// #2 Each is judged by itself and has its own outcome. Only where none is possible the decision is refused.
// #3 Each has an id of its own, made of the decision's and of what it is about: sent again under the same id each
//    counts once.

import { sha256Hex, type OperatorAction } from "@sluice/contracts";
import type { ControlBody } from "@sluice/contracts/decision-bodies";
import { sumTransactions } from "../banks/refused-messages.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { createDecisionHandler, refuseWith, type DecisionPorts } from "./decision.ts";

type SeveralName = "withdrawDebits" | "resolveItems" | "confirmResolutions" | "rejectResolutions" | "pauseBanks" | "resumeBanks";

interface OneOfSeveral {
  /** The key of its record in the journal. */
  readonly key: string;
  /** What tells it apart from the others under one key. */
  readonly name: string;
  /** Null: it is about no transaction. */
  readonly uetr: string | null;
  decide(action: OperatorAction, isCheckOnly: boolean): Promise<ControlAnswer>;
}

/** Records that are judged and appended at once. */
const atOnceMax = 16;
const idCharacters = 32;

export function decideOnSeveral<Name extends SeveralName>(
  ports: DecisionPorts,
  name: Name,
  list: (body: ControlBody<Name>) => readonly OneOfSeveral[] | string,
): ControlHandler {
  return createDecisionHandler(ports, name, async ({ action, body, question }) => {
    const all = list(body);
    if (typeof all === "string") return refuseWith(422, "The decision cannot be processed.", all);
    const { isDryRun }: { readonly isDryRun: boolean | null } = body;
    const isOnlyChecked = question.isCheckOnly === true || isDryRun === true;
    const checked = await decideEach(all, action, true);
    if ("kind" in checked) return checked;
    const [first] = checked;
    if (isDryRun !== true && checked.every(({ outcome }) => outcome === "refused")) {
      return refuseWith(409, "Not possible now", `${first?.key}: ${first?.why}`);
    }
    const rows = isOnlyChecked ? checked : await decideEach(all, action, false);
    if ("kind" in rows) return rows;
    const counted = all.filter((_, index) => rows[index]?.outcome !== "refused");
    const uetrs = counted.flatMap(({ uetr }) => (uetr === null ? [] : [uetr]));
    const sums = uetrs.length === 0 ? [] : await sumTransactions(ports.store, uetrs);
    const answer = { schema: "SeveralDecisions", action: action.id, isDryRun: isOnlyChecked, count: counted.length, sums, rows };
    return isOnlyChecked ? { kind: "found", body: answer } : { kind: "accepted", body: answer };
  });
}

interface DecidedOne {
  readonly key: string;
  readonly outcome: "requested" | "would-be-requested" | "refused";
  readonly action: string;
  readonly why: string | null;
}

/** An answer that is not known ends it, and is the answer to all: sent again each counts once. */
async function decideEach(
  all: readonly OneOfSeveral[],
  action: OperatorAction,
  isCheckOnly: boolean,
): Promise<readonly DecidedOne[] | ControlAnswer> {
  const rows: DecidedOne[] = [];
  for (let from = 0; from < all.length; from += atOnceMax) {
    const answers = await Promise.all(all.slice(from, from + atOnceMax).map((one) => decideOne(one, action, isCheckOnly)));
    for (const answer of answers) {
      if ("kind" in answer) return answer;
      rows.push(answer);
    }
  }
  return rows;
}

/** #3 */
async function decideOne(one: OneOfSeveral, action: OperatorAction, isCheckOnly: boolean): Promise<DecidedOne | ControlAnswer> {
  const { key } = one;
  const own = { ...action, id: sha256Hex(`${action.id} ${one.name}`).slice(0, idCharacters) };
  const answer = await one.decide(own, isCheckOnly);
  if (answer.kind === "unavailable") return answer;
  if (answer.kind === "refused") return { key, outcome: "refused", action: own.id, why: answer.detail };
  return { key, outcome: isCheckOnly ? "would-be-requested" : "requested", action: own.id, why: null };
}
