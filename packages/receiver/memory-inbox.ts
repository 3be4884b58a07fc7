// An inbox in memory, for tests and first steps: its content ends with the process. It keeps #3 and #4 of `inbox.ts`.
// Beyond `idsMax` ids it forgets the oldest, whose repeat would then be a first.

import type { Inbox, InboxResult } from "./inbox.ts";
import type { Message } from "./message.ts";

export interface MemoryInboxOptions {
  readonly idsMax: number;
  readonly effect: (message: Message) => void | Promise<void>;
}

export function createMemoryInbox({ idsMax, effect }: MemoryInboxOptions): Inbox {
  const done = new Set<string>();
  const running = new Map<string, Promise<void>>();

  async function take(message: Message): Promise<InboxResult> {
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
