// `./sluice reconciliation show`: the items of one transaction with their evidence, what came later, and what people found out.

import { Fault } from "@sluice/runtime";
import { asControlVerb, controlClient, type Body, type RunControlVerb } from "./control-client.ts";
import { rowsAt, shown, textAt } from "./control-table.ts";

export const runReconciliationShow: RunControlVerb = async (call, where) => {
  const [given = ""] = call.positionals;
  const client = await controlClient(call, where);
  const body = await client.get(`/transactions/${encodeURIComponent(given)}`);
  const items = rowsAt(body, "items");
  if (call.flag("json")) {
    where.out(JSON.stringify({ uetr: textAt(body, "timeline.uetr"), items, decisions: rowsAt(body, "decisions") }, null, 2));
    return 0;
  }
  if (items.length === 0) throw new Fault("cli.no-item", `${given} has no reconciliation item`, { isRetryable: false });
  const about = ["state", "flow", "bank", "amount"].map((name) => textAt(body, `timeline.${name}`)).join("  ");
  const lines = [`${textAt(body, "timeline.uetr")}  ${about}`, ...items.flatMap(itemLines), ...rowsAt(body, "decisions").map(decisionLine)];
  where.out(lines.map(shown).join("\n"));
  return 0;
};

export const reconciliationShow = asControlVerb(runReconciliationShow);

function itemLines(item: Body): readonly string[] {
  const standing = item["isOpen"] === true ? "open" : item["settledAt"] === null ? "resolved" : `settled ${textAt(item, "settledAt")}`;
  return [
    `item of ${textAt(item, "day")}  row ${textAt(item, "row")}  ${textAt(item, "cause")}  met in ${textAt(item, "state")}  ${standing}`,
    `  made ${textAt(item, "madeAt")}`,
    ...(item["evidence"] === null ? [] : [`  evidence  ${evidenceText(item)}`]),
    ...rowsAt(item, "lateAnswers").map((answer) => `  later  ${textAt(answer, "at")}  ${textAt(answer, "text")}`),
    ...(item["resolution"] === null ? [] : resolutionLines(item)),
  ];
}

function evidenceText(item: Body): string {
  const is = (name: string, text: string): readonly string[] => (textAt(item, `evidence.${name}`) === "true" ? [text] : []);
  return [
    `${textAt(item, "evidence.attempts")} attempts`,
    textAt(item, "evidence.anyAnswer") === "true" ? `answered, last ${textAt(item, "evidence.httpStatusCode")}` : "never answered",
    ...is("mayHaveBeenTaken", "may have been taken"),
    ...is("isBreakerOpen", "breaker open"),
    ...is("isBankPaused", "bank paused"),
  ].join(", ");
}

function resolutionLines(item: Body): readonly string[] {
  const at = (path: string): string => textAt(item, `resolution.${path}`);
  const by = at("replacedBy") === "-" ? "" : ` by ${at("replacedBy")}`;
  const standing = at("isFinal") === "true" ? "" : `; to be confirmed: --confirms ${at("action.id")}`;
  return [
    `  ${at("kind")}${by}  ${at("at")} by ${at("action.operator")}: ${at("action.reason")}${standing}`,
    ...(at("confirmed.at") === "-" ? [] : [`  confirmed  ${at("confirmed.at")} by ${at("confirmed.action.operator")}`]),
  ];
}

function decisionLine(note: Body): string {
  const why = textAt(note, "why") === "-" ? "" : ` (${textAt(note, "why")})`;
  return `decision  ${textAt(note, "at")}  ${textAt(note, "kind")}  ${textAt(note, "result")}${why}  by ${textAt(note, "operator")}: ${textAt(note, "reason")}`;
}
