// An operator's decision becomes one record of the journal, under the key of what it is about: a UETR, `scheme:date`, or `bank:<id>`.
//
// #1 `accepted` is said only after the log acknowledged the record. What came otherwise is told as unknown: sent again under the same id it
//    counts once.
// #2 Who, why and when are in the record. The log line has no reason: people write what they like there.

import { outgoingRecord, topics, type AnyDecoded, type OperatorAction, type Serde } from "@sluice/contracts";
import type { AgreedTime, Producer } from "@sluice/messaging";
import { Fault, type Time } from "@sluice/runtime";
import type { Log, Metrics } from "@sluice/telemetry";
import { instantText } from "./answer.ts";
import type { ControlAnswer } from "./control-handler.ts";

/** `record` has the action. */
export type AppendAction = (key: string, action: OperatorAction, record: AnyDecoded) => Promise<ControlAnswer>;

export interface ActionAppenderPorts {
  readonly time: Time;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly producer: Producer;
  readonly agreedTime: Pick<AgreedTime, "saw">;
  readonly serde: Serde;
  /** Partitions of the journal. */
  readonly lanes: number;
}

const appendMaxMs = 5_000;
const notStored: ControlAnswer = { kind: "unavailable", detail: "The decision was not stored. Send it again." };

export function createActionAppender(ports: ActionAppenderPorts): AppendAction {
  const { time, log, serde, lanes } = ports;
  const actions = ports.metrics.counter("sluice_console_actions_total", "Operators' decisions that were to be appended", [
    "kind",
    "outcome",
  ]);

  return async (key, { id, operator }, record) => {
    const outcome = await inTime(time, send(ports, outgoingRecord(serde, topics.journal, key, record, { lanes })));
    actions.add({ kind: record.name, outcome: outcome.kind });
    const fields = { kind: record.name, action: id, operator, key };
    if (outcome.kind !== "appended") {
      log.warn("action.not-appended", { ...fields, outcome: outcome.kind });
      return outcome.kind === "refused" ? notStored : uncertain(id);
    }
    const { partition, offset, appendedAtMs } = outcome;
    log.info("action.requested", { ...fields, partition, offset: offset.toString() });
    return {
      kind: "accepted",
      body: { schema: "ActionAccepted", action: id, key, partition, offset, appendedAt: instantText(appendedAtMs) },
    };
  };
}

type Outcome =
  | { readonly kind: "appended"; readonly partition: number; readonly offset: bigint; readonly appendedAtMs: number }
  | { readonly kind: "refused" | "unknown" };

/** With the id, which may have been made here: without it nobody could send it again. */
function uncertain(id: string): ControlAnswer {
  const detail = `It is not known whether the decision was stored. Send it again with the Idempotency-Key ${id}: it counts once.`;
  return { kind: "unavailable", detail };
}

/** #1 */
async function send({ producer, agreedTime }: ActionAppenderPorts, record: Parameters<Producer["send"]>[0][number]): Promise<Outcome> {
  try {
    const [appended] = await producer.send([record]);
    if (appended === undefined) return { kind: "unknown" };
    agreedTime.saw(appended.appendedAtMs);
    return { kind: "appended", partition: appended.partition, offset: appended.offset, appendedAtMs: appended.appendedAtMs };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: error.code === "messaging.refused" ? "refused" : "unknown" };
  }
}

async function inTime(time: Time, sending: Promise<Outcome>): Promise<Outcome> {
  const { promise: tooLate, resolve } = Promise.withResolvers<Outcome>();
  using _timer = time.after(appendMaxMs, () => resolve({ kind: "unknown" }));
  return await Promise.race([sending, tooLate]);
}
