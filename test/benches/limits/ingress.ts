// `./sluice bench ingress`: how many debits a second ingress takes, alone with its broker, against a bare `node:http`
// server with the same bodies and against plain produce of the same bytes.
//
// #1 Each round plays bare server, plain produce, ingress, plain produce, bare server. Ingress is compared with the
//    mean of the two before and after it. One round that does not count warms all of them up.
// #2 The poster shares the machine, so processor time says more than speed. It is that of the serving process alone.

import { machineTime, type Time } from "@sluice/kernel";
import { bankBranch, openBenchEnvironment } from "../environment.ts";
import { readNumber, startLineProcess } from "../line-process.ts";
import { machineFacts, readProcessorSeconds, subtractProcessorSeconds } from "../processor-time.ts";
import { computeSpread } from "../spread.ts";
import { buildFigure, type LimitsBenchOptions, type LimitsReport } from "./figures.ts";
import { postDebits } from "./post.ts";

const connections = 64;
const nobody = "http://127.0.0.1:9";

/** Requests a second, and processor time of the server in microseconds for one. */
interface Turn {
  readonly perSecond: number;
  readonly micros: number;
}

export async function runIngressBench(options: LimitsBenchOptions, time: Time = machineTime): Promise<LimitsReport> {
  const { size, rounds, say, signal } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const environment = await openBenchEnvironment({ ...options, bankUrl: nobody, connections: 16, profileDirectory: null, time }, opened);
  const poster = startLineProcess(new URL("./post-process.ts", import.meta.url), []);
  opened.defer(() => poster.stop());
  const bare = startLineProcess(new URL("./bare-server-process.ts", import.meta.url), []);
  opened.defer(() => bare.stop());
  const bareUrl = `http://127.0.0.1:${readNumber(await bare.nextLine(), "port")}`;
  const ingress = await environment.start("ingress");
  opened.defer(async () => void (await ingress.stop()));
  await ingress.ready();
  const problems: string[] = [];
  let run = 0;

  async function serve(name: string, url: string, pid: number): Promise<Turn> {
    signal.throwIfAborted();
    run += 1;
    const watched = new Map([[name, pid]]);
    const before = await readProcessorSeconds(watched);
    const { tookMs, refused } = await postDebits(poster, { url, branch: bankBranch, run, requests: size, connections });
    const used = subtractProcessorSeconds(before, await readProcessorSeconds(watched));
    if (refused > 0) problems.push(`${name} refused ${refused} of ${size} debits`);
    return { perSecond: size / (tookMs / 1_000), micros: ((used.get(name) ?? 0) * 1_000_000) / size };
  }

  async function produce(): Promise<Turn> {
    run += 1;
    const words = {
      brokers: environment.settings["KAFKA_BROKERS"] ?? "",
      branch: bankBranch,
      run,
      records: size,
      concurrency: connections,
    };
    const child = startLineProcess(
      new URL("./produce-process.ts", import.meta.url),
      Object.entries(words).flatMap(([name, value]) => [`--${name}`, String(value)]),
    );
    const said = await child.nextLine();
    await child.stop();
    const seconds = readNumber(said, "processorSeconds");
    return { perSecond: size / (readNumber(said, "tookMs") / 1_000), micros: (seconds * 1_000_000) / size };
  }

  const turns: Record<"bare server" | "plain produce" | "ingress", Turn[]> = { "bare server": [], "plain produce": [], ingress: [] };
  const ratios: { server: number; produce: number; micros: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const [bareBefore, produceBefore] = [await serve("bare server", bareUrl, bare.pid), await produce()];
    const one = await serve("ingress", ingressUrl(ingress.port), ingress.pid);
    const [produceAfter, bareAfter] = [await produce(), await serve("bare server", bareUrl, bare.pid)];
    // #1
    if (round === 0) continue;
    turns["bare server"].push(bareBefore, bareAfter);
    turns["plain produce"].push(produceBefore, produceAfter);
    turns.ingress.push(one);
    const ratio = {
      server: (2 * one.perSecond) / (bareBefore.perSecond + bareAfter.perSecond),
      produce: (2 * one.perSecond) / (produceBefore.perSecond + produceAfter.perSecond),
      micros: (bareBefore.micros + bareAfter.micros + produceBefore.micros + produceAfter.micros) / (2 * one.micros),
    };
    ratios.push(ratio);
    say(`round ${round} of ${rounds}: ingress ${Math.round(one.perSecond)} a second, ${ratio.server.toFixed(2)} of the bare server`);
  }
  const perSecond = (name: keyof typeof turns) =>
    computeSpread(
      turns[name].map((turn) => turn.perSecond),
      0,
    );
  const micros = (name: keyof typeof turns) =>
    computeSpread(
      turns[name].map((turn) => turn.micros),
      0,
    );
  return {
    isRight: problems.length === 0,
    problems,
    machine: machineFacts(),
    store: environment.storeText,
    played: `${size} debits over ${connections} connections, ${rounds} rounds`,
    figures: {
      ingress: buildFigure("debits/s", perSecond("ingress")),
      "bare server": buildFigure("requests/s", perSecond("bare server")),
      "plain produce": buildFigure("records/s", perSecond("plain produce")),
      "ingress of bare server": buildFigure(
        "ratio",
        computeSpread(
          ratios.map(({ server }) => server),
          2,
        ),
        { atLeast: 0.5 },
      ),
      "ingress of plain produce": buildFigure(
        "ratio",
        computeSpread(
          ratios.map((one) => one.produce),
          2,
        ),
      ),
      "processor of ingress": buildFigure("µs a debit", micros("ingress")),
      "processor of bare server": buildFigure("µs a request", micros("bare server")),
      "processor of plain produce": buildFigure("µs a record", micros("plain produce")),
      "bare server and produce of ingress, by processor": buildFigure(
        "ratio",
        computeSpread(
          ratios.map((one) => one.micros),
          2,
        ),
      ),
    },
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

function ingressUrl(port: number | null): string {
  return `http://127.0.0.1:${port}`;
}
