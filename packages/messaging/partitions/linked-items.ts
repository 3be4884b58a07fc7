// Items in the order in which they were added, linked through members of their own, so that adding one makes no object.

export interface LinkedItem<Item> {
  before: Item | null;
  after: Item | null;
  /** True while it is in a list; it can be in one at a time. */
  isLinked: boolean;
}

export class LinkedItems<Item extends LinkedItem<Item>> {
  #first: Item | null = null;
  #last: Item | null = null;

  get first(): Item | null {
    return this.#first;
  }

  add(item: Item): void {
    item.isLinked = true;
    item.before = this.#last;
    if (this.#last === null) this.#first = item;
    else this.#last.after = item;
    this.#last = item;
  }

  /** Removes an item of this list. */
  remove(item: Item): void {
    const { before, after } = item;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    // A removed item that has grown old would keep those after it from being collected young.
    item.before = null;
    item.after = null;
    item.isLinked = false;
  }
}
