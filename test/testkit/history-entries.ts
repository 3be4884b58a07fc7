// Converts raw records and snapshots to history entries in the checker's plain form: offsets and other bigints as
// decimal text, bytes as base64. The demo, the end-to-end tests and the simulation build their histories with these
// functions.

import type { RecordEntry, SnapshotEntry } from "@sluice/checker";
import type { Serde } from "@sluice/contracts";
import type { ReceivedRecord } from "@sluice/messaging";
import type { TransactionDocument } from "@sluice/store";

const utf8 = new TextDecoder();

/** Converts a record of a topic. A record that cannot be decoded has the type `unreadable` and no members. */
export function toRecordEntry(record: ReceivedRecord, serde: Serde): RecordEntry {
  const { type, value } = decodeRecord(record, serde);
  return {
    kind: "record",
    topic: record.topic,
    partition: record.partition,
    offset: String(record.offset),
    appendedAtMs: record.appendedAtMs,
    key: record.key === null ? null : utf8.decode(record.key),
    type,
    value,
  };
}

export function toSnapshotEntry(document: TransactionDocument): SnapshotEntry {
  const { uetr, state, reconciliationDay, transitions, items, observations, decisions, quarantined } = document.transaction;
  return {
    kind: "snapshot",
    uetr,
    state,
    reconciliationDay,
    ...(quarantined === null ? {} : { isQuarantined: true }),
    transitions: transitions.map(({ stageVersion, state: entered, offset, atMs }) => ({
      stageVersion,
      state: entered,
      offset: String(offset),
      atMs,
    })),
    items: items.map(({ day, row, cause, state: met, settledAtMs }) => ({ day, row, cause, state: met, settledAtMs })),
    decisions: decisions.map(({ action, kind, result, offset }) => ({ id: action.id, kind, result, offset: String(offset) })),
    observations: observations.last.map(({ kind, messageIdentification, offset }) => ({
      kind,
      messageIdentification,
      offset: String(offset),
    })),
  };
}

function decodeRecord(record: ReceivedRecord, serde: Serde): Pick<RecordEntry, "type" | "value"> {
  if (record.value === null) return { type: "unreadable", value: {} };
  try {
    const { name, value } = serde.decode(record.value);
    return { type: name, value: toPlainMembers(value) };
  } catch {
    return { type: "unreadable", value: {} };
  }
}

function toPlainMembers(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlain(member)]));
}

function toPlain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value === "object" && value !== null) return toPlainMembers(value);
  return value;
}
