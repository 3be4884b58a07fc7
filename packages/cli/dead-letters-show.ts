// `./sluice dead-letters show`: one letter, and what could be done with it.

import { asControlVerb, controlClient, type RunControlVerb } from "./control-client.ts";
import { shown, textAt } from "./control-table.ts";

export const runDeadLettersShow: RunControlVerb = async (call, where) => {
  const [letter = ""] = call.positionals;
  const client = await controlClient(call, where);
  const body = await client.get(`/dead-letters/${encodeURIComponent(letter)}`);
  if (call.flag("json")) {
    where.out(JSON.stringify(body, null, 2));
    return 0;
  }
  const at = (path: string): string => textAt(body, path);
  const hand = at("byHand.operator") === "-" ? "" : `, by ${at("byHand.operator")} (${at("byHand.action")})`;
  const asked = at("byHand.isDone") === "false" ? ", only asked for" : "";
  const reading =
    at("reading.isReadable") === "true" ? `could be read now, as ${at("reading.as")}` : `cannot be read: ${at("reading.why")}`;
  const passed = at("lane.hasPassed") === "true" ? "has passed it" : "has not passed it";
  const mark = at("transaction.parked.records") === "-" ? "not marked" : `${at("transaction.parked.records")} records put aside`;
  const lines = [
    `letter ${at("letter")}  put aside ${at("putAsideAt")} by the ${at("service")}${hand}${asked}: ${at("why")}`,
    `record ${at("topic")}/${at("partition")} offset ${at("offset")}, appended ${at("appendedAt")}, key ${at("key")}, type ${at("type")}`,
    `bytes  ${at("bytes")}, SHA-256 ${at("sha256")}; ${reading}`,
    ...(at("lane.position") === "-" ? [] : [`lane   of the ${at("service")} stands at ${at("lane.position")}: ${passed}`]),
    ...(at("transaction.uetr") === "-" ? [] : [`transaction ${at("transaction.uetr")}: ${mark}`]),
  ];
  where.out(lines.map(shown).join("\n"));
  return 0;
};

export const deadLettersShow = asControlVerb(runDeadLettersShow);
