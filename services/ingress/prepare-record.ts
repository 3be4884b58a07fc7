// A request of a known caller becomes the record that is to be appended, or the answer that refuses it. Nothing is stored here.

import type { Configuration } from "@sluice/config";
import { headers, outgoingRecord, topics, type Serde } from "@sluice/contracts";
import type { OutgoingRecord } from "@sluice/messaging";
import type { Time } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import { refusal } from "./answer.ts";
import type { Judgement, Operation, Subject } from "./operation.ts";
import { operations } from "./operations.ts";

export type Prepared =
  | { readonly ok: true; readonly subject: Subject | null; readonly record: OutgoingRecord }
  | (Judgement & { readonly ok: false });

export interface PreparePorts {
  readonly time: Time;
  readonly log: Log;
  readonly serde: Serde;
  readonly configuration: Configuration;
  readonly lanes: number;
}

export interface PrepareRequest {
  readonly operation: Operation["name"];
  readonly caller: string;
  readonly body: Uint8Array;
}

export function prepareRecord(ports: PreparePorts, request: PrepareRequest, traceparent: string): Prepared {
  const { time, log, configuration, lanes, serde } = ports;
  const { operation: name, caller, body } = request;
  const sender = kindOf(configuration, caller);
  if (sender === null) return notAllowed("This caller is not configured.");
  const operation = operations.find((known) => known.name === name && known.sender === sender);
  if (operation === undefined) return notAllowed("This caller may not send this.");
  try {
    const judgement = operation.judge({ caller, body, receivedAtMs: time.nowMs(), configuration });
    if (!judgement.ok) return judgement;
    const { key, subject, decoded } = judgement;
    const carried = { lanes, headers: { [headers.traceparent]: traceparent } };
    return { ok: true, subject, record: outgoingRecord(serde, topics.journal, key, decoded, carried) };
  } catch (error) {
    log.error("ingress.judge-failed", { operation: name, bank: caller, error });
    return { ok: false, refusal: refusal(500, "Internal error", "The message could not be processed."), subject: null };
  }
}

function kindOf({ banks, connectors }: Configuration, caller: string): Operation["sender"] | null {
  if (banks.some(({ id }) => id === caller)) return "bank";
  return connectors.some(({ id }) => id === caller) ? "connector" : null;
}

function notAllowed(detail: string): Prepared {
  return { ok: false, refusal: refusal(403, "Not allowed", detail), subject: null };
}
