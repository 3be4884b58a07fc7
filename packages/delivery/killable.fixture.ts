// A process that can end between any two of its effects, or freeze for a while: all its ports are wrapped here.
//
// #1 Calls of a dead process are never answered, and its timers do not fire.
// #2 A frozen process continues where it was when it thaws, without noticing: timers and answers reach it only then.

import type { Time } from "@sluice/kernel";

export interface CrashPoint {
  /** The port call at which the process ends, counted from 1. */
  readonly call: number;
  readonly side: "before" | "after";
}

export interface Killable {
  readonly time: Time;
  isAlive(): boolean;
  calls(): number;
  kill(): void;
  /** Ends the process at its n-th port call from now on; null cancels that. */
  crashAfter(calls: number | null, side: CrashPoint["side"]): void;
  /** Stops everything in the process for this long. */
  freeze(durationMs: number): void;
  wrap<P extends object>(port: P): P;
}

export function createKillable(time: Time, crashAt: CrashPoint | null, died: () => void): Killable {
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
        // This is asked all the time and has no effect.
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
    wrap: through,
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

/** A new promise for each call: a shared one would keep everything that ever waited for it. */
function unanswered(): Promise<never> {
  return new Promise(() => {});
}

function isPort(value: unknown): value is object {
  return typeof value === "object" && value !== null && ("send" in value || "heartbeatAgeMs" in value);
}
