// How much is under way at once: in all, and of one caller. A place is held until all that was asked for with it has come back, also when
// its caller has been answered before.

export interface Places {
  /** Null: there is no room. */
  enter(id: string): Place | null;
}

export interface Place {
  /** Once counts; a second time nothing happens. */
  leave(): void;
}

export interface PlacesBounds {
  readonly placesMax: number;
  readonly placesOfOneMax: number;
}

export function createPlaces({ placesMax, placesOfOneMax }: PlacesBounds): Places {
  let taken = 0;
  const takenBy = new Map<string, number>();

  function count(id: string, by: 1 | -1): void {
    taken += by;
    const held = (takenBy.get(id) ?? 0) + by;
    if (held === 0) takenBy.delete(id);
    else takenBy.set(id, held);
  }

  return {
    enter(id) {
      if (taken >= placesMax || (takenBy.get(id) ?? 0) >= placesOfOneMax) return null;
      count(id, 1);
      let isHeld = true;
      return {
        leave() {
          if (isHeld) count(id, -1);
          isHeld = false;
        },
      };
    },
  };
}
