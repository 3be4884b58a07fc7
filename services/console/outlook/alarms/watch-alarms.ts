// Asks which alarms fire, again and again, so that no page waits for the answer.
//
// #1 While nobody answers, the last alarms stay, with the time of their answer, and the answer says since when nobody
//    does. A page must not look well because its source is silent.
// #2 One question is under way at a time. What is kept is bounded by `alarmsMax`.

import type { Logger, Time } from "@sluice/kernel";
import type { AskAlarms } from "@sluice/process";
import { alarmsMax, readAlarms, type AlarmView } from "./read-alarms.ts";

interface AlarmState {
  /** `none`: no source is configured; `unasked`: the first answer is to come; `silent`: it cannot be asked now. */
  readonly source: "none" | "unasked" | "answers" | "silent";
  /** When the alarms here were answered, epoch milliseconds; null: never. */
  readonly answeredAtMs: number | null;
  readonly silentSinceMs: number | null;
  /** Why it cannot be asked. */
  readonly why: string | null;
  readonly alarms: readonly AlarmView[];
  /** False: there are more than are kept. */
  readonly isWhole: boolean;
}

export interface AlarmWatch {
  read(): AlarmState;
  stop(): void;
}

interface AlarmWatchPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly brokerNowMs: () => number | null;
  /** null: no source is configured. */
  readonly askAlarms: AskAlarms | null;
}

export const alarmsAskedEveryMs = 15_000;
const nothing = { answeredAtMs: null, silentSinceMs: null, why: null, alarms: [], isWhole: true } as const;

export function watchAlarms({ time, logger, brokerNowMs, askAlarms }: AlarmWatchPorts): AlarmWatch {
  if (askAlarms === null) return { read: () => ({ ...nothing, source: "none" }), stop: () => {} };
  let state: AlarmState = { ...nothing, source: "unasked" };
  let isStopped = false;
  let timer = time.after(0, () => void look());

  async function look(): Promise<void> {
    const asked = await askAlarms?.();
    const alarms = asked?.kind === "answered" ? readAlarms(asked.text) : null;
    if (alarms === null) fall(asked?.kind === "silent" ? asked.failure : "what it answers is no list of alarms");
    else rise(alarms);
    if (!isStopped) timer = time.after(alarmsAskedEveryMs, () => void look());
  }

  function rise(alarms: readonly AlarmView[]): void {
    if (state.source === "silent") logger.info("alarms.answered", {});
    const isWhole = alarms.length <= alarmsMax;
    state = { ...nothing, source: "answers", answeredAtMs: nowMs(), alarms: alarms.slice(0, alarmsMax), isWhole };
  }

  /** #1 */
  function fall(why: string): void {
    if (state.source !== "silent") logger.warn("alarms.silent", { reason: why });
    state = { ...state, source: "silent", silentSinceMs: state.silentSinceMs ?? nowMs(), why };
  }

  function nowMs(): number {
    return brokerNowMs() ?? time.nowMs();
  }

  return {
    read: () => state,
    stop() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}
