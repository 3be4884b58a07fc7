// Writes messages as JSON text. The writers are made from the newest schemas of the records that hold the messages, so
// the order of a message's members is that of its `.avsc`, and a member cannot be forgotten.
//
// #1 A text marked `"json": "token"` in its schema is kept as its JSON token, and written as it is.
// #2 An Amount is written as a decimal number with the digits that it came with.

import type * as wire from "../../generated/records.ts";
import { schemaVersions } from "../../generated/records.ts";
import {
  type JsonWriter,
  type MessageWriter,
  writeAmount,
  writeArray,
  writeMembers,
  writeMessageMembers,
  writePairs,
  writeText,
  writeToken,
} from "../json/write-json.ts";
import { collectNamed, readFields, type SchemaParts, toParts } from "../../wire/schema-compatibility.ts";

export const directDebitText: MessageWriter<wire.DirectDebit> = messageWriter("DirectDebitReceived", "DirectDebit");
export const creditTransferText: MessageWriter<wire.CreditTransfer> = messageWriter("CreditTransferReceived", "CreditTransfer");
export const statusReportText: JsonWriter<wire.PaymentStatusReport> = messageWriter("StatusReportReceived", "PaymentStatusReport");

function messageWriter(record: wire.RecordName, message: string): MessageWriter<object> {
  const schema: unknown = JSON.parse(schemaVersions[record].at(-1) ?? "{}");
  const named = collectNamed(schema);
  const made = new Map<string, JsonWriter<never>>([["Amount", writeAmount]]);

  function writerOf(type: unknown, isToken: boolean): JsonWriter<never> {
    if (Array.isArray(type)) return writerOf(type[1], isToken);
    if (type === "string") return isToken ? writeToken : writeText;
    const parts = typeof type === "string" ? toParts(named.get(type)) : toParts(type);
    if (parts["type"] === "array") return writeArray(writerOf(parts["items"], isToken));
    if (parts["type"] === "map") return writePairs;
    if (parts["type"] === "record") return recordWriter(parts);
    throw new Error(`${message}: no writer for ${JSON.stringify(type)}`);
  }

  function recordWriter(parts: SchemaParts): JsonWriter<never> {
    const name = String(parts["name"]);
    const writer = made.get(name) ?? writeMembers(membersOf(parts));
    made.set(name, writer);
    return writer;
  }

  function membersOf(parts: SchemaParts): readonly (readonly [string, JsonWriter<never>])[] {
    return readFields(parts).map(({ name, type, json }) => [String(name), writerOf(type, json === "token")] as const);
  }

  return writeMessageMembers(message, membersOf(toParts(named.get(message))));
}
