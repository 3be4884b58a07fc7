// A process that can end between any two of its effects, or stand still for a while: its ports go through here.
//
// #1 Calls of a dead process are never answered, its timers do not fire.
// #2 A frozen process goes on where it was when it thaws, and does not know: timers and answers reach it only then.

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
  /** Ends at its n-th port call from now on; null: at none. */
  crashAfter(calls: number | null, side: CrashAt["side"]): void;
  /** For this long nothing happens in it. */
  freeze(durationMs: number): void;
  through<P extends object>(port: P): P;
}

export function createKillable(time: Time, crashAt: CrashAt | null, died: () => void): Killable {
  let crash = crashAt;
  let isAlive = true;
  let calls = 0;
  let thawsAtMs = 0;
  const kill = (): void => {
    if (!isAlive) return;
    isAlive = false;
    died();
  };

  /** #2 */
  function thawed(action: () => void): void {
    const waitMs = thawsAtMs - time.monotonicMs();
    if (waitMs > 0) time.after(waitMs, () => thawed(action));
    else if (isAlive) action();
  }

  function called(call: () => unknown): unknown {
    if (!isAlive) return unanswered();
    calls += 1;
    const number = calls;
    if (crash?.call === number && crash.side === "before") {
      kill();
      return unanswered();
    }
    const answer = call();
    return answer instanceof Promise ? afterwards(answer, number) : answer;
  }

  async function afterwards(answer: Promise<unknown>, number: number): Promise<unknown> {
    try {
      const value = await answer;
      return isPort(value) ? through(value) : value;
    } finally {
      if (crash?.call === number) kill();
      if (thawsAtMs > time.monotonicMs()) await new Promise<void>((resolve) => thawed(resolve));
      // oxlint-disable-next-line no-unsafe-finally -- a dead process is never answered, neither well nor badly
      if (!isAlive) await unanswered();
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
      after: (delayMs, action) => cancellable((isWanted) => time.after(delayMs, () => thawed(() => void (isWanted() && action())))),
    },
    isAlive: () => isAlive,
    calls: () => calls,
    kill,
    crashAfter: (after, side) => void (crash = after === null ? null : { call: calls + after, side }),
    freeze: (durationMs) => void (thawsAtMs = Math.max(thawsAtMs, time.monotonicMs() + durationMs)),
    through,
  };
}

/** A timer that was cancelled while its process was frozen does not fire when it thaws. */
function cancellable(arm: (isWanted: () => boolean) => Disposable): Disposable {
  let isCancelled = false;
  const timer = arm(() => !isCancelled);
  return {
    [Symbol.dispose]() {
      isCancelled = true;
      timer[Symbol.dispose]();
    },
  };
}

/** Of each call its own: one for all would keep whatever ever waited for it. */
function unanswered(): Promise<never> {
  return new Promise(() => {});
}

function isPort(value: unknown): value is object {
  return typeof value === "object" && value !== null && ("send" in value || "heartbeatAgeMs" in value);
}
