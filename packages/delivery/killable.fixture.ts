// A process that can end between any two of its effects: its ports go through here.

import type { Time } from "@sluice/runtime";

export interface CrashAt {
  /** Ends the process at this port call, counted from 1. */
  readonly call: number;
  readonly side: "before" | "after";
}

export interface Killable {
  readonly time: Time;
  isAlive(): boolean;
  calls(): number;
  kill(): void;
  through<P extends object>(port: P): P;
}

/** Calls of a dead process are never answered, its timers do not fire. */
export function createKillable(time: Time, crash: CrashAt | null, died: () => void): Killable {
  let isAlive = true;
  let calls = 0;
  const kill = (): void => {
    if (!isAlive) return;
    isAlive = false;
    died();
  };

  function called(call: () => unknown): unknown {
    if (!isAlive) return never;
    calls += 1;
    const isLast = calls === crash?.call;
    if (isLast && crash.side === "before") {
      kill();
      return never;
    }
    const answer = call();
    return answer instanceof Promise ? afterwards(answer, isLast) : answer;
  }

  async function afterwards(answer: Promise<unknown>, isLast: boolean): Promise<unknown> {
    try {
      const value = await answer;
      return isPort(value) ? through(value) : value;
    } finally {
      if (isLast) kill();
      // oxlint-disable-next-line no-unsafe-finally -- a dead process is never answered, neither well nor badly
      if (!isAlive) await never;
    }
  }

  function through<P extends object>(port: P): P {
    return new Proxy(port, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== "function") return value;
        // Asked for all the time, and without effect.
        if (member === "heartbeatAgeMs") return (): unknown => Reflect.apply(value, target, []);
        return (...given: unknown[]) => called(() => Reflect.apply(value, target, given));
      },
    });
  }

  return {
    time: {
      nowMs: () => time.nowMs(),
      monotonicMs: () => time.monotonicMs(),
      after: (delayMs, action) => time.after(delayMs, () => void (isAlive && action())),
    },
    isAlive: () => isAlive,
    calls: () => calls,
    kill,
    through,
  };
}

const never: Promise<never> = new Promise(() => {});

function isPort(value: unknown): value is object {
  return typeof value === "object" && value !== null && ("send" in value || "heartbeatAgeMs" in value);
}
