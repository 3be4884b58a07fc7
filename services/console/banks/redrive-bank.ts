// redriveBank: has several messages that a bank refused tried again, as one decision, so that a second person confirms
// them all at once.
//
// #1 It names each message: what was seen is what is redriven, and what the bank refuses meanwhile is not.
// #2 Each message is judged by itself and has its own outcome. Only where none is possible the decision is refused.
// #3 Each has an id of its own, made of the decision's and the message's: sent again under the same id each counts
//    once.

import { sha256Hex } from "@sluice/contracts";
import type { ControlBody } from "@sluice/contracts/decision-bodies";
import type { Store } from "@sluice/store";
import { decideOnTransaction } from "../decisions/decide-on-transaction.ts";
import { createDecisionHandler, refuseWith, type DecisionContext, type DecisionPorts } from "../decisions/decision.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { sumTransactions } from "./refused-messages.ts";

export interface RedriveBankPorts extends DecisionPorts {
  readonly store: DecisionPorts["store"] & Pick<Store, "deliveries" | "postings">;
}

type Redriving = DecisionContext<"redriveBank">;

interface RedrivenOne {
  readonly messageIdentification: string;
  readonly uetr: string | null;
  readonly outcome: "redriven" | "would-be-redriven" | "refused";
  readonly action: string;
  readonly why: string | null;
}

/** Messages that are judged and appended at once. */
const atOnceMax = 16;

export function redriveBank(ports: RedriveBankPorts): ControlHandler {
  return createDecisionHandler(ports, "redriveBank", async (redriving) => {
    const isOnlyChecked = redriving.question.isCheckOnly === true || redriving.body.isDryRun === true;
    const uetrs = await findUetrs(ports, redriving);
    const checked = await redriveEach(ports, redriving, uetrs, true);
    if ("kind" in checked) return checked;
    const [first] = checked;
    if (redriving.body.isDryRun !== true && checked.every(({ outcome }) => outcome === "refused")) {
      return refuseWith(409, "Not possible now", `${first?.messageIdentification}: ${first?.why}`);
    }
    const rows = isOnlyChecked ? checked : await redriveEach(ports, redriving, uetrs, false);
    if ("kind" in rows) return rows;
    const counted = rows.filter(({ outcome }) => outcome !== "refused");
    const sums = await sumTransactions(
      ports.store,
      counted.flatMap(({ uetr }) => (uetr === null ? [] : [uetr])),
    );
    const body = { schema: "Redrives", action: redriving.action.id, isDryRun: isOnlyChecked, count: counted.length, sums, rows };
    return isOnlyChecked ? { kind: "found", body } : { kind: "accepted", body };
  });
}

/** The transaction of each message that waits for this bank. */
async function findUetrs({ store }: RedriveBankPorts, { body, question }: Redriving): Promise<ReadonlyMap<string, string>> {
  const parked = body.target === "POSTING" ? store.postings : store.deliveries;
  const messages = await parked.load(body.of);
  const mine = [...messages].filter(([, { receiverId }]) => receiverId === question.path["bank"]);
  return new Map(mine.map(([id, { uetr }]) => [id, uetr]));
}

/** An answer that is not known ends it, and is the answer to all: sent again each counts once. */
async function redriveEach(
  ports: RedriveBankPorts,
  redriving: Redriving,
  uetrs: ReadonlyMap<string, string>,
  isCheckOnly: boolean,
): Promise<readonly RedrivenOne[] | ControlAnswer> {
  const rows: RedrivenOne[] = [];
  const { of } = redriving.body;
  for (let from = 0; from < of.length; from += atOnceMax) {
    const answers = await Promise.all(
      of.slice(from, from + atOnceMax).map((id) => redriveOne(ports, redriving, id, uetrs.get(id) ?? null, isCheckOnly)),
    );
    for (const answer of answers) {
      if ("kind" in answer) return answer;
      rows.push(answer);
    }
  }
  return rows;
}

/** #3 */
async function redriveOne(
  ports: RedriveBankPorts,
  { action, body, question }: Redriving,
  messageIdentification: string,
  uetr: string | null,
  isCheckOnly: boolean,
): Promise<RedrivenOne | ControlAnswer> {
  const own = { ...action, id: sha256Hex(`${action.id} ${messageIdentification}`).slice(0, idCharacters) };
  const about = { messageIdentification, uetr, action: own.id };
  if (uetr === null) return { ...about, outcome: "refused", why: "no message of this bank with this identification waits" };
  const target: NonNullable<ControlBody<"redriveDelivery">["target"]> = body.target ?? "DELIVERY";
  const asked = { action: own, question: { ...question, path: { uetr }, isCheckOnly } };
  const value = { action: own, target, messageIdentification };
  const answer = await decideOnTransaction(ports, asked, { name: "RedriveRequested", value });
  if (answer.kind === "unavailable") return answer;
  if (answer.kind === "refused") return { ...about, outcome: "refused", why: answer.detail };
  return { ...about, outcome: isCheckOnly ? "would-be-redriven" : "redriven", why: null };
}

const idCharacters = 32;
