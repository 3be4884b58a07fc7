// `./sluice bench scheduler`: how many records a second the scheduler handles from a full journal, alone with broker
// and store, against a process that only consumes them and writes their bytes in bulks.
//
// #1 Each round plays the bare process, the scheduler and the bare process, each with a store of its own.
// #2 Both count from the first record that is handled. The scheduler is done with a record once its position is past it
//    in the store, and then has written its transactions, and appended what follows from them.

import { machineTime, silentLogger, sleep, type Time } from "@sluice/kernel";
import { createMongoStore } from "@sluice/store";
import { type BenchEnvironment, openBenchEnvironment } from "../environment.ts";
import { readNumber, startLineProcess } from "../line-process.ts";
import { machineFacts, readProcessorSeconds, subtractProcessorSeconds } from "../processor-time.ts";
import { computeSpread } from "../spread.ts";
import { buildFigure, type LimitsBenchOptions, type LimitsReport } from "./figures.ts";
import { fillJournal } from "./journal.ts";

const nobody = "http://127.0.0.1:9";
const lookMs = 50;
const standstillMaxMs = 60_000;

interface Turn {
  readonly perSecond: number;
  /** Of the process alone, microseconds for a record. */
  readonly micros: number;
  /** Of broker and store, microseconds for a record. */
  readonly serverMicros: number;
}

export async function runSchedulerBench(options: LimitsBenchOptions, time: Time = machineTime): Promise<LimitsReport> {
  const { size, rounds, say, signal } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const environment = await openBenchEnvironment({ ...options, bankUrl: nobody, connections: 16, profileDirectory: null, time }, opened);
  say(`filling the journal with ${size} debits`);
  const records = await fillJournal({ environment, debits: size, time, signal });
  const bench: Bench = { environment, records, time, signal };
  const turns: { bare: Turn[]; scheduler: Turn[] } = { bare: [], scheduler: [] };
  const ratios: { speed: number; micros: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const [before, one, after] = [await consume(bench), await schedule(bench), await consume(bench)];
    turns.bare.push(before, after);
    turns.scheduler.push(one);
    const ratio = {
      speed: (2 * one.perSecond) / (before.perSecond + after.perSecond),
      micros: (before.micros + after.micros) / (2 * one.micros),
    };
    ratios.push(ratio);
    say(`round ${round} of ${rounds}: ${Math.round(one.perSecond)} records a second, ${ratio.speed.toFixed(2)} of consume and bulk write`);
  }
  const spread = (of: readonly Turn[], read: (turn: Turn) => number) => computeSpread(of.map(read), 0);
  return {
    isRight: true,
    problems: [],
    machine: machineFacts(),
    store: environment.storeText,
    played: `${size} debits and their verdicts, ${records} records, ${rounds} rounds`,
    figures: {
      scheduler: buildFigure(
        "records/s",
        spread(turns.scheduler, ({ perSecond }) => perSecond),
      ),
      "consume and bulk write": buildFigure(
        "records/s",
        spread(turns.bare, ({ perSecond }) => perSecond),
      ),
      "scheduler of consume and bulk write": buildFigure(
        "ratio",
        computeSpread(
          ratios.map(({ speed }) => speed),
          2,
        ),
        { atLeast: 0.5 },
      ),
      "processor of scheduler": buildFigure(
        "µs a record",
        spread(turns.scheduler, ({ micros }) => micros),
      ),
      "broker and store behind it": buildFigure(
        "µs a record",
        spread(turns.scheduler, ({ serverMicros }) => serverMicros),
      ),
      "processor of consume and bulk write": buildFigure(
        "µs a record",
        spread(turns.bare, ({ micros }) => micros),
      ),
      "broker and store behind that": buildFigure(
        "µs a record",
        spread(turns.bare, ({ serverMicros }) => serverMicros),
      ),
      "consume and bulk write of scheduler, by processor": buildFigure(
        "ratio",
        computeSpread(
          ratios.map(({ micros }) => micros),
          2,
        ),
      ),
    },
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

interface Bench {
  readonly environment: BenchEnvironment;
  readonly records: number;
  readonly time: Time;
  readonly signal: AbortSignal;
}

async function consume({ environment, records }: Bench): Promise<Turn> {
  const { settings, watched } = environment;
  const { SLUICE_DATABASE: database = "" } = await environment.prepareStore();
  const before = await readProcessorSeconds(watched);
  const words = { brokers: settings["KAFKA_BROKERS"] ?? "", mongo: settings["MONGO_URL"] ?? "", database, records };
  const child = startLineProcess(
    new URL("./consume-process.ts", import.meta.url),
    Object.entries(words).flatMap(([name, value]) => [`--${name}`, String(value)]),
  );
  try {
    const said = await child.nextLine();
    const used = subtractProcessorSeconds(before, await readProcessorSeconds(watched));
    const seconds = readNumber(said, "processorSeconds");
    return {
      perSecond: records / (readNumber(said, "tookMs") / 1_000),
      micros: (seconds * 1_000_000) / records,
      serverMicros: sumMicros([...used.values()], records),
    };
  } finally {
    await child.stop();
  }
}

async function schedule({ environment, records, time, signal }: Bench): Promise<Turn> {
  const { settings, watched } = environment;
  const own = await environment.prepareStore();
  const store = createMongoStore({ url: settings["MONGO_URL"] ?? "", database: own["SLUICE_DATABASE"] ?? "", logger: silentLogger });
  const running = await environment.start("scheduler", own);
  const all = new Map([...watched, ["scheduler", running.pid] as const]);
  try {
    let begin: { readonly done: number; readonly atMs: number; readonly used: ReadonlyMap<string, number> } | null = null;
    let [before, movedMs] = [0, time.monotonicMs()];
    for (;;) {
      signal.throwIfAborted();
      const leases = await store.partitions.list("scheduler");
      const done = leases.reduce((sum, { position }) => sum + Number(position), 0);
      const nowMs = time.monotonicMs();
      if (begin === null && done > 0) begin = { done, atMs: nowMs, used: await readProcessorSeconds(all) };
      if (begin !== null && done >= records) {
        const used = subtractProcessorSeconds(begin.used, await readProcessorSeconds(all));
        const handled = done - begin.done;
        const servers = [...used].filter(([name]) => name !== "scheduler").map(([, seconds]) => seconds);
        return {
          perSecond: handled / ((nowMs - begin.atMs) / 1_000),
          micros: sumMicros([used.get("scheduler") ?? 0], handled),
          serverMicros: sumMicros(servers, handled),
        };
      }
      if (done !== before) [before, movedMs] = [done, nowMs];
      if (nowMs - movedMs > standstillMaxMs) throw new Error(`the scheduler stands at ${done} of ${records} records`);
      await sleep(time, lookMs, signal);
    }
  } finally {
    await running.stop();
    await store.close();
  }
}

function sumMicros(seconds: readonly number[], count: number): number {
  return (seconds.reduce((sum, one) => sum + one, 0) * 1_000_000) / Math.max(1, count);
}
