// `./sluice reconciliation show`: the items of one transaction with their evidence, later answers, and what people
// found out.

import { reconciliationReasons } from "@sluice/domain";
import { Fault } from "@sluice/kernel";
import { asControlVerb, controlClient, controlOptions, type AnswerBody, type RunControlVerb } from "../../terminal/control-client.ts";
import { shown } from "../../terminal/shown.ts";
import { decidersText, memberRows, maskControlCharacters, memberText } from "../../terminal/control-table.ts";
import { uetrArgument, type Verb } from "../../terminal/verb.ts";

export const runReconciliationShow: RunControlVerb = async (call, where) => {
  const [given = ""] = call.positionals;
  const client = await controlClient(call, where);
  const body = await client.get(`/transactions/${encodeURIComponent(given)}`);
  const items = memberRows(body, "items");
  if (call.flag("json")) {
    where.out(
      JSON.stringify(
        { schema: "TransactionItems", uetr: memberText(body, "timeline.uetr"), items, decisions: memberRows(body, "decisions") },
        null,
        2,
      ),
    );
    return 0;
  }
  if (items.length === 0) throw new Fault("cli.no-item", `${given} has no reconciliation item`, { isRetryable: false });
  const about = ["state", "flow", "bank", "amount"].map((name) => memberText(body, `timeline.${name}`)).join("  ");
  const lines = [
    `${memberText(body, "timeline.uetr")}  ${about}`,
    ...items.flatMap(itemLines),
    ...memberRows(body, "decisions").map(decisionLine),
  ];
  where.out(lines.map(maskControlCharacters).join("\n"));
  return 0;
};

export const reconciliationShowVerb: Verb = {
  name: "reconciliation show",
  summary: "the items of one transaction: evidence, later answers, resolution",
  arguments: [uetrArgument],
  options: controlOptions,
  examples: ["reconciliation show 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60"],
  run: asControlVerb(shown(runReconciliationShow)),
};

function itemLines(item: AnswerBody): readonly string[] {
  const status = item["isOpen"] === true ? "open" : item["settledAt"] === null ? "resolved" : `settled ${memberText(item, "settledAt")}`;
  return [
    `item of ${memberText(item, "day")}  row ${memberText(item, "row")}  ${memberText(item, "cause")}  met in ${memberText(item, "state")}  ${status}`,
    ...reasonLines(memberText(item, "cause")),
    `  made ${memberText(item, "madeAt")}`,
    ...(item["evidence"] === null ? [] : [`  evidence  ${evidenceText(item)}`]),
    ...memberRows(item, "lateAnswers").map((answer) => `  later  ${memberText(answer, "at")}  ${memberText(answer, "text")}`),
    ...(item["resolution"] === null ? [] : resolutionLines(item)),
    ...(memberText(item, "note.at") === "-" ? [] : [noteLine(item)]),
  ];
}

/** The meaning of the cause; none if there is no cause, or a newer console names one that is not known here. */
function reasonLines(cause: string): readonly string[] {
  return Object.entries(reconciliationReasons).flatMap(([code, { text }]) => (code === cause ? [`  ${text}`] : []));
}

function evidenceText(item: AnswerBody): string {
  const is = (name: string, text: string): readonly string[] => (memberText(item, `evidence.${name}`) === "true" ? [text] : []);
  return [
    `${memberText(item, "evidence.attempts")} attempts`,
    memberText(item, "evidence.anyAnswer") === "true" ? `answered, last ${memberText(item, "evidence.httpStatusCode")}` : "never answered",
    ...is("mayHaveBeenTaken", "may have been taken"),
    ...is("isBreakerOpen", "breaker open"),
    ...is("isReceiverPaused", "bank paused"),
  ].join(", ");
}

function resolutionLines(item: AnswerBody): readonly string[] {
  const at = (path: string): string => memberText(item, `resolution.${path}`);
  const by = at("replacedBy") === "-" ? "" : ` by ${at("replacedBy")}`;
  const until = at("expiresAt") === "-" ? "" : ` until ${at("expiresAt")}`;
  const confirmation =
    at("isFinal") === "true" ? "" : `; to be confirmed${until}: --offset ${at("offset")} --sha256 ${at("contentSha256")}`;
  return [
    `  ${at("kind")}${by}  ${at("at")} by ${decidersText(item, "resolution.action.")}: ${at("action.reason")}${confirmation}`,
    ...(at("confirmed.at") === "-" ? [] : [`  confirmed  ${at("confirmed.at")} by ${at("confirmed.action.operator")}`]),
  ];
}

function noteLine(item: AnswerBody): string {
  const at = (path: string): string => memberText(item, `note.${path}`);
  const assignee = at("assignee") === "-" ? "nobody" : at("assignee");
  return `  note  ${at("at")}  by ${at("action.operator")}: ${at("action.reason")}; ${assignee} sees to it`;
}

function decisionLine(note: AnswerBody): string {
  const why = memberText(note, "why") === "-" ? "" : ` (${memberText(note, "why")})`;
  return `decision  ${memberText(note, "at")}  ${memberText(note, "kind")}  ${memberText(note, "result")}${why}  by ${decidersText(note, "")}: ${memberText(note, "reason")}`;
}
