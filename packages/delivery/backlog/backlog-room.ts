// The room of a partition for parked messages in memory, shared by the receivers that have a backlog there. Pure.
//
// #1 Each kind has its own bound, so that messages that fail do not take the room of those that were never tried.
// #2 A section may hold as many as are still free, so one backlog alone takes half of the room, two take a third each,
//    and so on. Every section may hold `leastPerSection`, so that no receiver is left without.

export type RoomKind = "untried" | "failed";

/** Messages of a kind that a section may hold even where the room is taken. */
const leastPerSection = 16;

export class BacklogRoom {
  readonly #max: Readonly<Record<RoomKind, number>>;
  readonly #held: Record<RoomKind, number> = { untried: 0, failed: 0 };

  constructor(max: Readonly<Record<RoomKind, number>>) {
    this.#max = max;
  }

  count(kind: RoomKind, change: 1 | -1): void {
    this.#held[kind] += change;
  }

  /** #2. `own` is what the section holds of that kind. */
  fits(kind: RoomKind, own: number): boolean {
    return own < this.shareFor(kind);
  }

  /** How many messages of a kind a section may hold now. */
  shareFor(kind: RoomKind): number {
    return Math.max(Math.min(leastPerSection, this.#max[kind]), this.#max[kind] - this.#held[kind]);
  }
}
