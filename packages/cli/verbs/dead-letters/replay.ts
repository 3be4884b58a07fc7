// `./sluice dead-letters replay`: makes one call of the control API for each transaction or dead letter, at a rate, and
// prints an outcome for each record.
//
// #1 A transaction is replayed once in a run, however many dead letters it has. A record that is dead-lettered after
//    the first replay is not replayed by this run: a record that is still unreadable returns to the dead letters, and
//    the run would never end.
// #2 A refusal is printed and the run continues. If the console is not available the run ends, and prints the letter
//    after which to continue.
// #3 With --together it is one decision instead (`replay-together.ts`).

import { randomUUID } from "node:crypto";
import { Fault, machineTime, sleep, type Time } from "@sluice/kernel";
import {
  asControlVerb,
  controlClient,
  controlOptions,
  type AnswerBody,
  type ControlClient,
  type ControlTerminal,
  type RunControlVerb,
} from "../../terminal/control-client.ts";
import { isProposed, proposedLine, requireOption as needed, sendDecision } from "../deciding/send-decision.ts";
import { memberRows, maskControlCharacters, memberText } from "../../terminal/control-table.ts";
import { letterFilterOptions, letterFilters } from "./list.ts";
import { replayTogether } from "./replay-together.ts";
import type { Verb, VerbCall } from "../../terminal/verb.ts";

interface Target {
  readonly path: string;
  readonly what: string;
  /** Cursor after its letter; null: it was named on the command line. */
  readonly cursor: string | null;
}

interface Run {
  readonly client: ControlClient;
  readonly where: ControlTerminal;
  readonly time: Time;
  readonly body: AnswerBody;
  readonly id: string;
  readonly isJson: boolean;
  readonly outcomes: AnswerBody[];
  replayed: number;
  /** Replays that wait for a second person. */
  proposed: number;
  refused: number;
  /** Records that stay in the dead letters. */
  left: number;
  /** Append time of the first replay. */
  startedAt: string | null;
  /** Cursor at which a later run continues. */
  cursor: string | null;
}

const rateDefault = 10;
const rateMax = 40;
const idCharactersMax = 27;
const pageRows = "200";
const progressEvery = 100;
const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const runDeadLettersReplay: RunControlVerb = async (call, where) => {
  const waitMs = 1_000 / parseRate(call);
  const isDryRun = call.flag("dry-run");
  const id = call.value("id") ?? randomUUID().slice(0, 18);
  if (id.length > idCharactersMax) throw new Fault("cli.long-id", `--id has at most ${idCharactersMax} characters`, { isRetryable: false });
  const run: Run = {
    client: await controlClient(call, where),
    where,
    time: machineTime,
    body: { reason: needed(call, "reason"), ...(isDryRun ? { isDryRun } : {}), ...parseLeave(call) },
    id,
    isJson: call.flag("json"),
    outcomes: [],
    replayed: 0,
    proposed: 0,
    refused: 0,
    left: 0,
    startedAt: null,
    cursor: call.value("after"),
  };
  if (call.flag("together")) {
    const together = { ...run, reason: needed(call, "reason"), isDryRun };
    return await replayTogether(together, listFound(run, call));
  }
  const stopped = await replayAll(run, call, waitMs);
  printEnd(run, isDryRun, stopped);
  return stopped === null && run.refused === 0 ? 0 : 1;
};

export const deadLettersReplayVerb: Verb = {
  name: "dead-letters replay",
  summary: "appends dead-lettered records again: all of a transaction in order, others letter by letter",
  arguments: [{ placeholder: "UETR|LETTER", text: "what to replay; none: everything that the filters find", count: [0, 1_000] }],
  options: {
    ...letterFilterOptions,
    reason: { type: "string", placeholder: "TEXT", text: "why; kept with each decision", isRequired: true },
    "dry-run": { type: "boolean", text: "only shows what would be appended" },
    together: { type: "boolean", text: "one decision about all of them, 50 at most, which a second person confirms at once" },
    leave: {
      type: "string",
      placeholder: "LETTERS",
      text: "letters of the one UETR that stay in the dead letters for good: 3:17,3:18, or journal:OFFSET where the letter is gone",
    },
    rate: { type: "string", placeholder: "N", text: `transactions or letters a second (${rateDefault})` },
    after: { type: "string", placeholder: "CURSOR", text: "continues after a letter, as printed by an earlier run that stopped" },
    id: {
      type: "string",
      placeholder: "ID",
      text: `first part of the decisions' ids (one is made), ${idCharactersMax} characters at most`,
    },
    ...controlOptions,
  },
  notes: ["Exit 0 if everything found was replayed, or is proposed to a second person."],
  examples: [
    'dead-letters replay --service scheduler --reason "its schema is registered now" --dry-run',
    'dead-letters replay 6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11 --leave 3:17 --reason "not a record at all, ticket 4711"',
  ],
  run: asControlVerb(runDeadLettersReplay),
};

function listTargets(run: Run, call: VerbCall): Generator<Target> | AsyncGenerator<Target> {
  return call.positionals.length > 0 ? parseTargets(call.positionals) : findTargets(run, call);
}

async function* listFound(run: Run, call: VerbCall): AsyncGenerator<string> {
  for await (const { what } of listTargets(run, call)) yield what;
}

/** #2 Returns why the run stopped; null: everything was done. */
async function replayAll(run: Run, call: VerbCall, waitMs: number): Promise<string | null> {
  let count = 0;
  try {
    for await (const target of listTargets(run, call)) {
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
    const answer = await sendDecision(run.client, run.time, path, run.body, `${run.id}:${what}`);
    if (isProposed(answer)) {
      run.proposed += 1;
      if (run.isJson) run.outcomes.push({ of: what, outcome: "proposed", ...answer });
      else run.where.out(maskControlCharacters(proposedLine(what, answer)));
      return;
    }
    run.startedAt ??= typeof answer["appendedAt"] === "string" ? answer["appendedAt"] : null;
    for (const row of memberRows(answer, "rows")) record(run, { of: what, ...row });
  } catch (error) {
    if (!(error instanceof Fault) || error.isRetryable) throw error;
    record(run, { of: what, outcome: "refused", why: error.message });
  }
}

function record(run: Run, outcome: AnswerBody): void {
  const isLeft = outcome["outcome"] === "left" || outcome["outcome"] === "would-be-left";
  if (outcome["outcome"] === "refused") run.refused += 1;
  else if (isLeft) run.left += 1;
  else run.replayed += 1;
  if (run.isJson) {
    run.outcomes.push(outcome);
    return;
  }
  const at = (path: string): string => memberText(outcome, path);
  if (outcome["outcome"] === "refused") run.where.out(maskControlCharacters(`${at("of")}  refused  ${at("why")}`));
  else {
    const now = at("at.offset") === "-" ? "" : `  now ${at("at.partition")}/${at("at.offset")}`;
    const again = outcome["isReadable"] === false && !isLeft ? "  unreadable still: it will be dead-lettered again" : "";
    const place = `${at("topic")}/${at("partition")} offset ${at("offset")}`;
    run.where.out(maskControlCharacters(`${at("of")}  ${at("outcome")}  ${at("type")}  ${place}${now}${again}`));
  }
}

function printEnd(run: Run, isDryRun: boolean, stopped: string | null): void {
  const { outcomes, replayed, proposed, refused, left, cursor: after, where } = run;
  if (run.isJson) {
    where.out(JSON.stringify({ schema: "Replay", isDryRun, replayed, proposed, refused, left, stopped, after, rows: outcomes }, null, 2));
    return;
  }
  const waiting = proposed === 0 ? "" : `, ${proposed} proposed to a second person`;
  const staying = left === 0 ? "" : `, ${left} left for good`;
  where.out(`${replayed} records ${isDryRun ? "would be " : ""}replayed${staying}${waiting}, ${refused} refused`);
  if (stopped !== null) where.out(`stopped: ${stopped}${after === null ? "" : `; continue with --after ${after}`}`);
}

/** Which letters stay is said of one transaction: the letters of others would be refused there. */
function parseLeave(call: VerbCall): AnswerBody {
  const given = call.value("leave");
  if (given === null) return {};
  const [target, ...others] = call.positionals;
  if (target === undefined || others.length > 0 || !uetrForm.test(target.toLowerCase()))
    throw new Fault("cli.leave-of-one", "--leave needs exactly one UETR", { isRetryable: false });
  const leave = given.split(",");
  if (leave.every((name) => /^(journal|\d+):\d+$/.test(name))) return { leave };
  throw new Fault("cli.no-letter", "--leave takes letters as partition:offset or journal:offset, with commas", { isRetryable: false });
}

function* parseTargets(positionals: readonly string[]): Generator<Target> {
  for (const given of positionals) {
    const what = given.toLowerCase();
    if (uetrForm.test(what)) yield transactionTarget(what, null);
    else if (/^\d+:\d+$/.test(what)) yield letterTarget(what, null);
    else throw new Fault("cli.no-letter", `${given} is neither a UETR nor a letter (partition:offset)`, { isRetryable: false });
  }
}

/** #1 */
async function* findTargets(run: Run, call: VerbCall): AsyncGenerator<Target> {
  const filters = Object.fromEntries(letterFilters.map((name) => [name, call.value(name)]));
  const seen = new Set<string>();
  let after = run.cursor;
  do {
    const page = await run.client.get("/dead-letters", { ...filters, limit: pageRows, after });
    for (const row of memberRows(page, "rows")) {
      const target = toTarget(row);
      if (target === null || seen.has(target.what) || isLater(run, row)) continue;
      seen.add(target.what);
      yield target;
    }
    after = typeof page["next"] === "string" ? page["next"] : null;
  } while (after !== null);
}

/** Null: a letter that only requests a skip. */
function toTarget(row: AnswerBody): Target | null {
  if (memberText(row, "skip.isDone") === "false") return null;
  const at = (path: string): string => memberText(row, path);
  const isOfTransaction = at("service") === "scheduler" && uetrForm.test(at("key"));
  return isOfTransaction ? transactionTarget(at("key"), at("cursor")) : letterTarget(at("letter"), at("cursor"));
}

function isLater({ startedAt }: Run, row: AnswerBody): boolean {
  const deadLetteredAt = row["deadLetteredAt"];
  return startedAt !== null && typeof deadLetteredAt === "string" && deadLetteredAt >= startedAt;
}

function transactionTarget(uetr: string, cursor: string | null): Target {
  return { path: `/transactions/${uetr}/replay`, what: uetr, cursor };
}

function letterTarget(letter: string, cursor: string | null): Target {
  return { path: `/dead-letters/${encodeURIComponent(letter)}/replay`, what: letter, cursor };
}

function parseRate(call: VerbCall): number {
  const given = call.value("rate") ?? String(rateDefault);
  const rate = /^\d+(\.\d+)?$/.test(given.replace(/\/s$/, "")) ? Number(given.replace(/\/s$/, "")) : 0;
  if (rate > 0 && rate <= rateMax) return rate;
  throw new Fault("cli.no-rate", `--rate is a number a second, above 0 and at most ${rateMax}`, { isRetryable: false });
}
