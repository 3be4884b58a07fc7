// Values in the order in which they were added, each of which leaves at once, wherever it stands. Where much comes and goes a Set is made anew time
// and again, and whoever looks for its first walks over all that has left.

export interface Link<Value> {
  readonly value: Value;
  /** Null: it is the last, or has left. */
  readonly next: Link<Value> | null;
}

interface OwnLink<Value> extends Link<Value> {
  before: OwnLink<Value> | null;
  next: OwnLink<Value> | null;
  isIn: boolean;
}

export class LinkedList<Value> {
  #first: OwnLink<Value> | null = null;
  #last: OwnLink<Value> | null = null;
  #size = 0;

  get first(): Link<Value> | null {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  add(value: Value): Link<Value> {
    const link: OwnLink<Value> = { value, before: this.#last, next: null, isIn: true };
    if (this.#last === null) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size += 1;
    return link;
  }

  /** A link of this list. One that has left already stays out. */
  remove(gone: Link<Value>): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody else makes links
    const link = gone as OwnLink<Value>;
    if (!link.isIn) return;
    link.isIn = false;
    this.#size -= 1;
    if (link.before === null) this.#first = link.next;
    else link.before.next = link.next;
    if (link.next === null) this.#last = link.before;
    else link.next.before = link.before;
    // One that has left and is old already would keep all after it from being collected young.
    link.before = null;
    link.next = null;
  }

  /** What is there now, in order; each may leave meanwhile. */
  all(): Value[] {
    const values: Value[] = [];
    for (let link = this.#first; link !== null; link = link.next) values.push(link.value);
    return values;
  }
}
