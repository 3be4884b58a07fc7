// `./sluice dead-letters show`: one dead letter, and what can be done with it.

import { asControlVerb, controlClient, controlOptions, type RunControlVerb } from "../../terminal/control-client.ts";
import { shown } from "../../terminal/shown.ts";
import { maskControlCharacters, memberText } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";

export const runDeadLettersShow: RunControlVerb = async (call, where) => {
  const [letter = ""] = call.positionals;
  const client = await controlClient(call, where);
  const body = await client.get(`/dead-letters/${encodeURIComponent(letter)}`);
  if (call.flag("json")) {
    where.out(JSON.stringify(body, null, 2));
    return 0;
  }
  const at = (path: string): string => memberText(body, path);
  const second = at("skip.confirmedBy") === "-" ? "" : `, confirmed by ${at("skip.confirmedBy")}`;
  const hand = at("skip.operator") === "-" ? "" : `, by ${at("skip.operator")} (${at("skip.action")})${second}`;
  const asked = at("skip.isDone") === "false" ? ", only requested" : "";
  const reading =
    at("reading.isReadable") === "true" ? `could be read now, as ${at("reading.as")}` : `cannot be read: ${at("reading.why")}`;
  const passed = at("progress.hasPassed") === "true" ? "is past it" : "is not past it";
  const mark =
    at("transaction.quarantined.records") === "-"
      ? "not quarantined"
      : `quarantined, ${at("transaction.quarantined.records")} dead letters`;
  const lines = [
    `letter ${at("letter")}  dead-lettered ${at("deadLetteredAt")} by the ${at("service")}${hand}${asked}: ${at("why")}`,
    `record ${at("topic")}/${at("partition")} offset ${at("offset")}, appended ${at("appendedAt")}, key ${at("key")}, type ${at("type")}`,
    `bytes  ${at("bytes")}, SHA-256 ${at("sha256")}; ${reading}`,
    ...(at("progress.position") === "-" ? [] : [`partition of the ${at("service")} is at ${at("progress.position")}: ${passed}`]),
    ...(at("transaction.uetr") === "-" ? [] : [`transaction ${at("transaction.uetr")}: ${mark}`]),
  ];
  where.out(lines.map(maskControlCharacters).join("\n"));
  return 0;
};

export const deadLettersShowVerb: Verb = {
  name: "dead-letters show",
  summary: "one dead letter: whether it could be read now and as what, and whether its transaction is quarantined",
  arguments: [{ placeholder: "LETTER", text: "its place, partition:offset, as list shows it" }],
  options: controlOptions,
  examples: ["dead-letters show 0:12"],
  run: asControlVerb(shown(runDeadLettersShow)),
};
