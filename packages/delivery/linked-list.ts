// Values in the order in which they were added; each leaves in constant time from any place. A Set is slower where
// values come and go quickly: it is rebuilt again and again, and a look for its first value passes over all that have
// left.

export interface ListLink<Value> {
  readonly value: Value;
  /** Null where it is the last, or has left. */
  readonly next: ListLink<Value> | null;
}

interface OwnLink<Value> extends ListLink<Value> {
  before: OwnLink<Value> | null;
  next: OwnLink<Value> | null;
  isIn: boolean;
}

export class LinkedList<Value> {
  #first: OwnLink<Value> | null = null;
  #last: OwnLink<Value> | null = null;
  #size = 0;

  get first(): ListLink<Value> | null {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  add(value: Value): ListLink<Value> {
    const link: OwnLink<Value> = { value, before: this.#last, next: null, isIn: true };
    if (this.#last === null) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size += 1;
    return link;
  }

  /** Removes a link of this list; one that has left already changes nothing. */
  remove(gone: ListLink<Value>): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody else makes links
    const link = gone as OwnLink<Value>;
    if (!link.isIn) return;
    link.isIn = false;
    this.#size -= 1;
    if (link.before === null) this.#first = link.next;
    else link.before.next = link.next;
    if (link.next === null) this.#last = link.before;
    else link.next.before = link.before;
    // A removed link that has grown old would keep all links after it from being collected young.
    link.before = null;
    link.next = null;
  }

  /** Copies the present values in order, so that each may leave while they are visited. */
  all(): Value[] {
    const values: Value[] = [];
    for (let link = this.#first; link !== null; link = link.next) values.push(link.value);
    return values;
  }
}
