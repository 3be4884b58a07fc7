// Turns the request of a known caller into the record to append, or into the answer that refuses it. Nothing is stored
// here.

import { findBank, findConnector, type Configuration } from "@sluice/config";
import { type AnyDecodedRecord, outgoingRecord, topics, traceHeaders, type Serde } from "@sluice/contracts";
import type { OutgoingRecord } from "@sluice/messaging";
import { Fault, type Logger, type Time } from "@sluice/kernel";
import { scopeFor } from "@sluice/secrecy";
import { refusal } from "../http/answer.ts";
import { traceparentFrom, type TracePorts } from "../http/traceparent.ts";
import type { IntakeResult, IngressOperation, MessageSubject } from "./operation.ts";
import { ingressOperations } from "../operations.ts";

export type PreparedRecord =
  | { readonly ok: true; readonly subject: MessageSubject | null; readonly record: OutgoingRecord }
  | (IntakeResult & { readonly ok: false })
  /** The record must be sealed, and the key of this scope is not at hand yet. */
  | MissingKey;

interface MissingKey {
  readonly ok: false;
  readonly scope: string;
  readonly subject: MessageSubject | null;
}

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
    const scope = configuration.sealPersonalData ? sealScope(decoded) : null;
    const sealing = scope === null ? carried : { ...carried, sealUnder: { scope } };
    try {
      return { ok: true, subject, record: outgoingRecord(serde, topics.journal, key, decoded, sealing) };
    } catch (error) {
      if (scope !== null && error instanceof Fault && error.code === "contracts.no-key") return { ok: false, scope, subject };
      throw error;
    }
  } catch (error) {
    logger.error("ingress.prepare-failed", { operation: name, caller, error });
    return { ok: false, refusal: refusal(500, "Internal error", "The message could not be processed."), subject: null };
  }
}

/** The bank whose customer a message is about, and the month in which it came; null: it says nothing of a person. */
function sealScope({ name, value }: AnyDecodedRecord): string | null {
  if (name === "DirectDebitReceived") return scopeFor(value.bank ?? value.sender, value.receivedAtMs);
  if (name === "CreditTransferReceived") return scopeFor(value.bank, value.receivedAtMs);
  return name === "StatusReportReceived" ? scopeFor(value.sender, value.receivedAtMs) : null;
}

function findCallerKind(configuration: Configuration, caller: string): IngressOperation["sender"] | null {
  if (findBank(configuration, caller) !== undefined) return "bank";
  return findConnector(configuration, caller) === undefined ? null : "connector";
}

function notAllowed(detail: string): PreparedRecord {
  return { ok: false, refusal: refusal(403, "Not allowed", detail), subject: null };
}
