// The witnesses of a partition's owner among the parked rows: what it wrote or removed last. A store that shows
// otherwise was restored to an older point.
//
// #1 The newest rows that it wrote, and did not remove since: nobody else removes them. One would not be enough: it
//    may have been written after the restore.
// #2 The newest rows that it removed: nobody writes them again but itself. A restore may change nothing else, and the
//    messages would wait in the store, unknown to their owner, until the next take-over delivers them once more.
// #3 A removed row that is there again, as an earlier owner wrote it, may be a late insert of that owner. Whether it
//    sent an insert more than once is not known here, so such a row is no witness.
// #4 It may also be a late insert of this owner, which it sent more than once. Such a row is no witness. While it is
//    remembered, it is known as late where it is met: its message has ended here.
// #5 A row whose removal was asked for is no witness of what is written, also where the answer to an update of it comes
//    behind that of the removal.

import type { ParkedRow, ParkedStore } from "@sluice/store";
import { ownerEpochIn } from "./row-version.ts";

type WitnessRow = Pick<ParkedRow, "id" | "version">;

/** The partition whose owner asks. */
export interface WitnessOwner {
  readonly number: number;
  readonly ownerEpoch: number;
}

/** Rows of each of the two kinds that are kept of a partition; one read looks at all of them. */
const witnessesKept = 16;
/** Rows that are remembered as inserted more than once. */
const sentAgainKept = 10_000;
/** Rows that are remembered as removed, or being removed. */
const removalsKept = 10_000;

export class RowWitnesses {
  readonly #store: Pick<ParkedStore, "load" | "versions">;
  /** By partition. */
  readonly #written = new Map<number, readonly WitnessRow[]>();
  readonly #removed = new Map<number, readonly WitnessRow[]>();
  /** #4: ids, the oldest first. */
  readonly #sentAgain = new Set<string>();
  /** #4: the versions of the removals of such rows, by id, the oldest first. */
  readonly #removedSentAgain = new Map<string, bigint>();

  /** #5: ids, the oldest first. */
  readonly #removals = new Set<string>();

  constructor(store: Pick<ParkedStore, "load" | "versions">) {
    this.#store = store;
  }

  noteWritten(partition: number, { id, version }: WitnessRow): void {
    this.#written.set(partition, without(this.#written, partition, id));
    // #5
    if (this.#removals.has(id)) return;
    this.#written.set(partition, [...(this.#written.get(partition) ?? []), { id, version }].slice(-witnessesKept));
    this.#removed.set(partition, without(this.#removed, partition, id));
  }

  /** #5: before a removal of the row. */
  noteRemoving(partition: number, id: string): void {
    this.#written.set(partition, without(this.#written, partition, id));
    this.#removals.delete(id);
    this.#removals.add(id);
    if (this.#removals.size <= removalsKept) return;
    for (const oldest of this.#removals) return void this.#removals.delete(oldest);
  }

  /** The row's insert is sent once more: an earlier request may still land. */
  noteSentAgain(id: string): void {
    this.#sentAgain.delete(id);
    this.#sentAgain.add(id);
    if (this.#sentAgain.size <= sentAgainKept) return;
    for (const oldest of this.#sentAgain) return void this.#sentAgain.delete(oldest);
  }

  noteRemoved(partition: number, { id, version }: WitnessRow): void {
    // #4
    if (this.#sentAgain.delete(id)) return this.#expectLate(id, version);
    this.#removed.set(partition, [...without(this.#removed, partition, id), { id, version }].slice(-witnessesKept));
  }

  /** #4: true if an insert that this process sent more than once has landed after the row was removed. */
  isLate({ id, version }: WitnessRow): boolean {
    const removedAt = this.#removedSentAgain.get(id);
    return removedAt !== undefined && version < removedAt;
  }

  #expectLate(id: string, version: bigint): void {
    this.#removedSentAgain.delete(id);
    this.#removedSentAgain.set(id, version);
    if (this.#removedSentAgain.size <= sentAgainKept) return;
    for (const oldest of this.#removedSentAgain.keys()) return void this.#removedSentAgain.delete(oldest);
  }

  /** Before an insert of the row, whose request may land before its answer is here. */
  forgetRemoved(partition: number, id: string): void {
    this.#removals.delete(id);
    this.#removed.set(partition, without(this.#removed, partition, id));
  }

  /** Reads the witnesses; true if the store was restored to an older point. Rejects as the store does. */
  async isContradicted(owner: WitnessOwner): Promise<boolean> {
    const [written, removed] = [this.#written, this.#removed].map((rows) => ownRows(rows, owner));
    const ids = [...(written ?? []), ...(removed ?? [])].map(({ id }) => id);
    if (ids.length === 0) return false;
    const versions = await this.#store.versions(ids);
    const kept = new Set(this.#written.get(owner.number));
    if (written?.some((one) => kept.has(one) && (versions.get(one.id) ?? 0n) < one.version) === true) return true;
    return await this.#isAnyBack(owner, removed?.filter(({ id }) => versions.has(id)) ?? []);
  }

  /** #2, #3 */
  async #isAnyBack(owner: WitnessOwner, found: readonly WitnessRow[]): Promise<boolean> {
    if (found.length === 0) return false;
    const rows = await this.#store.load(found.map(({ id }) => id));
    const kept = new Set(this.#removed.get(owner.number));
    return found.some((one) => {
      const row = rows.get(one.id);
      return row !== undefined && kept.has(one) && ownerEpochIn(row.version) === owner.ownerEpoch;
    });
  }
}

function ownRows(rows: ReadonlyMap<number, readonly WitnessRow[]>, { number, ownerEpoch }: WitnessOwner): readonly WitnessRow[] {
  return rows.get(number)?.filter(({ version }) => ownerEpochIn(version) === ownerEpoch) ?? [];
}

function without(rows: ReadonlyMap<number, readonly WitnessRow[]>, partition: number, id: string): readonly WitnessRow[] {
  return rows.get(partition)?.filter((row) => row.id !== id) ?? [];
}
