// `./sluice tx`: everything that happened to one transaction, why it stands where it stands, and what comes next. It
// asks the console, so it works wherever the console can be reached.

import type { Timeline } from "@sluice/timeline";
import { Fault } from "@sluice/kernel";
import { asControlVerb, controlClient, controlOptions, type AnswerBody, type RunControlVerb } from "../../terminal/control-client.ts";
import { shown } from "../../terminal/shown.ts";
import { maskControlCharacters, memberText } from "../../terminal/control-table.ts";
import { uetrArgument, type Verb } from "../../terminal/verb.ts";

const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const runTx: RunControlVerb = async (call, where) => {
  const [given = ""] = call.positionals;
  const uetr = given.toLowerCase();
  if (!uetrForm.test(uetr)) throw new Fault("cli.no-uetr", `${given} is no UETR (8-4-4-4-12 hex digits)`, { isRetryable: false });
  const client = await controlClient(call, where);
  const body = await client.get(`/transactions/${uetr}`);
  if (call.flag("json")) {
    where.out(JSON.stringify(body, null, 2));
    return 0;
  }
  const { formatTimeline } = await import("@sluice/timeline/format");
  const [heading = "", ...rest] = formatTimeline(readAnswer(body)).split("\n");
  where.out([heading, ...waitingLines(body), ...rest].join("\n"));
  return 0;
};

export const txVerb: Verb = {
  name: "tx",
  summary: "the timeline of one transaction: states, messages both ways, attempts, events, offsets, times",
  arguments: [uetrArgument],
  options: controlOptions,
  notes: ["Below the heading it says what the transaction waits for, and what comes next. No account number and no name is shown."],
  examples: ["tx 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60"],
  run: asControlVerb(shown(runTx)),
};

/** The console's answer has the timeline as it was read from the log. */
function readAnswer({ timeline }: AnswerBody): Timeline {
  if (typeof timeline !== "object" || timeline === null || !("uetr" in timeline)) {
    throw new Fault("cli.no-answer", "the server that answers is no console: it gave no timeline", { isRetryable: false });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the console makes it from a Timeline
  return timeline as Timeline;
}

/** Why it stands where it stands, and what comes next; nothing if it waits for nothing. */
function waitingLines(body: AnswerBody): readonly string[] {
  if (typeof body["waiting"] !== "object" || body["waiting"] === null) return [];
  const [why, since, nextAttempt, until, then] = ["why", "since", "nextAttempt", "until", "then"].map((name) =>
    memberText(body, `waiting.${name}`),
  );
  const waits = [why, ...(since === "-" ? [] : [`since ${since}`])].join(", ");
  const next = [...(nextAttempt === "-" ? [] : [`next attempt ${nextAttempt}`]), ...(until === "-" ? [] : [`until ${until}`]), then];
  return [`waits: ${waits}`, `next:  ${next.join("; ")}`].map(maskControlCharacters);
}
