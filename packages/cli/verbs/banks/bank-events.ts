// `./sluice bank events`: how many events of a bank a time has, how their postings stand, and the list as a file.

import { type AnswerBody, asControlVerb, controlClient, controlOptions, type RunControlVerb } from "../../terminal/control-client.ts";
import { column, memberText, numberColumn } from "../../terminal/control-table.ts";
import { runList, type ListVerb } from "../../terminal/control-list.ts";
import type { Verb } from "../../terminal/verb.ts";
import { writeWhole } from "../../terminal/write-whole.ts";

const counted = [
  ["done", "done"],
  ["underWay", "under way"],
  ["waiting", "waiting"],
  ["refused", "refused"],
  ["stopped", "stopped"],
  ["expired", "expired"],
  ["notPosted", "not posted"],
] as const;

const list: ListVerb = {
  path: ({ positionals: [bank = ""] }) => `/banks/${encodeURIComponent(bank)}/events`,
  options: ["from", "to", "after"],
  isPaged: false,
  columns: () => [
    column("MADE", "at"),
    column("UETR", "uetr"),
    numberColumn("NUMBER", "stageVersion"),
    column("POSTING", "status"),
    column("ID", "webhookId"),
  ],
  none: "nothing of these waits, and nothing was given up",
  below: (body) => [countsText(body), ...nextLine(body)],
};

function countsText(body: AnswerBody): string {
  const given = body["counts"];
  const counts: AnswerBody = typeof given === "object" && given !== null ? { ...given } : {};
  const parts = counted.flatMap(([name, word]) => (memberText(counts, name) === "0" ? [] : [`${memberText(counts, name)} ${word}`]));
  return [`${memberText(body, "count")} events of ${memberText(body, "transactions")} transactions`, ...parts].join(", ");
}

function nextLine(body: AnswerBody): readonly string[] {
  return body["next"] === null ? [] : [`more events: --after ${memberText(body, "next")}`];
}

const runCounted = runList(list);

export const runBankEvents: RunControlVerb = async (call, where) => {
  const [format, out] = [call.value("format"), call.value("out")];
  if (format === null && out === null) return await runCounted(call, where);
  const client = await controlClient(call, where);
  const asked = { from: call.value("from"), to: call.value("to"), after: call.value("after"), format };
  const [bank = ""] = call.positionals;
  await writeWhole(client.text(`/banks/${encodeURIComponent(bank)}/events/export`, asked), out, where);
  return 0;
};

export const bankEventsVerb: Verb = {
  name: "bank events",
  summary: "how many events of a bank a time has, and those whose postings are not done; or all of them as a file",
  arguments: [{ placeholder: "BANK", text: "the bank" }],
  options: {
    from: { type: "string", placeholder: "TIME", text: "made at this instant or later" },
    to: { type: "string", placeholder: "TIME", text: "made before this instant, at most 31 days later" },
    after: { type: "string", placeholder: "PLACE", text: "the events behind those that were counted" },
    format: {
      type: "string",
      placeholder: "FORMAT",
      text: "a file: csv, or pages with the bodies for the bank's own person",
      choices: ["csv", "pages"],
    },
    out: { type: "string", placeholder: "FILE", text: "appears when it is complete; without it: standard output", completes: "files" },
    ...controlOptions,
  },
  notes: [
    "What a bank acknowledged is not posted again: the bank asks for it (GET /events), and gets the same bytes under the",
    "same ids. What it refused: ./sluice bank redrive.",
  ],
  examples: [
    "bank events sample --from 2026-11-19T00:00:00+02:00 --to 2026-11-20T00:00:00+02:00",
    "bank events sample --from 2026-11-19T00:00:00+02:00 --to 2026-11-20T00:00:00+02:00 --out events.csv",
  ],
  run: asControlVerb(runBankEvents),
};
