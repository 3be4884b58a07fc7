// `./sluice bench opening`: how fast held debits leave when their window opens, against the bank's own limit.
//
// #1 The bank's limit is what a bare loop of requests brings to it over the same connections, before the opening and
//    after it.
// #2 All debits are held first, because the window is planned for later. Then its opening is planned for soon, and the
//    scheduler is started again with it.
// #3 Speed is counted at the bank, from its first debit to its last. Broker, store and services share the machine.

import { machineTime, silentLogger, sleep, type Time } from "@sluice/kernel";
import { type ServiceProcess, timeIn } from "@sluice/environment";
import { createMongoStore } from "@sluice/store";
import { openSink, type Sink } from "../delivery/sink.ts";
import { type BenchEnvironment, openBenchEnvironment } from "../environment.ts";
import { readNumber, startLineProcess } from "../line-process.ts";
import { machineFacts } from "../processor-time.ts";
import { computeSpread } from "../spread.ts";
import { buildFigure, type LimitsBenchOptions, type LimitsReport } from "./figures.ts";
import { fillJournal, untilCount } from "./journal.ts";

const connections = 64;
const opensAfterMs = 20_000;
const later = { opens: "20:00", closes: "22:00" } as const;
const bareMessages = 50_000;
const lookMs = 5;
const schedulerReadyMs = 300_000;

export async function runOpeningBench(options: LimitsBenchOptions, time: Time = machineTime): Promise<LimitsReport> {
  const { size: debits, say, signal } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const sink = await openSink(opened);
  const environment = await openBenchEnvironment(
    { ...options, bankUrl: sink.origin, connections, profileDirectory: null, window: later, time },
    opened,
  );
  const dispatcher = await environment.start("dispatcher");
  opened.defer(async () => void (await dispatcher.stop()));
  say(`${debits} debits are brought in`);
  const filledMs = time.monotonicMs();
  const first = await environment.start("scheduler");
  const running = { scheduler: first };
  opened.defer(async () => void (await running.scheduler.stop()));
  await Promise.all([dispatcher.ready(), first.ready()]);
  const records = await fillJournal({ environment, debits, time, signal });
  const store = createMongoStore({
    url: environment.settings["MONGO_URL"] ?? "",
    database: environment.settings["SLUICE_DATABASE"] ?? "",
    logger: silentLogger,
  });
  opened.defer(() => store.close());
  await untilCount({ what: "records handled by the scheduler", wanted: records, time, signal }, async () => {
    const leases = await store.partitions.list("scheduler");
    return leases.reduce((sum, { position }) => sum + Number(position), 0);
  });
  const heldPerSecond = (debits * 1_000) / (time.monotonicMs() - filledMs);
  // Reports of acceptance may still be on their way to the bank.
  await untilCount({ what: "reports at the bank", wanted: debits, time, signal }, async () => (await sink.received()).count);
  say("all are held; measuring the bank's own limit");
  const before = await playBareLoop(sink);
  await sink.reset();
  const opening = await openWindow({ environment, sink, running, time, signal });
  await untilCount({ what: "debits at the bank", wanted: debits, time, signal }, async () => (await sink.received()).count);
  const { count, tookMs } = await sink.received();
  const distinct = new Set(await sink.ids()).size;
  const releasedPerSecond = (count - 1) / (tookMs / 1_000);
  await sink.reset();
  const after = await playBareLoop(sink);
  const limit = (before + after) / 2;
  say(`${Math.round(releasedPerSecond)} a second left, of ${Math.round(limit)} that the bank can take`);
  const problems = distinct === debits ? [] : [`${distinct} of ${debits} debits reached the bank`];
  const one = (value: number, digits: number) => computeSpread([value], digits);
  return {
    isRight: problems.length === 0,
    problems,
    machine: machineFacts(),
    store: environment.storeText,
    played: `${debits} debits held for one bank with ${connections} connections`,
    figures: {
      "brought in and held": buildFigure("debits/s", one(heldPerSecond, 0)),
      released: buildFigure("debits/s", one(releasedPerSecond, 0), { atLeast: 3_000 }),
      "the bank's own limit": buildFigure("requests/s", computeSpread([before, after], 0)),
      "released of the bank's own limit": buildFigure("ratio", one(releasedPerSecond / limit, 2), { atLeast: 0.9 }),
      "scheduler ready after its start": buildFigure("s", one(opening.readyMs / 1_000, 1)),
      "first debit after the opening": buildFigure("s", one(opening.firstAfterMs / 1_000, 2), { atMost: 5 }),
      "sent twice": buildFigure("debits", one(count - distinct, 0), { atMost: 0 }),
    },
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

interface Opening {
  readonly environment: BenchEnvironment;
  readonly sink: Sink;
  readonly running: { scheduler: ServiceProcess };
  readonly time: Time;
  readonly signal: AbortSignal;
}

/** #2. The debits may leave before the scheduler is ready. */
async function openWindow({ environment, sink, running, time, signal }: Opening) {
  const opensAtMs = Math.ceil((time.nowMs() + opensAfterMs) / 1_000) * 1_000;
  await environment.planWindow({ opens: timeIn(environment.zone, opensAtMs), closes: later.closes });
  await running.scheduler.stop();
  const startedMs = time.monotonicMs();
  running.scheduler = await environment.start("scheduler");
  const ready = running.scheduler.ready(schedulerReadyMs).then(() => time.monotonicMs() - startedMs);
  while ((await sink.received()).count === 0) await sleep(time, lookMs, signal);
  return { firstAfterMs: time.nowMs() - opensAtMs, readyMs: await ready };
}

/** #1: returns requests a second. */
async function playBareLoop({ origin }: Sink): Promise<number> {
  const words = { origin, path: "/inbound/direct-debit", connections, run: "limit", service: "dispatcher", messages: bareMessages };
  const child = startLineProcess(
    new URL("../delivery/bare-loop-process.ts", import.meta.url),
    Object.entries(words).flatMap(([name, value]) => [`--${name}`, String(value)]),
  );
  const said = await child.nextLine();
  await child.stop();
  return bareMessages / (readNumber(said, "tookMs") / 1_000);
}
