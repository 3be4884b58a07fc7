// Bounds how many requests are handled at once, in all and for each caller. A request keeps its slot until all its work
// has ended, even if its caller has been answered before.

export interface RequestSlots {
  /** Null: all slots are taken. */
  acquire(id: string): RequestSlot | null;
}

export interface RequestSlot {
  /** Frees the slot; a second call has no effect. */
  release(): void;
}

export interface RequestSlotLimits {
  readonly slotsMax: number;
  readonly slotsPerCallerMax: number;
}

export function createRequestSlots({ slotsMax, slotsPerCallerMax }: RequestSlotLimits): RequestSlots {
  let taken = 0;
  const takenBy = new Map<string, number>();

  function change(id: string, by: 1 | -1): void {
    taken += by;
    const count = (takenBy.get(id) ?? 0) + by;
    if (count === 0) takenBy.delete(id);
    else takenBy.set(id, count);
  }

  return {
    acquire(id) {
      if (taken >= slotsMax || (takenBy.get(id) ?? 0) >= slotsPerCallerMax) return null;
      change(id, 1);
      let isTaken = true;
      return {
        release() {
          if (isTaken) change(id, -1);
          isTaken = false;
        },
      };
    },
  };
}
