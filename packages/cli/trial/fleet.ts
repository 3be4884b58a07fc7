// The processes of a trial: several schedulers and one each of the others, which can be killed, started again at the same addresses, stopped and
// let go on, and given a wrong clock.
//
// 1. A process that ended though nobody asked it to is started again, as a supervisor would, and remembered in `losses`.
// 2. `heal` ends every fault that is still under way; `stop` ends all processes, also stopped ones.

import { join } from "node:path";
import type { Time } from "@sluice/runtime";
import { sleep } from "@sluice/runtime";
import { startService } from "../processes.ts";
import type { ServiceName, ServiceProcess } from "../processes.ts";
import { createFakeClock } from "./fake-clock.ts";
import type { FakeClock } from "./fake-clock.ts";
import { sendSignal } from "./send-signal.ts";
import type { Label } from "./windows-plan.ts";

export interface Fleet {
  readonly ingressUrl: string;
  /** SIGKILL; resolves when it is gone. */
  kill(label: Label): Promise<void>;
  /** One that was killed; resolves when it listens. */
  start(label: Label): Promise<void>;
  /** SIGSTOP. */
  halt(label: Label): void;
  /** SIGCONT. */
  resume(label: Label): void;
  /** Nothing happens where it has no wrong clock. */
  setClock(label: Label, offsetMs: number): Promise<void>;
  /** By how much its wall clock is off, as its own answers say, within a second; null: no answer, or no date in it. */
  skewMs(label: Label): Promise<number | null>;
  heal(): Promise<void>;
  losses(): readonly string[];
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly labels: readonly Label[];
  readonly environment: Readonly<Record<string, string>>;
  /** Of the run: logs, clocks, notes. */
  readonly directory: string;
  /** Of libfaketime; null: no wrong clocks. */
  readonly fakeTime: string | null;
  /** Offsets from the start; a process that is not named has the machine's clock for good. */
  readonly offsetsMs: Readonly<Partial<Record<Label, number>>>;
  readonly time: Time;
  readonly signal: AbortSignal;
}

interface Member {
  readonly label: Label;
  readonly clock: FakeClock | null;
  process: ServiceProcess | null;
  /** While it is being started. */
  launching: Promise<void> | null;
  isHalted: boolean;
}

const restartAfterMs = 1_000;
const answerTimeoutMs = 2_000;

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { labels, directory, time, signal } = options;
  const members = new Map<Label, Member>();
  for (const label of labels)
    members.set(label, { label, clock: await clockOf(options, label), process: null, launching: null, isHalted: false });
  const losses: string[] = [];
  let port: number | null = null;
  let isOver = false;

  /** Nothing where it runs, or is being started. */
  function launch(member: Member): Promise<void> {
    if (isOver || member.process !== null) return Promise.resolve();
    member.launching ??= launchOnce(member).finally(() => (member.launching = null));
    return member.launching;
  }

  async function launchOnce(member: Member): Promise<void> {
    const { label, clock } = member;
    const own = label === "ingress" && port !== null ? { SLUICE_HTTP_PORT: String(port) } : {};
    const environment = { ...options.environment, ...clock?.environment, ...own };
    const process = await startService(serviceOf(label), environment, join(directory, `${label}.log`), { directory, label, signal });
    member.process = process;
    if (label === "ingress") port = process.port;
    void noteLoss(member, process);
  }

  async function noteLoss(member: Member, process: ServiceProcess): Promise<void> {
    const { code, signal: by } = await process.exited;
    if (isOver || member.process !== process) return;
    losses.push(`${member.label} ended by itself (${code ?? by})`);
    member.process = null;
    await sleep(time, restartAfterMs, signal);
    await launch(member).catch((error: unknown) => losses.push(String(error)));
  }

  async function end(member: Member, how: "kill" | "stop"): Promise<void> {
    await member.launching?.catch(() => {});
    const { process } = member;
    member.process = null;
    if (process === null) return;
    if (member.isHalted) sendSignal(process, "SIGCONT");
    member.isHalted = false;
    await process[how]();
  }

  function resume(member: Member): void {
    if (member.process !== null && member.isHalted) sendSignal(member.process, "SIGCONT");
    member.isHalted = false;
  }

  async function stop(): Promise<void> {
    isOver = true;
    await Promise.all([...members.values()].map((member) => end(member, "stop")));
  }

  const started = await Promise.allSettled([...members.values()].map(launch));
  const failed = started.find((result) => result.status === "rejected");
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return fleetOf(members, { launch, end, resume, time }, { ingressUrl: `http://127.0.0.1:${port}`, losses: () => losses, stop });
}

interface MemberActions {
  readonly launch: (member: Member) => Promise<void>;
  readonly end: (member: Member, how: "kill" | "stop") => Promise<void>;
  readonly resume: (member: Member) => void;
  readonly time: Time;
}

function fleetOf(
  members: ReadonlyMap<Label, Member>,
  { launch, end, resume, time }: MemberActions,
  rest: Pick<Fleet, "ingressUrl" | "losses" | "stop">,
): Fleet {
  const memberOf = (label: Label): Member => members.get(label) ?? missing(label);
  return {
    ...rest,
    kill: (label) => end(memberOf(label), "kill"),
    start: (label) => launch(memberOf(label)),
    halt(label) {
      const member = memberOf(label);
      if (member.process === null) return;
      member.isHalted = true;
      sendSignal(member.process, "SIGSTOP");
    },
    resume: (label) => resume(memberOf(label)),
    setClock: async (label, offsetMs) => memberOf(label).clock?.set(offsetMs),
    skewMs: (label) => skewOf(memberOf(label).process, time),
    async heal() {
      for (const member of members.values()) resume(member);
      await Promise.all([...members.values()].map(launch));
    },
  };
}

async function clockOf({ fakeTime, offsetsMs, directory }: FleetOptions, label: Label): Promise<FakeClock | null> {
  const offsetMs = offsetsMs[label];
  if (fakeTime === null || offsetMs === undefined) return null;
  const clock = await createFakeClock(fakeTime, directory, label);
  await clock.set(offsetMs);
  return clock;
}

function serviceOf(label: Label): ServiceName {
  if (label === "scheduler-1" || label === "scheduler-2" || label === "scheduler-3") return "scheduler";
  return label;
}

/** The header `Date` is made by the process's wall clock. */
async function skewOf(process: ServiceProcess | null, time: Time): Promise<number | null> {
  if (process === null) return null;
  const given = new AbortController();
  using _timer = time.after(answerTimeoutMs, () => given.abort());
  const answer = await fetch(`http://127.0.0.1:${process.opsPort}/livez`, { signal: given.signal }).catch(() => null);
  const date = Date.parse(answer?.headers.get("date") ?? "");
  await answer?.body?.cancel();
  return Number.isNaN(date) ? null : date - time.nowMs();
}

function missing(label: string): never {
  throw new Error(`no ${label} in this fleet`);
}
