// Runs the processes of a trial: several schedulers and one of each other service. They can be killed, started again at
// the same address, stopped, resumed and given a wrong clock.
//
// #1 A process that ends by itself is started again, as a supervisor would do, and recorded in `losses`.
// #2 `heal` ends every fault that is still in effect; `stop` ends all processes, also stopped ones.

import { join } from "node:path";
import { sleep, type Time } from "@sluice/kernel";
import { type ServiceName, type ServiceProcess, startService } from "@sluice/environment";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { sendSignal } from "../send-signal.ts";
import type { ProcessLabel } from "./plan.ts";

export interface Fleet {
  readonly ingressUrl: string;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(label: ProcessLabel): Promise<void>;
  /** Starts a process that was killed; resolves when it listens. */
  start(label: ProcessLabel): Promise<void>;
  /** Sends SIGSTOP. */
  halt(label: ProcessLabel): void;
  /** Sends SIGCONT. */
  resume(label: ProcessLabel): void;
  /** Sets the offset of its clock; does nothing for a process without a wrong clock. */
  setClock(label: ProcessLabel, offsetMs: number): Promise<void>;
  /**
   * Reads the skew of its wall clock from its own answers, to within a second. Returns null without an answer or a date
   * in it.
   */
  skewMs(label: ProcessLabel): Promise<number | null>;
  heal(): Promise<void>;
  losses(): readonly string[];
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly labels: readonly ProcessLabel[];
  readonly environment: Readonly<Record<string, string>>;
  /** Folder of the run's logs, clocks and notes. */
  readonly directory: string;
  /** Path of libfaketime; null for no wrong clocks. */
  readonly fakeTime: string | null;
  /** Clock offsets from the start. A process that is not named keeps the machine's clock. */
  readonly offsetsMs: Readonly<Partial<Record<ProcessLabel, number>>>;
  readonly time: Time;
  readonly signal: AbortSignal;
}

interface Member {
  readonly label: ProcessLabel;
  readonly clock: FakeClock | null;
  process: ServiceProcess | null;
  /** Set while it is being started. */
  launching: Promise<void> | null;
  isHalted: boolean;
}

const restartAfterMs = 1_000;
const answerTimeoutMs = 2_000;

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { labels, directory, time, signal } = options;
  const members = new Map<ProcessLabel, Member>();
  for (const label of labels)
    members.set(label, { label, clock: await openClock(options, label), process: null, launching: null, isHalted: false });
  const losses: string[] = [];
  let port: number | null = null;
  let isOver = false;

  /** Does nothing if the process runs or is being started. */
  function launch(member: Member): Promise<void> {
    if (isOver || member.process !== null) return Promise.resolve();
    member.launching ??= launchOnce(member).finally(() => (member.launching = null));
    return member.launching;
  }

  async function launchOnce(member: Member): Promise<void> {
    const { label, clock } = member;
    const own = label === "ingress" && port !== null ? { SLUICE_HTTP_PORT: String(port) } : {};
    const environment = { ...options.environment, ...clock?.environment, ...own };
    const process = await startService(toServiceName(label), environment, join(directory, `${label}.log`), { directory, label, signal });
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
  return createFleet(members, { launch, end, resume, time }, { ingressUrl: `http://127.0.0.1:${port}`, losses: () => losses, stop });
}

interface MemberActions {
  readonly launch: (member: Member) => Promise<void>;
  readonly end: (member: Member, how: "kill" | "stop") => Promise<void>;
  readonly resume: (member: Member) => void;
  readonly time: Time;
}

function createFleet(
  members: ReadonlyMap<ProcessLabel, Member>,
  { launch, end, resume, time }: MemberActions,
  rest: Pick<Fleet, "ingressUrl" | "losses" | "stop">,
): Fleet {
  const getMember = (label: ProcessLabel): Member => members.get(label) ?? throwMissing(label);
  return {
    ...rest,
    kill: (label) => end(getMember(label), "kill"),
    start: (label) => launch(getMember(label)),
    halt(label) {
      const member = getMember(label);
      if (member.process === null) return;
      member.isHalted = true;
      sendSignal(member.process, "SIGSTOP");
    },
    resume: (label) => resume(getMember(label)),
    setClock: async (label, offsetMs) => getMember(label).clock?.set(offsetMs),
    skewMs: (label) => readSkew(getMember(label).process, time),
    async heal() {
      for (const member of members.values()) resume(member);
      await Promise.all([...members.values()].map(launch));
    },
  };
}

async function openClock({ fakeTime, offsetsMs, directory }: FleetOptions, label: ProcessLabel): Promise<FakeClock | null> {
  const offsetMs = offsetsMs[label];
  if (fakeTime === null || offsetMs === undefined) return null;
  const clock = await createFakeClock(fakeTime, directory, label);
  await clock.set(offsetMs);
  return clock;
}

function toServiceName(label: ProcessLabel): ServiceName {
  if (label === "scheduler-1" || label === "scheduler-2" || label === "scheduler-3") return "scheduler";
  return label;
}

/** The process writes the header `Date` by its own wall clock. */
async function readSkew(process: ServiceProcess | null, time: Time): Promise<number | null> {
  if (process === null) return null;
  const timeout = new AbortController();
  using _timer = time.after(answerTimeoutMs, () => timeout.abort());
  const answer = await fetch(`http://127.0.0.1:${process.opsPort}/livez`, { signal: timeout.signal }).catch(() => null);
  const date = Date.parse(answer?.headers.get("date") ?? "");
  await answer?.body?.cancel();
  return Number.isNaN(date) ? null : date - time.nowMs();
}

function throwMissing(label: string): never {
  throw new Error(`no ${label} in this fleet`);
}
