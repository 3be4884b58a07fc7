// What Sluice has posted to the bank of a sandbox, for those who watch, and for a listener who answers in its place.
//
// #1 A post is published under the next number: one that a listener answers when it arrives, all others once they are
//    answered.
// #2 A listener is there while it asks, and for `listenerPauseMs` after that. What it has not answered in time gets no
//    answer, as from a bank that hangs.
// #3 The last `postsMax` posts are kept.

import { sleep, type Time } from "@sluice/kernel";

export interface PostAnswer {
  /** Null: no answer. */
  readonly status: number | null;
  readonly retryAfter: string | null;
}

/** What a listener wants to answer itself. */
export type Forwarding = "all" | "events";

interface Post {
  readonly number: number;
  /** By the clock of the sandbox. */
  readonly at: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly by: "sandbox" | "listener";
  /** Null while a listener has not answered. */
  readonly status: number | null;
}

export type ArrivedPost = Pick<Post, "at" | "path" | "headers" | "body">;

export interface Posts {
  isForwarded(path: string): boolean;
  /** #2 Resolves with the listener's answer. */
  forward(post: ArrivedPost): Promise<PostAnswer>;
  record(post: ArrivedPost, status: number | null): void;
  /** Returns whether a listener is awaited there. */
  answer(number: number, answer: PostAnswer): boolean;
  /** Resolves with the posts behind a number, at the latest after `waitMs` with none. */
  after(number: number, forwarding: Forwarding | null, waitMs: number, signal: AbortSignal): Promise<readonly Post[]>;
}

const postsMax = 1_000;
/** #2, in milliseconds of the machine's time. */
const listenerPauseMs = 2_000;
const listenerAnswerMs = 10_000;
const noAnswer: PostAnswer = { status: null, retryAfter: null };

export function createPosts(machine: Time): Posts {
  return new PostBook(machine);
}

class PostBook implements Posts {
  readonly #machine: Time;
  #posts: Post[] = [];
  #count = 0;
  readonly #awaited = new Map<number, (answer: PostAnswer) => void>();
  #arrival = Promise.withResolvers<void>();
  #listener: { readonly forwarding: Forwarding; asking: number; untilMs: number } | null = null;

  constructor(machine: Time) {
    this.#machine = machine;
  }

  isForwarded(path: string): boolean {
    const listener = this.#listener;
    if (listener === null || (listener.asking === 0 && this.#machine.monotonicMs() > listener.untilMs)) return false;
    return listener.forwarding === "all" || path === "/events";
  }

  async forward(post: ArrivedPost): Promise<PostAnswer> {
    const { promise, resolve } = Promise.withResolvers<PostAnswer>();
    const number = this.#publish({ ...post, by: "listener", status: null });
    this.#awaited.set(number, resolve);
    const lapse = this.#machine.after(listenerAnswerMs, () => resolve(noAnswer));
    try {
      const answer = await promise;
      this.#posts = this.#posts.map((one) => (one.number === number ? { ...one, status: answer.status } : one));
      return answer;
    } finally {
      lapse[Symbol.dispose]();
      this.#awaited.delete(number);
    }
  }

  record(post: ArrivedPost, status: number | null): void {
    this.#publish({ ...post, by: "sandbox", status });
  }

  answer(number: number, answer: PostAnswer): boolean {
    const resolve = this.#awaited.get(number);
    resolve?.(answer);
    return resolve !== undefined;
  }

  async after(number: number, forwarding: Forwarding | null, waitMs: number, signal: AbortSignal): Promise<readonly Post[]> {
    const find = (): readonly Post[] => this.#posts.filter((post) => post.number > number);
    if (forwarding === null) return await this.#wait(find, waitMs, signal);
    const listener = this.#listener?.forwarding === forwarding ? this.#listener : { forwarding, asking: 0, untilMs: 0 };
    this.#listener = listener;
    listener.asking += 1;
    try {
      return await this.#wait(find, waitMs, signal);
    } finally {
      listener.asking -= 1;
      listener.untilMs = this.#machine.monotonicMs() + (signal.aborted ? 0 : listenerPauseMs);
    }
  }

  async #wait(find: () => readonly Post[], waitMs: number, signal: AbortSignal): Promise<readonly Post[]> {
    const found = find();
    if (found.length > 0 || waitMs === 0) return found;
    await Promise.race([this.#arrival.promise, sleep(this.#machine, waitMs, signal)]);
    return find();
  }

  /** #1, #3 */
  #publish(post: Omit<Post, "number">): number {
    this.#count += 1;
    this.#posts = [...this.#posts.slice(1 - postsMax), { ...post, number: this.#count }];
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers<void>();
    return this.#count;
  }
}
