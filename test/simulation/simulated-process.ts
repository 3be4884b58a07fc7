// One service instance in the simulation: its ports go through here, so that it can die between any two of its effects, exactly as a
// process does, and so that every port call ends up in the trace.
//
// #1 A dead process does nothing any more: its timers do not fire, its calls are never answered, nothing is handed to it.
// #2 A crash may come before a call has its effect, or after the effect and before the answer.
// #3 A frozen process goes on where it was when it thaws, and does not know: timers and answers reach it only then.
// #4 Each call is one line of the trace: virtual time, process, port, operation, digest of the arguments.

import type { Time, Random } from "@sluice/runtime";
import type { Trace } from "./trace.ts";

export interface CrashPlan {
  /** Probability of a crash at each side of each port call; 0 = none. */
  readonly perCall: number;
  /** Probability that it is cut off and frozen between a call's effect and its answer; 0 = none. */
  readonly freezePerCall: number;
}

export interface SimulatedProcess {
  readonly name: string;
  readonly time: Time;
  isAlive(): boolean;
  /** Ends it at once. Idempotent. */
  kill(why: string): void;
  /** For this long nothing happens in it. */
  freeze(durationMs: number): void;
  /** The same port, seen through this process. `port` names it in the trace. */
  through<P extends object>(port: string, target: P): P;
}

export interface ProcessOptions {
  readonly name: string;
  readonly time: Time;
  readonly random: Random;
  readonly trace: Trace;
  readonly crashes: () => CrashPlan;
  /** Wall clock of this process minus the true one, milliseconds. */
  readonly skewMs: number;
  /** To be cut off from the log and frozen, in the middle of its work. */
  readonly struck: () => void;
  /** Called once, synchronously, when it dies. */
  readonly died: (why: string) => void;
}

export function startProcess(options: ProcessOptions): SimulatedProcess {
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
    options.died(why);
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
    if (options.random.fraction() < options.crashes().freezePerCall) options.struck();
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

type Settled = { readonly isFulfilled: true; readonly value: unknown } | { readonly isFulfilled: false; readonly reason: unknown };

async function settled(answer: Promise<unknown>): Promise<Settled> {
  try {
    return { isFulfilled: true, value: await answer };
  } catch (reason) {
    return { isFulfilled: false, reason };
  }
}

/** An instance of a class, or a plain object with a method: a producer, a consumer, a collection. Documents, maps, arrays and bytes are not. */
function isPort(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) || value instanceof Map || value instanceof Uint8Array) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype) return true;
  return Object.values(value).some((member) => typeof member === "function");
}
