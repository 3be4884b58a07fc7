// Dispatches and events, appended to their topics in the place of the scheduler: finished messages at a pace that nobody's answer slows down. A
// message that could not be appended in time is waited for from the instant at which it should have been.

import { lanesDefault, outgoingRecord, topics } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
import { eventId } from "@sluice/domain";
import type { OutgoingRecord, Producer } from "@sluice/messaging";
import { sleep } from "@sluice/runtime";
import type { Random, Time } from "@sluice/runtime";
import { digestOf } from "./delivery-heard.ts";
import type { HeardDeliveries } from "./delivery-heard.ts";
import { sha256 } from "./delivery-plan.ts";
import type { PlannedMessage, PlannedPhase } from "./delivery-plan.ts";

export interface DeliveryFeedPorts {
  readonly producer: Producer;
  readonly serde: Serde;
  readonly heard: HeardDeliveries;
  readonly businessDate: string;
  readonly random: Random;
  readonly time: Time;
  readonly signal: AbortSignal;
  /** False: nothing is appended, and the pace is put off. Not given: the pace alone decides. */
  readonly mayGoOn?: () => boolean;
}

const tickMs = 20;
const recordsPerSendMax = 5_000;
const bodyBytes = 1_450;
const poolBytes = 65_536;
const eventDeadlineMs = 72 * 3_600_000;

/** Resolves when all messages of the phase are appended. */
export async function feedPhase({ name, forMs, messages }: PlannedPhase, ports: DeliveryFeedPorts): Promise<void> {
  const { time, signal, heard, producer } = ports;
  let fromMs = time.monotonicMs();
  const record = recordWriter(ports);
  const plannedAtMs = (index: number): number => fromMs + (forMs * index) / Math.max(1, messages.length);
  for (let next = 0; next < messages.length && !signal.aborted;) {
    if (ports.mayGoOn?.() === false) {
      await sleep(time, tickMs, signal);
      fromMs += Math.max(0, time.monotonicMs() - plannedAtMs(next));
      continue;
    }
    const due: OutgoingRecord[] = [];
    for (const nowMs = time.monotonicMs(); next < messages.length && due.length < recordsPerSendMax; next += 1) {
      const message = messages[next];
      if (message === undefined || plannedAtMs(next) > nowMs) break;
      const { outgoing, digest } = record(message);
      heard.appending({ message, digest }, name, plannedAtMs(next));
      due.push(outgoing);
    }
    if (due.length > 0) await producer.send(due);
    await sleep(time, tickMs, signal);
  }
}

/** The record of a message, and the digest of all that every attempt on it must bring. */
export function recordWriter({ serde, businessDate, random, time }: Pick<DeliveryFeedPorts, "serde" | "businessDate" | "random" | "time">) {
  const pool = random.hex(poolBytes / 2);

  function bodyOf(message: PlannedMessage): Uint8Array {
    const { id, uetr, place } = message;
    const start = JSON.stringify({ schema: "Trial", messageIdentification: id, uetr, place, filling: "" }).slice(0, -2);
    const fillingBytes = bodyBytes - start.length - 2;
    const from = Math.floor(random.fraction() * (poolBytes - fillingBytes));
    return Buffer.from(`${start}${pool.slice(from, from + fillingBytes)}"}`);
  }

  return (message: PlannedMessage): { readonly outgoing: OutgoingRecord; readonly digest: string } => {
    const { id, uetr, place, operation, service } = message;
    const body = bodyOf(message);
    const isEvent = service === "event-publisher";
    const digest = digestOf({
      id,
      idempotencyKey: id,
      operation,
      body,
      sequence: isEvent ? String(place) : "",
      previousId: isEvent && place > 1 ? eventId(uetr, place - 1, sha256) : "",
    });
    const decoded = isEvent ? eventOf(message, body, businessDate, time.nowMs()) : dispatchOf(message, body, businessDate, time.nowMs());
    const topic = isEvent ? topics.events : topics.dispatch;
    return { outgoing: outgoingRecord(serde, topic, uetr, decoded, { lanes: lanesDefault }), digest };
  };
}

/** Only an acknowledgement ends it: the day that it closes with is never reconciled here. */
function dispatchOf({ id, uetr, bank, operation, place }: PlannedMessage, body: Uint8Array, businessDate: string, nowMs: number) {
  const value = { messageIdentification: id, uetr, deliveryKey: uetr, bank, operation, body };
  const limits = { closesWith: `ZA_EFT:${businessDate}`, deadlineMs: null, stopsAtMs: null };
  return { name: "Dispatch", value: { ...value, ...limits, causedByOffset: BigInt(place), madeAtMs: nowMs } } as const;
}

function eventOf({ id, uetr, bank, place }: PlannedMessage, body: Uint8Array, businessDate: string, nowMs: number) {
  const state = { stageVersion: place, state: "HELD", type: "DIRECT_DEBIT_HELD" };
  const transaction = { scheme: "ZA_EFT", service: "EFT_DIRECT_DEBIT", direction: "INBOUND", businessDate };
  const times = { enteredAtMs: nowMs, causedByOffset: BigInt(place), deadlineMs: nowMs + eventDeadlineMs };
  const amount = { value: 1_000_000n, digits: 2, currency: "ZAR" };
  return { name: "TransactionStateEvent", value: { id, uetr, bank, body, amount, ...state, ...transaction, ...times } } as const;
}
