// The types that contracts offers to other packages: the serde, and the results of reading and rendering messages. The
// types of the records are generated from avro/ into `generated/records.ts`.

import type { RecordName, Records } from "./generated/records.ts";

export interface DecodedRecord<N extends RecordName = RecordName> {
  readonly name: N;
  readonly value: Records[N];
}
export type AnyDecodedRecord = { [N in RecordName]: DecodedRecord<N> }[RecordName];

/** Encodes and decodes records on top of avsc: the byte 0x00, the schema id as int32, then the Avro bytes. */
export interface Serde {
  encode<N extends RecordName>(name: N, value: Records[N]): Uint8Array;
  /**
   * Throws the Fault `contracts.unreadable` (not retryable: the bytes are bad) or `contracts.unknown-schema`
   * (retryable: call `learn`, then decode again).
   */
  decode(bytes: Uint8Array): AnyDecodedRecord;
  /**
   * Asks the registry for the schema with the id of these bytes. It resolves when `decode` can be tried again and
   * rejects with a retryable Fault while it cannot.
   */
  learn(bytes: Uint8Array): Promise<void>;
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
