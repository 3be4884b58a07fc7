// Simulates the process of one service instance. It wraps all ports, so that the instance can die between any two of
// its effects as a real process can, and so that the trace has every port call.
//
// #1 A dead process does nothing: its timers do not fire, its calls are never answered, and it gets no records.
// #2 A crash may come before a call's effect, or between the effect and the answer.
// #3 A frozen process continues where it stopped when it thaws, without noticing. Timers and answers reach it only
//    then.
// #4 Each call is one line of the trace: virtual time, process, port, operation, digest of the arguments.

import type { Time, Random } from "@sluice/kernel";
import type { Trace } from "./trace.ts";

export interface CrashPlan {
  /** The probability of a crash at each side of each port call; 0 for none. */
  readonly perCall: number;
  /** The probability that the process is cut off and frozen between a call's effect and its answer; 0 for none. */
  readonly freezePerCall: number;
}

export interface SimulatedProcess {
  readonly name: string;
  readonly time: Time;
  isAlive(): boolean;
  /** Ends the process at once. Idempotent. */
  kill(why: string): void;
  /** Stops the process for this long. */
  freeze(durationMs: number): void;
  /** Wraps a port for this process. `port` names it in the trace. */
  through<P extends object>(port: string, target: P): P;
}

export interface SimulatedProcessOptions {
  readonly name: string;
  readonly time: Time;
  readonly random: Random;
  readonly trace: Trace;
  readonly crashes: () => CrashPlan;
  /** Milliseconds by which this process's wall clock is ahead of the true one. */
  readonly skewMs: number;
  /** Called in the middle of the process's work, to cut it off from the broker and freeze it. */
  readonly onFreeze: () => void;
  /** Called once, synchronously, when the process dies. */
  readonly onDeath: (why: string) => void;
}

export function startSimulatedProcess(options: SimulatedProcessOptions): SimulatedProcess {
  let isAlive = true;
  let thawsAtMs = 0;

  function thawed(action: () => void): void {
    const waitMs = thawsAtMs - options.time.monotonicMs();
    if (waitMs > 0) options.time.after(waitMs, () => thawed(action));
    else if (isAlive) action();
  }

  function kill(why: string): void {
    if (!isAlive) return;
    isAlive = false;
    options.trace.add(options.name, "process", "killed", [why]);
    options.onDeath(why);
  }

  const time: Time = {
    nowMs: () => options.time.nowMs() + options.skewMs,
    monotonicMs: () => options.time.monotonicMs(),
    after: (delayMs, action) =>
      cancellable((isWanted) =>
        options.time.after(delayMs, () =>
          thawed(() => {
            if (isWanted()) action();
          }),
        ),
      ),
  };

  function crashes(): boolean {
    const { perCall } = options.crashes();
    return perCall > 0 && options.random.fraction() < perCall;
  }

  function called(port: string, operation: string, call: () => unknown, argumentsGiven: readonly unknown[]): unknown {
    if (!isAlive) return unanswered();
    options.trace.add(options.name, port, operation, argumentsGiven);
    if (crashes()) {
      kill(`before ${port}.${operation}`);
      return unanswered();
    }
    const answer = call();
    return answer instanceof Promise ? answered(port, operation, answer) : answer;
  }

  async function answered(port: string, operation: string, answer: Promise<unknown>): Promise<unknown> {
    const result = await settled(answer);
    if (!isAlive) return unanswered();
    if (options.random.fraction() < options.crashes().freezePerCall) options.onFreeze();
    if (thawsAtMs > options.time.monotonicMs()) await new Promise<void>((resolve) => thawed(resolve));
    if (crashes()) {
      kill(`after ${port}.${operation}`);
      return unanswered();
    }
    if (!result.isFulfilled) throw result.reason;
    return isPort(result.value) ? through(`${port}.${operation}`, result.value) : result.value;
  }

  function through<P extends object>(port: string, target: P): P {
    return new Proxy(target, {
      get(object, member) {
        const value: unknown = Reflect.get(object, member);
        if (typeof member === "symbol") return value;
        if (typeof value === "function") {
          const method = value as (...given: unknown[]) => unknown;
          return (...given: unknown[]) => called(port, member, () => method.apply(object, given), given);
        }
        return isPort(value) ? through(`${port}.${member}`, value) : value;
      },
    });
  }

  function freeze(durationMs: number): void {
    options.trace.add(options.name, "process", "frozen", [durationMs]);
    thawsAtMs = options.time.monotonicMs() + durationMs;
  }

  return { name: options.name, time, isAlive: () => isAlive, kill, freeze, through };
}

/** Arms a timer that does not fire when its process thaws if it was cancelled during the freeze. */
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

/** Each call gets a promise of its own, because a shared one would retain everything that ever waited for it. */
function unanswered(): Promise<never> {
  return new Promise(() => {});
}

type Settled = { readonly isFulfilled: true; readonly value: unknown } | { readonly isFulfilled: false; readonly reason: unknown };

async function settled(answer: Promise<unknown>): Promise<Settled> {
  try {
    return { isFulfilled: true, value: await answer };
  } catch (reason) {
    return { isFulfilled: false, reason };
  }
}

/**
 * True for an instance of a class or an object with a method (producer, consumer, collection), not for documents, maps,
 * arrays or bytes.
 */
function isPort(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) || value instanceof Map || value instanceof Uint8Array) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype) return true;
  return Object.values(value).some((member) => typeof member === "function");
}
