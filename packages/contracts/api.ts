// The types that contracts offers to other packages: the serde, and the results of reading and rendering messages. The
// types of the records are generated from avro/ into `generated/records.ts`.

import type { RecordName, Records } from "./generated/records.ts";

export interface DecodedRecord<N extends RecordName = RecordName> {
  readonly name: N;
  readonly value: Records[N];
  /** True: its personal members are left out, because the key that they were sealed with was destroyed. */
  readonly isErased?: boolean;
}
export type AnyDecodedRecord = { [N in RecordName]: DecodedRecord<N> }[RecordName];

/** Under which key the personal members of a record are sealed, and the place that they are bound to. */
export interface Seal {
  readonly topic: string;
  /** Key of the record in its topic: the UETR. */
  readonly key: string;
  /**
   * A new message is sealed under the current key of a scope, such as `alpha/2026-11`. What follows from a record is
   * sealed as that one is, and stays clear where that one is clear: so a replay gives the same bytes.
   */
  readonly under: { readonly scope: string } | { readonly as: Uint8Array };
}

/** Encodes and decodes records on top of avsc: the byte 0x00, the schema id as int32, then the Avro bytes. */
export interface Serde {
  /**
   * Seals a record that has personal members where a seal is given. Throws the retryable Fault `contracts.no-key` while
   * the key is not at hand: for a scope, call `makeKey`; for a record, call `learn`.
   */
  encode<N extends RecordName>(name: N, value: Records[N], seal?: Seal | null): Uint8Array;
  /**
   * Throws the Fault `contracts.unreadable` (not retryable: the bytes are bad), or `contracts.unknown-schema` or
   * `contracts.no-key` (retryable: call `learn`, then decode again).
   */
  decode(bytes: Uint8Array): AnyDecodedRecord;
  /**
   * Asks the registry for the schema with the id of these bytes, and the key service for the key of a sealed record. It
   * resolves when `decode` can be tried again and rejects with a retryable Fault while it cannot.
   */
  learn(bytes: Uint8Array): Promise<void>;
  /** True: the bytes are of a sealed record whose key was destroyed. */
  isErased?(bytes: Uint8Array): boolean;
  /** True: `decode` has the schema and the key of these bytes at hand, or can tell what is wrong with them. */
  knows?(bytes: Uint8Array): boolean;
  /** Makes the current key of a scope, under which new messages are sealed. Rejects with a retryable Fault. */
  makeKey?(scope: string): Promise<void>;
  /**
   * Returns what a text of a record is searched by in the store: the text itself, or a keyed hash of it where the
   * record is sealed; null where its key was destroyed.
   */
  searchTerm?(record: Uint8Array, text: string): string | null;
}

export interface ErrorDetail {
  readonly schema: "ErrorDetail";
  readonly message: string;
  readonly detail: string;
}

/** A message as it was read from HTTP: its Avro shape, and the hashes of its canonical JSON. */
export interface AcceptedMessage<T> {
  readonly message: T;
  readonly contentHash: string;
  readonly substanceHash: string;
}
export type ReadResult<T> =
  | { readonly ok: true; readonly read: AcceptedMessage<T> }
  | { readonly ok: false; readonly status: 400 | 422; readonly error: ErrorDetail };
