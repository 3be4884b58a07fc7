// Appends dispatches and events to their topics in place of the scheduler, at a pace that no answer slows down. The
// latency of a message that could not be appended in time counts from the planned instant.

import { outgoingRecord, partitionCountDefault, type Serde, sha256Hex, topics } from "@sluice/contracts";
import { eventId } from "@sluice/domain";
import type { OutgoingRecord, Producer } from "@sluice/messaging";
import { type Random, sleep, type Time } from "@sluice/kernel";
import { type DeliveryRecorder, digestContent } from "./recorder.ts";
import type { TrialMessage, PlannedPhase } from "./plan.ts";

export interface DeliveryFeedPorts {
  readonly producer: Producer;
  readonly serde: Serde;
  readonly recorder: DeliveryRecorder;
  readonly businessDate: string;
  readonly random: Random;
  readonly time: Time;
  readonly signal: AbortSignal;
  /**
   * While this returns false nothing is appended, and the planned instants move back. Without it the pace alone
   * decides.
   */
  readonly mayContinue?: () => boolean;
}

const tickMs = 20;
const recordsPerSendMax = 5_000;
const bodyBytes = 1_450;
const poolBytes = 65_536;
const eventDeadlineMs = 72 * 3_600_000;

/** Resolves when all messages of the phase are appended. */
export async function feedPhase({ name, forMs, messages }: PlannedPhase, ports: DeliveryFeedPorts): Promise<void> {
  const { time, signal, recorder, producer } = ports;
  let fromMs = time.monotonicMs();
  const record = recordWriter(ports);
  const plannedAtMs = (index: number): number => fromMs + (forMs * index) / Math.max(1, messages.length);
  for (let next = 0; next < messages.length && !signal.aborted;) {
    if (ports.mayContinue?.() === false) {
      await sleep(time, tickMs, signal);
      fromMs += Math.max(0, time.monotonicMs() - plannedAtMs(next));
      continue;
    }
    const due: OutgoingRecord[] = [];
    for (const nowMs = time.monotonicMs(); next < messages.length && due.length < recordsPerSendMax; next += 1) {
      const message = messages[next];
      if (message === undefined || plannedAtMs(next) > nowMs) break;
      const { outgoing, digest } = record(message);
      recorder.recordAppend({ message, digest }, name, plannedAtMs(next));
      due.push(outgoing);
    }
    if (due.length > 0) await producer.send(due);
    await sleep(time, tickMs, signal);
  }
}

/** Builds the record of a message, and the digest of the content that every attempt must have. */
function recordWriter({ serde, businessDate, random, time }: Pick<DeliveryFeedPorts, "serde" | "businessDate" | "random" | "time">) {
  const pool = random.hex(poolBytes / 2);

  function buildBody(message: TrialMessage): Uint8Array {
    const { id, uetr, place } = message;
    const start = JSON.stringify({ schema: "Trial", messageIdentification: id, uetr, place, filling: "" }).slice(0, -2);
    const fillerBytes = bodyBytes - start.length - 2;
    const from = Math.floor(random.fraction() * (poolBytes - fillerBytes));
    return Buffer.from(`${start}${pool.slice(from, from + fillerBytes)}"}`);
  }

  return (message: TrialMessage): { readonly outgoing: OutgoingRecord; readonly digest: string } => {
    const { id, uetr, place, operation, service } = message;
    const body = buildBody(message);
    const isEvent = service === "event-publisher";
    const digest = digestContent({
      id,
      idempotencyKey: id,
      operation,
      body,
      sequence: isEvent ? String(place) : "",
      previousId: isEvent && place > 1 ? eventId(uetr, place - 1, sha256Hex) : "",
    });
    const decoded = isEvent
      ? buildEvent(message, body, businessDate, time.nowMs())
      : buildDispatch(message, body, businessDate, time.nowMs());
    const topic = isEvent ? topics.events : topics.dispatch;
    return { outgoing: outgoingRecord(serde, topic, uetr, decoded, { partitionCount: partitionCountDefault }), digest };
  };
}

/** Only an acknowledgement ends such a delivery, because its day is never reconciled in a trial. */
function buildDispatch({ id, uetr, bank, operation, place }: TrialMessage, body: Uint8Array, businessDate: string, nowMs: number) {
  const value = { messageIdentification: id, uetr, deliveryKey: uetr, bank, operation, body };
  const limits = { reconciliationDay: `ZA_EFT:${businessDate}`, deadlineMs: null, stopsAtMs: null };
  return { name: "Dispatch", value: { ...value, ...limits, causedByOffset: BigInt(place), madeAtMs: nowMs } } as const;
}

function buildEvent({ id, uetr, bank, place }: TrialMessage, body: Uint8Array, businessDate: string, nowMs: number) {
  const state = { stageVersion: place, state: "HELD", type: "DIRECT_DEBIT_HELD" };
  const transaction = { scheme: "ZA_EFT", service: "EFT_DIRECT_DEBIT", direction: "INBOUND", businessDate };
  const times = { enteredAtMs: nowMs, causedByOffset: BigInt(place), deadlineMs: nowMs + eventDeadlineMs };
  const amount = { value: 1_000_000n, digits: 2, currency: "ZAR" };
  return { name: "TransactionStateEvent", value: { id, uetr, bank, body, amount, ...state, ...transaction, ...times } } as const;
}
