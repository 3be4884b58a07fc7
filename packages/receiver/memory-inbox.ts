// An inbox in memory, for tests and first steps: what it knows is gone with the process. Keeps #3 and #4 of `inbox.ts`.
// The oldest id is forgotten when `idsMax` are known: a repeat of it would then be a first.

import type { Inbox, Taken } from "./inbox.ts";
import type { Message } from "./message.ts";

export interface MemoryInboxOptions {
  readonly idsMax: number;
  readonly effect: (message: Message) => void | Promise<void>;
}

export function createMemoryInbox({ idsMax, effect }: MemoryInboxOptions): Inbox {
  const done = new Set<string>();
  const running = new Map<string, Promise<void>>();

  async function take(message: Message): Promise<Taken> {
    const { webhookId } = message;
    for (let other = running.get(webhookId); other !== undefined; other = running.get(webhookId)) await other.catch(() => undefined);
    if (done.has(webhookId)) return "repeat";
    const work = Promise.try(() => effect(message));
    running.set(webhookId, work);
    try {
      await work;
    } finally {
      running.delete(webhookId);
    }
    remember(webhookId);
    return "first";
  }

  function remember(webhookId: string): void {
    done.add(webhookId);
    for (const oldest of done) {
      if (done.size <= idsMax) return;
      done.delete(oldest);
    }
  }

  return { take };
}
