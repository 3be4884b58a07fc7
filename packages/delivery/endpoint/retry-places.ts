// Places: how many parked messages of an endpoint are in hand at once, over all partitions, each with its body.
//
// #1 A message gets its place before its body is loaded, and keeps it until it is settled. There are twice as many
//    places as slots, so that bodies are read while others are under way; then each waits for its slot
//    (attempt-slots.ts). An acknowledged message gives its place to the next one while its end is appended and its row
//    removed. Eight for each slot may end like this; beyond them log and store set the pace.
// #2 Messages that fail often have places of their own, twice their share of the slots.
// #3 All endpoints together have at most as many places as the process allows (I15). An endpoint that finds none there
//    waits its turn.
// #4 Who finds no place waits, first come first served; then it takes places for as many messages as it can.

import { LinkedList } from "../linked-list.ts";
import type { RetryUse } from "./attempt-slots.ts";

/** Disposed once, when the message is settled. */
export interface Place extends Disposable {
  /** Called when only the end of the message is left (#1). */
  markEnding(): void;
}

/** Acknowledged messages of an endpoint whose ends may wait for log and store, for each slot. */
const endingPerSlot = 8;

/** Counts what the process has in hand, and serves those who wait in turn. */
export class ProcessLimit {
  readonly #max: number;
  readonly #waiting = new LinkedList<() => void>();
  #running = 0;
  #isServing = false;

  constructor(max: number) {
    this.#max = max;
  }

  get running(): number {
    return this.#running;
  }

  /** False where the limit is reached. */
  take(): boolean {
    if (this.#running >= this.#max) return false;
    this.#running += 1;
    return true;
  }

  /** Calls `onFree` once, when there may be room again. */
  wait(onFree: () => void): void {
    this.#waiting.add(onFree);
  }

  giveBack(): void {
    this.#running -= 1;
    if (this.#isServing) return;
    this.#isServing = true;
    while (this.#running < this.#max && this.#waiting.first !== null) {
      const { first } = this.#waiting;
      this.#waiting.remove(first);
      first.value();
    }
    this.#isServing = false;
  }
}

export class RetryPlaces {
  readonly #process: ProcessLimit;
  /** The slots that messages of a use may have at once. */
  readonly #slotsMax: (use: RetryUse) => number;
  readonly #taken: Record<RetryUse, number> = { retry: 0, failing: 0 };
  /** Messages that have given their place to another. */
  #ending = 0;
  readonly #waiting: Record<RetryUse, LinkedList<() => void>> = { retry: new LinkedList(), failing: new LinkedList() };
  #isServing = false;
  #isWaitingForProcess = false;

  constructor(process: ProcessLimit, slotsMax: (use: RetryUse) => number) {
    this.#process = process;
    this.#slotsMax = slotsMax;
  }

  /** Null where none is free. */
  take(use: RetryUse): Place | null {
    if (this.#taken[use] >= 2 * this.#slotsMax(use)) return null;
    if (!this.#process.take()) {
      this.#waitForProcess();
      return null;
    }
    this.#taken[use] += 1;
    let state: "taken" | "ending" | "over" = "taken";
    return {
      markEnding: () => {
        if (state !== "taken" || this.#ending >= endingPerSlot * this.#slotsMax("retry")) return;
        state = "ending";
        this.#taken[use] -= 1;
        this.#ending += 1;
        this.serve();
      },
      [Symbol.dispose]: () => {
        if (state === "over") return;
        if (state === "taken") this.#taken[use] -= 1;
        else this.#ending -= 1;
        state = "over";
        this.#process.giveBack();
        this.serve();
      },
    };
  }

  /** #4. Calls `onFree` once, when there may be a place. */
  wait(use: RetryUse, onFree: () => void): void {
    this.#waiting[use].add(onFree);
  }

  /** Serves who waits; also called when the slots have become more. */
  serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    for (const use of ["retry", "failing"] as const) {
      // Each is served once: who finds no place waits again, behind the others.
      for (let left = this.#waiting[use].size; left > 0 && this.#taken[use] < 2 * this.#slotsMax(use); left -= 1) {
        const { first } = this.#waiting[use];
        if (first === null) break;
        this.#waiting[use].remove(first);
        first.value();
      }
    }
    this.#isServing = false;
  }

  #waitForProcess(): void {
    if (this.#isWaitingForProcess) return;
    this.#isWaitingForProcess = true;
    this.#process.wait(() => {
      this.#isWaitingForProcess = false;
      this.serve();
    });
  }
}
