// A recorded journal: one partition, one record a line. The schema of a record is named and not numbered, so that a
// journal stays readable when records and versions are added.

import { createFixedSerde, fixedSchemaIds, topics } from "@sluice/contracts";
import type { ReceivedRecord } from "@sluice/messaging";

interface JournalLine {
  readonly offset: string;
  readonly appendedAtMs: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Name and version, as `DayClosed/1`; null: the bytes are no record. */
  readonly schema: string | null;
  /** Base64, without the header of the wire format if the schema is named. */
  readonly bytes: string;
}

const headerBytes = 5;
const serde = createFixedSerde();
const idsByName = fixedSchemaIds();
const namesById = new Map([...idsByName].map(([name, id]) => [id, name]));

export function formatJournal(records: readonly ReceivedRecord[]): string {
  return records.map((record) => `${JSON.stringify(formatRecord(record))}\n`).join("");
}

function formatRecord({ offset, appendedAtMs, key, headers, value }: ReceivedRecord): JournalLine {
  const bytes = Buffer.from(value ?? []);
  const schema = isRecord(bytes) ? (namesById.get(bytes.readUInt32BE(1)) ?? null) : null;
  return {
    offset: String(offset),
    appendedAtMs,
    key: key === null ? null : Buffer.from(key).toString("utf8"),
    headers,
    schema,
    bytes: (schema === null ? bytes : bytes.subarray(headerBytes)).toString("base64"),
  };
}

function isRecord(bytes: Uint8Array): boolean {
  try {
    serde.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export function parseJournal(text: string): readonly ReceivedRecord[] {
  const lines: readonly JournalLine[] = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return lines.map(({ offset, appendedAtMs, key, headers, schema, bytes }) => ({
    topic: topics.journal,
    partition: 0,
    offset: BigInt(offset),
    appendedAtMs,
    key: key === null ? null : Buffer.from(key, "utf8"),
    headers,
    value: Buffer.concat([schema === null ? Buffer.alloc(0) : writeHeader(schema), Buffer.from(bytes, "base64")]),
  }));
}

function writeHeader(schema: string): Buffer {
  const id = idsByName.get(schema);
  if (id === undefined) throw new Error(`there is no schema ${schema}`);
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(id, 1);
  return header;
}
