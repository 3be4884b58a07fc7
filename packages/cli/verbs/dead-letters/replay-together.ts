// `./sluice dead-letters replay --together`: one decision about everything that was found, so that a second person
// confirms it at once.
//
// #1 A dry run says first how many records there are; the decision names each transaction and letter, and that number.
//    If there are other ones by then, nothing is appended.

import { Fault, type Time } from "@sluice/kernel";
import type { AnswerBody, ControlClient, ControlTerminal } from "../../terminal/control-client.ts";
import { maskControlCharacters, memberRows, memberText } from "../../terminal/control-table.ts";
import { isProposed, proposedLine, sendDecision } from "../deciding/send-decision.ts";

interface TogetherCall {
  readonly client: ControlClient;
  readonly where: ControlTerminal;
  readonly time: Time;
  readonly reason: string;
  readonly id: string;
  readonly isDryRun: boolean;
  readonly isJson: boolean;
}

/** Most transactions and letters of one decision. */
const togetherMax = 50;

export async function replayTogether(call: TogetherCall, found: AsyncIterable<string> | Iterable<string>): Promise<number> {
  const { client, where, time, reason, id, isDryRun, isJson } = call;
  const of: string[] = [];
  for await (const one of found) {
    of.push(one);
    if (of.length > togetherMax)
      throw new Fault("cli.too-many", `more than ${togetherMax} were found: narrow the filters`, { isRetryable: false });
  }
  if (of.length === 0) throw new Fault("cli.nothing-found", "there is nothing to replay", { isRetryable: false });
  const seen = await sendDecision(client, time, "/replay", { reason, of, isDryRun: true }, id);
  const records = Number(seen["records"]);
  const answer = isDryRun ? seen : await sendDecision(client, time, "/replay", { reason, of, records }, id);
  if (isJson) where.out(JSON.stringify(answer, null, 2));
  else if (isProposed(answer)) where.out(maskControlCharacters(proposedLine(`${of.length} replays, ${records} records`, answer)));
  else printRows(where, answer, isDryRun);
  return memberRows(answer, "rows").some((row) => row["outcome"] === "refused") ? 1 : 0;
}

function printRows(where: ControlTerminal, answer: AnswerBody, isDryRun: boolean): void {
  for (const row of memberRows(answer, "rows")) {
    const why = row["why"] === null ? "" : `  ${memberText(row, "why")}`;
    where.out(
      maskControlCharacters(`${memberText(row, "of")}  ${memberText(row, "outcome")}  ${memberText(row, "records")} records${why}`),
    );
  }
  where.out(`${memberText(answer, "records")} records ${isDryRun ? "would be " : ""}replayed as one decision`);
}
