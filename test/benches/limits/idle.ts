// `./sluice bench idle`: what each service costs while nothing happens, against a process that only polls the journal.
//
// #1 All services run, and no record was ever appended but their own probes. Each share is that of one core.
// #2 What a start leaves is waited for first, and a round lasts as many seconds as are asked for.

import { readMemory, type ServiceName, serviceNames } from "@sluice/environment";
import { machineTime, sleep, type Time } from "@sluice/kernel";
import { openBenchEnvironment } from "../environment.ts";
import { startLineProcess } from "../line-process.ts";
import { machineFacts, readProcessorSeconds, subtractProcessorSeconds } from "../processor-time.ts";
import { computeSpread } from "../spread.ts";
import { buildFigure, type Figure, type LimitsBenchOptions, type LimitsReport } from "./figures.ts";

const nobody = "http://127.0.0.1:9";
const settleMs = 20_000;
const mebibyte = 1_048_576;
const goals = { percent: 0.5, mebibytes: 100 } as const;
const bareName = "a process that polls";

export async function runIdleBench(options: LimitsBenchOptions, time: Time = machineTime): Promise<LimitsReport> {
  const { size: seconds, rounds, say, signal } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const environment = await openBenchEnvironment({ ...options, bankUrl: nobody, connections: 16, profileDirectory: null, time }, opened);
  const running = await Promise.all(serviceNames.map((name) => environment.start(name)));
  opened.defer(async () => void (await Promise.all(running.map((service) => service.stop()))));
  await Promise.all(running.map((service) => service.ready()));
  const { settings } = environment;
  const { SLUICE_DATABASE: database = "" } = await environment.prepareStore();
  const words = { brokers: settings["KAFKA_BROKERS"] ?? "", mongo: settings["MONGO_URL"] ?? "", database, records: 0 };
  const bare = startLineProcess(
    new URL("./consume-process.ts", import.meta.url),
    Object.entries(words).flatMap(([name, value]) => [`--${name}`, String(value)]),
  );
  opened.defer(() => bare.stop());
  await bare.nextLine();
  const watched = new Map<ServiceName | typeof bareName, number>([
    ...running.map(({ name, pid }) => [name, pid] as const),
    [bareName, bare.pid],
  ]);
  say(`all services are up; waiting ${settleMs / 1_000} s`);
  await sleep(time, settleMs, signal);
  const percents = new Map<string, number[]>();
  for (let round = 1; round <= rounds; round += 1) {
    signal.throwIfAborted();
    const [before, fromMs] = [await readProcessorSeconds(watched), time.monotonicMs()];
    await sleep(time, seconds * 1_000, signal);
    const used = subtractProcessorSeconds(before, await readProcessorSeconds(watched));
    const tookSeconds = (time.monotonicMs() - fromMs) / 1_000;
    for (const [name, one] of used) percents.set(name, [...(percents.get(name) ?? []), (one / tookSeconds) * 100]);
  }
  const figures: [string, Figure][] = [];
  for (const [name, pid] of watched) {
    const { nowBytes = 0 } = (await readMemory(pid)) ?? {};
    const isBare = name === bareName;
    const percent = computeSpread(percents.get(name) ?? [], 2);
    const mebibytes = computeSpread([nowBytes / mebibyte], 0);
    figures.push([`${name}, processor`, buildFigure("% of a core", percent, isBare ? {} : { atMost: goals.percent })]);
    figures.push([`${name}, memory`, buildFigure("MiB", mebibytes, isBare ? {} : { atMost: goals.mebibytes })]);
  }
  return {
    isRight: true,
    problems: [],
    machine: machineFacts(),
    store: environment.storeText,
    played: `nothing, for ${seconds} s, ${rounds} rounds`,
    figures: Object.fromEntries(figures),
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}
