// Reads the value of a record, or says why it is unreadable.
//
// #1 A schema that this process does not know is learnt once. Where it cannot be fetched, the reader rejects with a
//    retryable Fault: the record is not at fault, so its partition waits and tries again by itself.
// #2 The bytes of a batch that could not be read are no record, also if somebody replays their dead letter.
// #3 Bytes that no schema makes readable, also one just learnt, give a reason, with which the record is dead-lettered.

import { type AnyDecodedRecord, headers, type Serde } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import type { ReceivedRecord } from "../port.ts";

/** Resolves with the record, or with the reason why it is unreadable: short and stable, never a value of the record. */
export async function readOrLearn(
  { value, headers: given }: Pick<ReceivedRecord, "value" | "headers">,
  serde: Pick<Serde, "decode" | "learn">,
): Promise<AnyDecodedRecord | string> {
  if (given[headers.unreadableBatch] !== undefined) return "it was in a batch that could not be read";
  if (value === null) return "no value";
  try {
    const known = decodeKnown(value, serde);
    if (known !== null) return known;
    await serde.learn(value);
    return serde.decode(value);
  } catch (error) {
    if (error instanceof Fault && !error.isRetryable) return error.message;
    throw error;
  }
}

/** Decodes the value; null where its schema is not known yet (#1). */
function decodeKnown(value: Uint8Array, serde: Pick<Serde, "decode">): AnyDecodedRecord | null {
  try {
    return serde.decode(value);
  } catch (error) {
    if (error instanceof Fault && error.isRetryable) return null;
    throw error;
  }
}
