// History entries of what the system itself kept: raw records and snapshots, in the checker's plain words (offsets and other
// bigints as decimal text, bytes as base64). Demo, end-to-end tests and simulation make their histories with these.

import type { RecordEntry, SnapshotEntry } from "@sluice/checker";
import type { Serde } from "@sluice/contracts";
import type { ReceivedRecord } from "@sluice/messaging";
import type { TransactionDocument } from "@sluice/store";

const utf8 = new TextDecoder();

/** A record as it lies in a topic. One that cannot be decoded has the type `unreadable` and no members. */
export function recordEntry(record: ReceivedRecord, serde: Serde): RecordEntry {
  const { type, value } = decoded(record, serde);
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

export function snapshotEntry(document: TransactionDocument): SnapshotEntry {
  const { uetr, state, closesWith, transitions, items, remarks, decisions } = document.transaction;
  return {
    kind: "snapshot",
    uetr,
    state,
    closesWith,
    transitions: transitions.map(({ stageVersion, state: entered, offset, atMs }) => ({
      stageVersion,
      state: entered,
      offset: String(offset),
      atMs,
    })),
    items: items.map(({ day, row, cause, state: met, settledAtMs }) => ({ day, row, cause, state: met, settledAtMs })),
    decisions: decisions.map(({ action, kind, result, offset }) => ({ id: action.id, kind, result, offset: String(offset) })),
    remarks: remarks.last.map(({ kind, messageIdentification, offset }) => ({ kind, messageIdentification, offset: String(offset) })),
  };
}

function decoded(record: ReceivedRecord, serde: Serde): Pick<RecordEntry, "type" | "value"> {
  if (record.value === null) return { type: "unreadable", value: {} };
  try {
    const { name, value } = serde.decode(record.value);
    return { type: name, value: plainMembers(value) };
  } catch {
    return { type: "unreadable", value: {} };
  }
}

function plainMembers(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null) return plainMembers(value);
  return value;
}
