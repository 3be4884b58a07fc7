// The record of an event for analysts: columns alone, without the posting.
//
// #1 A replay gives the same record although more is known by then: only the states that show a verdict or a report
//    have its codes.
// #2 It has no name, no account number and no text that a caller wrote: of reasons only codes of the ISO list.

import type { EventOutput } from "@sluice/domain";
import type { DecodedRecord } from "../api.ts";
import { type EventColumns, eventColumns } from "../messages/render/render-event.ts";
import type { MessageSources } from "../messages/render/message-sources.ts";
import { stateRow } from "../messages/render/state-table.ts";

export interface StateEnteredOptions {
  /** The bank that gets the posting. */
  readonly bank: string;
  readonly journalPartition: number;
}

/** Reasons of one rejection or report that are kept. */
const reasonCodesMax = 20;

export function stateEnteredRecord(
  output: EventOutput,
  sources: MessageSources,
  { bank, journalPartition }: StateEnteredOptions,
  columns: EventColumns = eventColumns(output, sources),
): DecodedRecord<"StateEntered"> {
  const { id, uetr, stageVersion, state, scheme, service, direction, businessDate, amount, enteredAtMs, causedByOffset } = columns;
  return {
    name: "StateEntered",
    value: {
      id,
      uetr,
      stageVersion,
      state,
      scheme,
      service,
      direction,
      businessDate,
      enteredAtMs,
      flow: output.flow,
      sender: sources.received.sender,
      bank,
      amount: amount.value,
      currency: amount.currency,
      reasonCodes: readReasonCodes(output, sources),
      httpStatusCode: output.httpStatusCode,
      carryOvers: output.carryOvers,
      journalPartition,
      journalOffset: causedByOffset,
    },
  };
}

const rejections: ReadonlySet<string> = new Set(["REJECTED", "REJECTION_REPORTED", "CREDIT_AUTH_REJECTED"]);

/** #1 #2 */
function readReasonCodes(output: EventOutput, { verdict, finalReport }: MessageSources): readonly string[] {
  const codes = (): readonly string[] => {
    if (rejections.has(output.state)) return verdict?.reasons.map(({ code }) => code) ?? [];
    if (stateRow(output).payload !== "final-report") return [];
    const reasons = finalReport?.report.status.reasonInfo ?? [];
    return reasons.flatMap(({ reason }) => (reason?.schema === "CODE" ? [reason.value] : []));
  };
  const found = codes();
  return found.length === 0 ? found : [...new Set(found)].slice(0, reasonCodesMax);
}
