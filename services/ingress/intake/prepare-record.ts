// Turns the request of a known caller into the record to append, or into the answer that refuses it. Nothing is stored
// here.

import { findBank, findConnector, type Configuration } from "@sluice/config";
import { outgoingRecord, topics, traceHeaders, type Serde } from "@sluice/contracts";
import type { OutgoingRecord } from "@sluice/messaging";
import type { Logger, Time } from "@sluice/kernel";
import { refusal } from "../http/answer.ts";
import { traceparentFrom, type TracePorts } from "../http/traceparent.ts";
import type { IntakeResult, IngressOperation, MessageSubject } from "./operation.ts";
import { ingressOperations } from "../operations.ts";

export type PreparedRecord =
  | { readonly ok: true; readonly subject: MessageSubject | null; readonly record: OutgoingRecord }
  | (IntakeResult & { readonly ok: false });

export interface PreparePorts extends TracePorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly serde: Serde;
  readonly configuration: Configuration;
  readonly partitionCount: number;
}

export interface PrepareRequest {
  readonly operation: IngressOperation["name"];
  readonly caller: string;
  readonly body: Uint8Array;
  /** As the caller sent it. */
  readonly traceparent?: string | null;
}

export function prepareRecord(ports: PreparePorts, request: PrepareRequest): PreparedRecord {
  const { time, logger, configuration, partitionCount, serde } = ports;
  const { operation: name, caller, body } = request;
  const sender = findCallerKind(configuration, caller);
  if (sender === null) return notAllowed("This caller is not configured.");
  const operation = ingressOperations.find((known) => known.name === name && known.sender === sender);
  if (operation === undefined) return notAllowed("This caller may not send this.");
  try {
    const result = operation.parseAndAuthorize({ caller, body, receivedAtMs: time.nowMs(), configuration });
    if (!result.ok) return result;
    const { key, subject, decoded } = result;
    const traceparent = traceparentFrom(request.traceparent ?? null, subject?.uetr ?? null, ports);
    const carried = { partitionCount, headers: traceHeaders(traceparent) };
    return { ok: true, subject, record: outgoingRecord(serde, topics.journal, key, decoded, carried) };
  } catch (error) {
    logger.error("ingress.prepare-failed", { operation: name, caller, error });
    return { ok: false, refusal: refusal(500, "Internal error", "The message could not be processed."), subject: null };
  }
}

function findCallerKind(configuration: Configuration, caller: string): IngressOperation["sender"] | null {
  if (findBank(configuration, caller) !== undefined) return "bank";
  return findConnector(configuration, caller) === undefined ? null : "connector";
}

function notAllowed(detail: string): PreparedRecord {
  return { ok: false, refusal: refusal(403, "Not allowed", detail), subject: null };
}
