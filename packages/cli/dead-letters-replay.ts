// `./sluice dead-letters replay`: one call of the control API for each transaction, or letter, at a rate; an outcome for each record.
//
// #1 A transaction is replayed once in a run, whatever its letters are. What is put aside from the first replay on is not replayed by this run:
//    a record that is still unreadable comes back to the dead letters, and would go round for ever.
// #2 What was refused is said, and the run goes on. Where the console is away it ends, and says behind which letter to go on.

import { randomUUID } from "node:crypto";
import { Fault, machineTime, sleep, type Time } from "@sluice/runtime";
import {
  asControlVerb,
  controlClient,
  type Body,
  type ControlClient,
  type ControlTerminal,
  type RunControlVerb,
} from "./control-client.ts";
import { neededOption as needed, sent } from "./control-decision.ts";
import { rowsAt, shown, textAt } from "./control-table.ts";
import { letterFilters } from "./dead-letters-list.ts";
import type { Call } from "./verbs.ts";

interface Target {
  readonly path: string;
  readonly what: string;
  /** Behind its letter; null: it was named. */
  readonly cursor: string | null;
}

interface Run {
  readonly client: ControlClient;
  readonly where: ControlTerminal;
  readonly time: Time;
  readonly body: Body;
  readonly id: string;
  readonly isJson: boolean;
  readonly outcomes: Body[];
  replayed: number;
  refused: number;
  /** Log time of the first replay. */
  startedAt: string | null;
  /** Where to go on. */
  cursor: string | null;
}

const rateDefault = 10;
const rateMax = 40;
const idCharactersMax = 27;
const pageRows = "200";
const progressEvery = 100;
const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const runDeadLettersReplay: RunControlVerb = async (call, where) => {
  const waitMs = 1_000 / rateIn(call);
  const isDryRun = call.flag("dry-run");
  const id = call.value("id") ?? randomUUID().slice(0, 18);
  if (id.length > idCharactersMax) throw new Fault("cli.long-id", `--id has at most ${idCharactersMax} characters`, { isRetryable: false });
  const run: Run = {
    client: await controlClient(call, where),
    where,
    time: machineTime,
    body: { reason: needed(call, "reason"), ...(isDryRun ? { isDryRun } : {}) },
    id,
    isJson: call.flag("json"),
    outcomes: [],
    replayed: 0,
    refused: 0,
    startedAt: null,
    cursor: call.value("after"),
  };
  const stopped = await replayAll(run, call, waitMs);
  end(run, isDryRun, stopped);
  return stopped === null && run.refused === 0 ? 0 : 1;
};

export const deadLettersReplay = asControlVerb(runDeadLettersReplay);

/** Why it stopped; null: all is done. #2 */
async function replayAll(run: Run, call: Call, waitMs: number): Promise<string | null> {
  let count = 0;
  try {
    for await (const target of call.positionals.length > 0 ? named(call.positionals) : found(run, call)) {
      if (count > 0) await sleep(run.time, waitMs);
      await replayOne(run, target);
      run.cursor = target.cursor ?? run.cursor;
      count += 1;
      if (!run.isJson && count % progressEvery === 0) run.where.out(`${count} done, ${run.replayed} records, ${run.refused} refused`);
    }
    return null;
  } catch (error) {
    if (!(error instanceof Fault) || !error.isRetryable) throw error;
    return error.message;
  }
}

async function replayOne(run: Run, { path, what }: Target): Promise<void> {
  try {
    const answer = await sent(run.client, run.time, path, run.body, `${run.id}:${what}`);
    run.startedAt ??= typeof answer["appendedAt"] === "string" ? answer["appendedAt"] : null;
    for (const row of rowsAt(answer, "rows")) tell(run, { of: what, ...row });
  } catch (error) {
    if (!(error instanceof Fault) || error.isRetryable) throw error;
    tell(run, { of: what, outcome: "refused", why: error.message });
  }
}

function tell(run: Run, outcome: Body): void {
  if (outcome["outcome"] === "refused") run.refused += 1;
  else run.replayed += 1;
  if (run.isJson) {
    run.outcomes.push(outcome);
    return;
  }
  const at = (path: string): string => textAt(outcome, path);
  if (outcome["outcome"] === "refused") run.where.out(shown(`${at("of")}  refused  ${at("why")}`));
  else {
    const now = at("at.offset") === "-" ? "" : `  now ${at("at.partition")}/${at("at.offset")}`;
    const again = outcome["isReadable"] === false ? "  unreadable still: it will be put aside again" : "";
    const place = `${at("topic")}/${at("partition")} offset ${at("offset")}`;
    run.where.out(shown(`${at("of")}  ${at("outcome")}  ${at("type")}  ${place}${now}${again}`));
  }
}

function end(run: Run, isDryRun: boolean, stopped: string | null): void {
  const { outcomes, replayed, refused, cursor: after, where } = run;
  if (run.isJson) {
    where.out(JSON.stringify({ schema: "Replay", isDryRun, replayed, refused, stopped, after, rows: outcomes }, null, 2));
    return;
  }
  where.out(`${replayed} records ${isDryRun ? "would be " : ""}replayed, ${refused} refused`);
  if (stopped !== null) where.out(`stopped: ${stopped}${after === null ? "" : `; go on with --after ${after}`}`);
}

function* named(positionals: readonly string[]): Generator<Target> {
  for (const given of positionals) {
    const what = given.toLowerCase();
    if (uetrForm.test(what)) yield ofTransaction(what, null);
    else if (/^\d+:\d+$/.test(what)) yield ofLetter(what, null);
    else throw new Fault("cli.no-letter", `${given} is neither a UETR nor a letter (partition:offset)`, { isRetryable: false });
  }
}

/** #1 */
async function* found(run: Run, call: Call): AsyncGenerator<Target> {
  const filters = Object.fromEntries(letterFilters.map((name) => [name, call.value(name)]));
  const seen = new Set<string>();
  let after = run.cursor;
  do {
    const page = await run.client.get("/dead-letters", { ...filters, limit: pageRows, after });
    for (const row of rowsAt(page, "rows")) {
      const target = targetOf(row);
      if (target === null || seen.has(target.what) || isLater(run, row)) continue;
      seen.add(target.what);
      yield target;
    }
    after = typeof page["next"] === "string" ? page["next"] : null;
  } while (after !== null);
}

/** Null: a letter that only asks. */
function targetOf(row: Body): Target | null {
  if (textAt(row, "byHand.isDone") === "false") return null;
  const at = (path: string): string => textAt(row, path);
  const isOfTransaction = at("service") === "scheduler" && uetrForm.test(at("key"));
  return isOfTransaction ? ofTransaction(at("key"), at("cursor")) : ofLetter(at("letter"), at("cursor"));
}

function isLater({ startedAt }: Run, row: Body): boolean {
  const putAsideAt = row["putAsideAt"];
  return startedAt !== null && typeof putAsideAt === "string" && putAsideAt >= startedAt;
}

function ofTransaction(uetr: string, cursor: string | null): Target {
  return { path: `/transactions/${uetr}/replay`, what: uetr, cursor };
}

function ofLetter(letter: string, cursor: string | null): Target {
  return { path: `/dead-letters/${encodeURIComponent(letter)}/replay`, what: letter, cursor };
}

function rateIn(call: Call): number {
  const given = call.value("rate") ?? String(rateDefault);
  const rate = /^\d+(\.\d+)?$/.test(given.replace(/\/s$/, "")) ? Number(given.replace(/\/s$/, "")) : 0;
  if (rate > 0 && rate <= rateMax) return rate;
  throw new Fault("cli.no-rate", `--rate is a number a second, above 0 and at most ${rateMax}`, { isRetryable: false });
}
