// Ports of a process that can end at any moment, and of a store that can be replaced under it.

import type { Time } from "@sluice/kernel";

/** Follows the port that is in place now. */
export function follow<T extends object>(current: () => T): T {
  return new Proxy(current(), {
    get(_, member) {
      const value: unknown = Reflect.get(current(), member);
      if (typeof value === "object" && value !== null) return follow(() => Object(Reflect.get(current(), member)));
      if (typeof value !== "function") return value;
      return (...given: unknown[]): unknown => Reflect.apply(Object(Reflect.get(current(), member)), current(), given);
    },
  });
}

interface ProcessLife {
  isOver: boolean;
}

const never: Promise<never> = new Promise(() => {});

export function killableTime(time: Time, life: ProcessLife): Time {
  return {
    nowMs: () => time.nowMs(),
    monotonicMs: () => time.monotonicMs(),
    after: (delayMs, action) =>
      time.after(delayMs, () => {
        if (!life.isOver) action();
      }),
  };
}

/** Wraps a store: once the process is gone no call has an effect, and none is answered. */
export function killable<T extends object>(target: T, life: ProcessLife): T {
  return new Proxy(target, {
    get(object, member) {
      const value: unknown = Reflect.get(object, member);
      if (typeof value === "object" && value !== null) return killable(value, life);
      if (typeof value !== "function") return value;
      return (...given: unknown[]): unknown => {
        if (life.isOver) return never;
        const answer: unknown = Reflect.apply(value, object, given);
        return answer instanceof Promise ? answer.then((result: unknown) => (life.isOver ? never : result)) : answer;
      };
    },
  });
}
