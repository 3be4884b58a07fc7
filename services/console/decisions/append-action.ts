// Appends an operator's decision as one record of the journal. The key is what it is about: a UETR, `scheme:date`, or
// `bank:<id>`.
//
// #1 `accepted` is answered only after the broker acknowledged the record. Every other result is reported as unknown:
//    sent again under the same id, the decision counts once.
// #2 The record says who, why and when. The logger gets no reason: operators may write anything there.

import { outgoingRecord, topics, type AnyDecodedRecord, type OperatorAction, type Serde } from "@sluice/contracts";
import type { BrokerClock, Producer } from "@sluice/messaging";
import { Fault, type Logger, type Metrics, type Time } from "@sluice/kernel";
import { createActionCounter } from "./action-counter.ts";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlAnswer } from "../http/control-handler.ts";

/** `record` already contains the action. */
export type AppendAction = (key: string, action: OperatorAction, record: AnyDecodedRecord) => Promise<ControlAnswer>;

export interface ActionAppenderPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly producer: Producer;
  readonly brokerClock: Pick<BrokerClock, "observe">;
  readonly serde: Serde;
  /** Number of partitions of the journal. */
  readonly partitionCount: number;
}

const appendMaxMs = 5_000;
const notStored: ControlAnswer = { kind: "unavailable", detail: "The decision was not stored. Send it again." };

export function createActionAppender(ports: ActionAppenderPorts, topic: string = topics.journal): AppendAction {
  const { time, logger, serde, partitionCount } = ports;
  const actions = createActionCounter(ports.metrics);

  return async (key, { id, operator }, record) => {
    const outcome = await limitTime(time, send(ports, outgoingRecord(serde, topic, key, record, { partitionCount })));
    actions.add({ kind: record.name, outcome: outcome.kind });
    const fields = { kind: record.name, action: id, operator, key };
    if (outcome.kind !== "appended") {
      logger.warn("action.not-appended", { ...fields, outcome: outcome.kind });
      return outcome.kind === "refused" ? notStored : outcomeUnknown(id);
    }
    const { partition, offset, appendedAtMs } = outcome;
    logger.info("action.requested", { ...fields, partition, offset: offset.toString() });
    return {
      kind: "accepted",
      body: { schema: "ActionAccepted", action: id, key, partition, offset, appendedAt: formatInstant(appendedAtMs) },
    };
  };
}

type Outcome =
  | { readonly kind: "appended"; readonly partition: number; readonly offset: bigint; readonly appendedAtMs: number }
  | { readonly kind: "refused" | "unknown" };

/** Names the id, which may have been generated here: without it the caller could not send the decision again. */
function outcomeUnknown(id: string): ControlAnswer {
  const detail = `It is not known whether the decision was stored. Send it again with the Idempotency-Key ${id}: it counts once.`;
  return { kind: "unavailable", detail };
}

/** #1 */
async function send({ producer, brokerClock }: ActionAppenderPorts, record: Parameters<Producer["send"]>[0][number]): Promise<Outcome> {
  try {
    const [appended] = await producer.send([record]);
    if (appended === undefined) return { kind: "unknown" };
    brokerClock.observe(appended.appendedAtMs);
    return { kind: "appended", partition: appended.partition, offset: appended.offset, appendedAtMs: appended.appendedAtMs };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: error.code === "messaging.refused" ? "refused" : "unknown" };
  }
}

async function limitTime(time: Time, sending: Promise<Outcome>): Promise<Outcome> {
  const { promise: tooLate, resolve } = Promise.withResolvers<Outcome>();
  using _timer = time.after(appendMaxMs, () => resolve({ kind: "unknown" }));
  return await Promise.race([sending, tooLate]);
}
