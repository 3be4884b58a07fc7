// What of a transaction's document is written: all of it, or only the members that changed.
//
// #1 Members are left out only where this adapter wrote the document before, under the version that the write expects.
//    What was read is written as a whole: an older release may have written it without members of this one.
// #2 A write that was refused, or is in doubt, says nothing about what is stored.

import type { TransactionDocument, TransactionWrite } from "../port.ts";
import { type StoredTransaction, transactionCodec } from "./transaction-document.ts";

/** A write as an adapter does it. */
export interface MemberWrite {
  readonly uetr: string;
  readonly expectedVersion: number;
  readonly document: TransactionDocument;
  /** Null where only the members that changed are written. */
  readonly whole: StoredTransaction | null;
  /** What is set; the others stay. */
  readonly members: Partial<StoredTransaction>;
}

export class WrittenDocuments {
  readonly #written = new WeakSet<TransactionDocument>();

  /** Lists the writes by UETR. */
  encode(writes: readonly TransactionWrite[]): readonly MemberWrite[] {
    return writes.map((write) => this.#encode(write)).toSorted((a, b) => (a.uetr < b.uetr ? -1 : 1));
  }

  #encode({ document, expectedVersion, before = null }: TransactionWrite): MemberWrite {
    const { uetr } = document.transaction;
    // #1
    if (before === null || before.transaction.version !== expectedVersion || !this.#written.has(before)) {
      const whole = transactionCodec.encode(document);
      return { uetr, expectedVersion, document, whole, members: whole };
    }
    return { uetr, expectedVersion, document, whole: null, members: transactionCodec.encodeChanged(document, before) };
  }

  /** #2: remembers what the store has acknowledged. */
  acknowledge(writes: readonly MemberWrite[], conflicts: readonly string[]): void {
    const refused = new Set(conflicts);
    for (const { uetr, document } of writes) if (!refused.has(uetr)) this.#written.add(document);
  }
}
