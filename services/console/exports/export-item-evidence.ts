// exportItemEvidence: everything about one reconciliation item as one file, for people who have to prove what happened.
//
// #1 The digest is of the text of `content` as it lies in the file, so that anybody can compute it again:
//    `jq -cj .content FILE | sha256sum`.
// #2 The file leaves: numbers in what people wrote are masked, as in the other exports.

import { hash } from "node:crypto";
import { topics } from "@sluice/contracts";
import { maskNumbers } from "@sluice/kernel";
import { readTimeline } from "@sluice/timeline";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import type { TransactionPorts } from "../queries/show-transaction.ts";
import { decisionView, invalidRequest, isDayKey } from "../views/control-values.ts";
import { reconciliationRow } from "../views/reconciliation-rows.ts";

const unknownItem: ControlAnswer = {
  kind: "refused",
  status: 404,
  message: "Not known",
  detail: "The transaction has no reconciliation item of this day.",
};

export function exportItemEvidence(ports: TransactionPorts): ControlHandler {
  return async ({ path: { uetr = "" }, query }) => {
    const day = query.get("day") ?? "";
    if (!isDayKey(day)) return invalidRequest("day: a day, for example ZA_EFT:2026-11-20.");
    const nowMs = ports.brokerNowMs();
    if (nowMs === null) return { kind: "unavailable", detail: "No time of the log is known yet. Ask again." };
    const [found] = await ports.store.transactions.search({ uetr, itemDay: day }, null, 1);
    const item = found?.items.find((one) => one.day === day);
    const timeline = item === undefined ? null : await readTimeline(uetr, ports);
    if (found === undefined || item === undefined || timeline === null) return unknownItem;
    const { transaction } = (await ports.store.transactions.load([uetr])).get(uetr) ?? {};
    const content = {
      asOf: formatInstant(nowMs),
      item: reconciliationRow({ transaction: found, item }),
      journal: { topic: topics.journal, partition: found.partition },
      decisions: (transaction?.decisions ?? []).map(decisionView),
      timeline,
    };
    const text = JSON.stringify(content, toEvidence);
    const begin = `{"schema":"ItemEvidence","contentSha256":"${hash("sha256", text)}","content":`;
    return { kind: "text", contentType: "application/json", text: `${begin}${text}}\n` };
  };
}

/** #2 */
function toEvidence(name: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return name === "reason" && typeof value === "string" ? maskNumbers(value) : value;
}
