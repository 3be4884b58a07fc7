// What contracts offers to the rest, as types: the serde, reading and rendering of messages. The records' own types are
// generated from avro/ into `generated/records.ts`.

import type { RecordName, Records } from "./generated/records.ts";

export interface Decoded<N extends RecordName = RecordName> {
  readonly name: N;
  readonly value: Records[N];
}
export type AnyDecoded = { [N in RecordName]: Decoded<N> }[RecordName];

/** Own serde over avsc: 0x00, int32 schema id, Avro bytes. */
export interface Serde {
  encode<N extends RecordName>(name: N, value: Records[N]): Uint8Array;
  /** Throws Fault `contracts.unreadable` (not retryable: the bytes are bad) or `contracts.unknown-schema` (retryable: call `learn`, then again). */
  decode(bytes: Uint8Array): AnyDecoded;
  /** Asks the registry for the schema id of these bytes; resolves when `decode` can be tried again; rejects with a retryable Fault while it cannot. */
  learn(bytes: Uint8Array): Promise<void>;
}

export interface ErrorDetail {
  readonly schema: "ErrorDetail";
  readonly message: string;
  readonly detail: string;
}

/** A message as read from HTTP: the Avro shape and the hashes over its canonical JSON. */
export interface ReadMessage<T> {
  readonly message: T;
  readonly contentHash: string;
  readonly substanceHash: string;
}
export type Reading<T> =
  | { readonly ok: true; readonly read: ReadMessage<T> }
  | { readonly ok: false; readonly status: 400 | 422; readonly error: ErrorDetail };
