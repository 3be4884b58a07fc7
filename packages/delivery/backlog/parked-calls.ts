// The store of parked messages as the engine uses it: called for single messages, which share calls in bulk.
//
// #1 Inserts, loads and removals take the receivers in turn, so that no receiver has the store for itself, neither one
//    that goes down nor one that drains.
// #2 Each call is repeated until the store has acknowledged it, as long as the partition is open and its lease is
//    confirmed.
// #3 Every write is a compare-and-set on the version that this process knows of the row, which costs no further call.
//    Where the row has another version it is read again, and `row-version.ts` judges. A write of a lesser version
//    loses: it is counted and logged, and where a later owner has written, the partition is given up.
// #4 A message that the store no longer has has ended elsewhere: its update and its removal count as done.
// #5 A row of an earlier owner that stands for what this owner parks gets a version of this owner, because otherwise it
//    would be taken for a late insert (partition/take-overs.ts).
// #6 What an owner wrote or removed last are its witnesses (`row-witnesses.ts`).
// #7 A late row is removed only if the store still names this owner after the row was read. In a store that was
//    restored meanwhile it may be the row of the next owner there, whose epoch is lower than the one that this owner
//    had.

import { Fault, type Counter, type Logger } from "@sluice/kernel";
import type { ParkedMessage, ParkedRow, ParkedStore } from "@sluice/store";
import { BulkCalls } from "./bulk-calls.ts";
import { groupByKey, listKeys, type ParkedKey } from "./keyed-rows.ts";
import { RowWitnesses, type WitnessOwner } from "./row-witnesses.ts";
import { judgeWrite, knowsMore, ownerEpochIn, rowVersion } from "./row-version.ts";
import type { DeliveryLease } from "../partition/delivery-lease.ts";

/** The partition that a write belongs to. */
interface RowOwner {
  readonly number: number;
  readonly lease: DeliveryLease;
  readonly ownerEpoch: number;
  /** Gives the partition up, because another owner has taken it over. */
  loseLease(): void;
  /** Rejects unless the store still names this owner, and as the store does. */
  lookAtStore(): Promise<void>;
}

export type UnversionedMessage = Omit<ParkedMessage, "version">;
type MessageKey = Pick<ParkedMessage, "id" | "receiverId">;
type VersionedKey = Pick<ParkedMessage, "id" | "receiverId" | "version">;

export interface ParkedCalls {
  /** Inserts a message; one that is stored already stays, unless the new one knows more (row-version.ts #3). */
  insert(owner: RowOwner, message: UnversionedMessage): Promise<void>;
  update(owner: RowOwner, message: UnversionedMessage): Promise<void>;
  /** Resolves with undefined where the store no longer has it. */
  load(lease: DeliveryLease, of: MessageKey): Promise<ParkedMessage | undefined>;
  remove(owner: RowOwner, of: MessageKey): Promise<void>;
  /** Removes a row that an earlier owner inserted late, unless it was written since it was read. */
  removeLate(owner: RowOwner, row: VersionedKey): Promise<void>;
  /** Lists what is parked for a receiver under a key, oldest first, with what has ended. */
  listKey(lease: DeliveryLease, of: ParkedKey): Promise<readonly ParkedRow[]>;
  /** True if it is a row that this process has removed, and whose insert it had sent more than once. */
  isLate(row: Pick<ParkedRow, "id" | "version">): boolean;
  /** #6: reads the witnesses of an owner. Rejects as the store does. */
  isWitnessMissing(owner: WitnessOwner): Promise<boolean>;
}

export interface ParkedCallsOptions {
  readonly store: ParkedStore;
  /** Messages that one call writes, reads or removes. */
  readonly messagesMax: number;
  readonly logger: Logger;
  /** Counts stale writes, by call and result. */
  readonly staleWrites: Counter;
}

/** Versions of rows that a process remembers. A row beyond is read before it is written. */
const versionsKept = 10_000;

export function createParkedCalls(options: ParkedCallsOptions): ParkedCalls {
  return new VersionedCalls(options);
}

class VersionedCalls implements ParkedCalls {
  readonly #store: ParkedStore;
  readonly #logger: Logger;
  readonly #staleWrites: Counter;
  /** Answers true where the message was inserted. */
  readonly #inserts: BulkCalls<ParkedMessage, boolean>;
  readonly #loads: BulkCalls<MessageKey, ParkedMessage | undefined>;
  /** Answers true where the message is no longer stored. */
  readonly #removes: BulkCalls<VersionedKey, boolean>;
  readonly #keys: BulkCalls<ParkedKey, readonly ParkedRow[]>;
  /** The versions of the rows that were read or written last, in that order. */
  readonly #versions = new Map<string, bigint>();
  /** #6 */
  readonly #witnesses: RowWitnesses;
  #writes = 0;

  constructor({ store, messagesMax, logger, staleWrites }: ParkedCallsOptions) {
    const receiverIdFor = ({ receiverId }: MessageKey): string => receiverId;
    this.#store = store;
    this.#witnesses = new RowWitnesses(store);
    this.#logger = logger;
    this.#staleWrites = staleWrites;
    this.#inserts = new BulkCalls<ParkedMessage, boolean>(
      (messages) => store.insert(messages).then(({ existing }) => absenceIn(existing)),
      messagesMax,
      receiverIdFor,
    );
    this.#removes = new BulkCalls<VersionedKey, boolean>(
      (messages) => store.remove(messages).then(({ conflicts }) => absenceIn(conflicts)),
      messagesMax,
      receiverIdFor,
    );
    this.#keys = new BulkCalls<ParkedKey, readonly ParkedRow[]>(
      (all) => listKeys(store, [...new Set(all.map(({ deliveryKey }) => deliveryKey))]).then(groupByKey),
      messagesMax,
      ({ receiverId }) => receiverId,
    );
    this.#loads = new BulkCalls(
      (all) =>
        store.load([...new Set(all.map(({ id }) => id))]).then(
          (found) =>
            ({ id }) =>
              found.get(id),
        ),
      messagesMax,
      receiverIdFor,
    );
  }

  listKey(lease: DeliveryLease, of: ParkedKey): Promise<readonly ParkedRow[]> {
    return lease.retryUntilDone("parked.list-key", () => this.#keys.ask(of, () => lease.isConfirmed));
  }

  insert(owner: RowOwner, message: UnversionedMessage): Promise<void> {
    const versioned = this.#versioned(owner, message);
    this.#witnesses.forgetRemoved(owner.number, message.id);
    let isSent = false;
    return owner.lease.retryUntilDone("parked.insert", async () => {
      if (isSent) this.#witnesses.noteSentAgain(message.id);
      isSent = true;
      if (await this.#inserts.ask(versioned, () => owner.lease.isConfirmed)) return this.#noteWritten(owner, versioned);
      const stored = await this.#read(versioned);
      if (stored === undefined) throw changedMeanwhile(versioned.id);
      if (judgeWrite(versioned.version, stored.version) !== "replaces" || knowsMore(versioned, stored))
        return this.#replace(owner, "insert", versioned, stored);
      // #5
      if (ownerEpochIn(stored.version) === owner.ownerEpoch) return this.#remember(stored);
      return this.#replace(owner, "insert", { ...stored, version: versioned.version }, stored);
    });
  }

  update(owner: RowOwner, message: UnversionedMessage): Promise<void> {
    const versioned = this.#versioned(owner, message);
    return owner.lease.retryUntilDone("parked.update", async () => {
      const known = this.#versions.get(versioned.id);
      if (known !== undefined && (await this.#store.update(versioned, known))) return this.#noteWritten(owner, versioned);
      const stored = await this.#read(versioned);
      // #4
      if (stored === undefined) return undefined;
      return this.#replace(owner, "update", versioned, stored, known);
    });
  }

  load(lease: DeliveryLease, of: MessageKey): Promise<ParkedMessage | undefined> {
    return lease.retryUntilDone("parked.load", async () => {
      const stored = await this.#loads.ask(of, () => lease.isConfirmed);
      if (stored !== undefined) this.#remember(stored);
      return stored;
    });
  }

  remove(owner: RowOwner, { id, receiverId }: MessageKey): Promise<void> {
    const removal = this.#versioned(owner, { id, receiverId });
    this.#witnesses.noteRemoving(owner.number, id);
    const removeAt = (version: bigint): Promise<boolean> => this.#removes.ask({ id, receiverId, version }, () => owner.lease.isConfirmed);
    return owner.lease.retryUntilDone("parked.remove", async () => {
      const known = this.#versions.get(id);
      this.#versions.delete(id);
      if (known !== undefined && (await removeAt(known))) return this.#witnesses.noteRemoved(owner.number, removal);
      const stored = await this.#read(removal);
      // #4
      if (stored === undefined) return;
      if (judgeWrite(removal.version, stored.version) !== "replaces") return this.#lose(owner, "remove", removal, stored);
      this.#reportOverwritten(owner, "remove", stored, known);
      if (!(await removeAt(stored.version))) throw changedMeanwhile(id);
      return this.#witnesses.noteRemoved(owner.number, removal);
    });
  }

  removeLate(owner: RowOwner, { id, receiverId, version }: VersionedKey): Promise<void> {
    return owner.lease.retryUntilDone("parked.remove-late", async () => {
      // #7
      await owner.lookAtStore();
      if (!(await this.#removes.ask({ id, receiverId, version }, () => owner.lease.isConfirmed))) return;
      this.#staleWrites.add({ call: "insert", result: "removed" });
      const fields = { ownerEpoch: owner.ownerEpoch, storedOwnerEpoch: ownerEpochIn(version) };
      this.#logger.warn("delivery.stale-write", { id, call: "insert", result: "removed", partition: owner.number, ...fields });
    });
  }

  /** #3: replaces a stored row of a lesser version. */
  async #replace(owner: RowOwner, call: "insert" | "update", message: ParkedMessage, stored: ParkedMessage, known?: bigint): Promise<void> {
    const verdict = judgeWrite(message.version, stored.version);
    if (verdict === "written") return this.#remember(stored);
    if (verdict !== "replaces") return this.#lose(owner, call, message, stored);
    if (!owner.lease.isConfirmed) throw changedMeanwhile(message.id);
    if (!(await this.#store.update(message, stored.version))) throw changedMeanwhile(message.id);
    this.#reportOverwritten(owner, call, stored, known);
    return this.#noteWritten(owner, message);
  }

  isLate(row: Pick<ParkedRow, "id" | "version">): boolean {
    return this.#witnesses.isLate(row);
  }

  /** #6 */
  isWitnessMissing(owner: WitnessOwner): Promise<boolean> {
    return this.#witnesses.isContradicted(owner);
  }

  #noteWritten(owner: RowOwner, { id, version }: VersionedKey): void {
    this.#remember({ id, version });
    this.#witnesses.noteWritten(owner.number, { id, version });
  }

  /** #3 */
  #lose(owner: RowOwner, call: string, { id, version }: VersionedKey, stored: ParkedMessage): void {
    const fields = { ownerEpoch: ownerEpochIn(version), storedOwnerEpoch: ownerEpochIn(stored.version) };
    this.#staleWrites.add({ call, result: "lost" });
    this.#logger.warn("delivery.stale-write", { id, call, result: "lost", partition: owner.number, ...fields });
    if (judgeWrite(version, stored.version) !== "fenced") return;
    owner.loseLease();
    owner.lease.requireOpen();
  }

  /** A write of an earlier owner came between this owner's reading of the row and its own write. */
  #reportOverwritten({ ownerEpoch }: RowOwner, call: string, { id, partition, version }: ParkedMessage, known: bigint | undefined): void {
    if (known === undefined || ownerEpochIn(version) === ownerEpoch) return;
    this.#staleWrites.add({ call, result: "overwritten" });
    this.#logger.warn("delivery.stale-write", { id, call, result: "overwritten", partition, storedOwnerEpoch: ownerEpochIn(version) });
  }

  /** Reads a row even without the lease, so that a process notices its own write that came too late. */
  #read(of: MessageKey): Promise<ParkedMessage | undefined> {
    return this.#loads.ask(of, () => true);
  }

  #versioned<M extends MessageKey>({ ownerEpoch }: RowOwner, message: M): M & { readonly version: bigint } {
    this.#writes += 1;
    return { ...message, version: rowVersion(ownerEpoch, this.#writes) };
  }

  #remember({ id, version }: Pick<ParkedMessage, "id" | "version">): void {
    this.#versions.delete(id);
    this.#versions.set(id, version);
    if (this.#versions.size <= versionsKept) return;
    const [oldest] = this.#versions.keys();
    if (oldest !== undefined) this.#versions.delete(oldest);
  }
}

function absenceIn(ids: readonly string[]): (item: MessageKey) => boolean {
  const listed = new Set(ids);
  return ({ id }) => !listed.has(id);
}

function changedMeanwhile(id: string): Fault {
  return new Fault("delivery.row-changed", `the parked row of ${id} changed between two calls`, { isRetryable: true });
}
