// `./sluice bulk withdraw`, `bulk resolve`, `bulk confirm`, `bulk reject`, `bank pause-all`, `bank resume-all`: one
// decision about all that a filter finds.
//
// #1 The console lists what the filter finds; the decision names each of them. What comes meanwhile is not part of it.
// #2 Each has its own outcome. Exit 1 if one of them was refused.
// #3 On a terminal the person is asked first, with how many and which sum.

import { randomUUID } from "node:crypto";
import { Fault, machineTime } from "@sluice/kernel";
import { searchTerms } from "@sluice/contracts/search-terms";
import {
  asControlVerb,
  controlClient,
  type AnswerBody,
  type ControlClient,
  type ControlTerminal,
  type RunControlVerb,
} from "../../terminal/control-client.ts";
import { maskControlCharacters, memberRows, memberText } from "../../terminal/control-table.ts";
import { optionName, type Verb, type VerbCall } from "../../terminal/verb.ts";
import { searchTermOptions } from "../reading/search.ts";
import { parsePauseEnd } from "./pause-end.ts";
import { decisionNotes, decisionOptions, isProposed, proposedLine, requireOption, sendDecision } from "./send-decision.ts";

interface Several {
  readonly path: string;
  /** What the decision names; objects or texts. */
  readonly of: readonly unknown[];
  readonly body: AnswerBody;
  /** The decision in words. */
  readonly what: string;
}

/** Transactions of one decision at most; the console refuses more. */
const severalMax = 500;
const exitNotDone = 1;
const itemRows = "1000";

function runSeveral(list: (call: VerbCall, client: ControlClient) => Promise<Several>, max: number = severalMax): RunControlVerb {
  return async (call, where) => {
    const reason = requireOption(call, "reason");
    const client = await controlClient(call, where);
    const { path, of, body, what } = await list(call, client);
    if (of.length === 0) throw new Fault("cli.no-item", `nothing fits: ${what}`, { isRetryable: false });
    if (of.length > max) {
      const text = `more than ${max} fit, and one decision names ${max} at most: narrow the filter`;
      throw new Fault("cli.too-many", text, { isRetryable: false });
    }
    const id = call.value("id") ?? randomUUID();
    const send = (isDryRun: boolean) =>
      sendDecision(client, machineTime, path, { reason, of, ...body, ...(isDryRun ? { isDryRun } : {}) }, id);
    const isDryRun = call.flag("dry-run");
    if (!isDryRun && !call.flag("yes") && where.ask !== undefined && !(await isConfirmed(where.ask, what, await send(true)))) {
      where.out("nothing was sent");
      return exitNotDone;
    }
    const answer = await send(isDryRun);
    if (call.flag("json")) where.out(JSON.stringify(answer, null, 2));
    else if (isProposed(answer)) where.out(proposedLine(what, answer));
    else showOutcomes(where, what, answer);
    return memberRows(answer, "rows").some((row) => row["outcome"] === "refused") ? exitNotDone : 0;
  };
}

/** #3 */
async function isConfirmed(ask: NonNullable<ControlTerminal["ask"]>, what: string, dry: AnswerBody): Promise<boolean> {
  const count = memberText(dry, "count");
  const refused = memberRows(dry, "rows").length - Number(dry["count"] ?? 0);
  const against = refused === 0 ? "" : `; ${refused} would be refused`;
  const typed = await ask(maskControlCharacters(`${what}: ${count}${sumText(dry)}${against}\nType ${count} to go on: `));
  return typed.trim() === count;
}

/** #2 */
function showOutcomes(where: ControlTerminal, what: string, answer: AnswerBody): void {
  const refused = memberRows(answer, "rows").filter((row) => row["outcome"] === "refused");
  const lines = refused.map((row) => `${memberText(row, "key")}  refused: ${memberText(row, "why")}`);
  const done = answer["isDryRun"] === true ? "would be requested; nothing was sent" : "requested";
  where.out([...lines, `${what}: ${memberText(answer, "count")}${sumText(answer)} ${done}`].map(maskControlCharacters).join("\n"));
}

function sumText(answer: AnswerBody): string {
  const sums = memberRows(answer, "sums").map((row) => `${memberText(row, "currency")} ${memberText(row, "sum")}`);
  return sums.length === 0 ? "" : ` (${sums.join(", ")})`;
}

export const runBulkWithdraw = runSeveral(async (call, client) => {
  const names = searchTerms.map(({ name }) => name).filter((name) => name !== "reason");
  const terms = Object.fromEntries(names.map((name) => [name, call.value(optionName(name))]));
  if (Object.values(terms).every((value) => value === null)) {
    throw new Fault("cli.no-option", "a filter is missing, for example --sender and --identification", { isRetryable: false });
  }
  const found = memberRows(await client.get("/transactions", { ...terms, limit: String(severalMax + 1) }), "rows");
  return { path: "/withdrawal", of: found.map((row) => memberText(row, "uetr")), body: {}, what: "withdrawal of what the filter finds" };
});

/** Whether nobody can confirm what was proposed for the item any more; the console judges it again. */
function isTooLateToConfirm(row: AnswerBody): boolean {
  const until = Date.parse(memberText(row, "resolution.expiresAt"));
  return until <= machineTime.nowMs();
}

export const runBulkResolve = runSeveral(async (call, client) => {
  const resolution = requireOption(call, "as").toUpperCase().replace("-", "_");
  const items = (await listItems(call, client)).filter((row) => row["resolution"] === null || isTooLateToConfirm(row));
  const of = items.map((row) => ({ uetr: memberText(row, "uetr"), day: memberText(row, "day") }));
  return { path: "/resolution", of, body: { resolution }, what: `resolution of the open items as ${resolution}` };
});

export const runBulkConfirm = judgeResolutions("confirmation");
export const runBulkReject = judgeResolutions("rejection");

/** What a second person says of all that others found out and nobody has confirmed. */
function judgeResolutions(said: "confirmation" | "rejection"): RunControlVerb {
  return runSeveral(async (call, client) => {
    const { person } = await client.get("/me");
    const items = (await listItems(call, client)).filter(
      (row) =>
        memberText(row, "resolution.isFinal") === "false" &&
        !isTooLateToConfirm(row) &&
        memberText(row, "resolution.action.person") !== person,
    );
    const of = items.map((row) => ({
      uetr: memberText(row, "uetr"),
      offset: memberText(row, "resolution.offset"),
      contentSha256: memberText(row, "resolution.contentSha256"),
    }));
    return { path: `/resolution/${said}`, of, body: {}, what: `${said} of what others found out` };
  });
}

async function listItems(call: VerbCall, client: ControlClient): Promise<readonly AnswerBody[]> {
  const filter = { day: requireOption(call, "day"), bank: call.value("bank"), row: call.value("row"), minAge: call.value("min-age") };
  const asked = { ...filter, open: "true", limit: itemRows };
  return memberRows(await client.get("/reconciliation", asked), "rows");
}

export const runPauseAll = runSeveral(async (call, client) => {
  const until = parsePauseEnd(call, machineTime.nowMs());
  const banks = memberRows(await client.get("/banks"), "rows").map((row) => memberText(row, "bank"));
  const what = `pause of every bank and connector${until === null ? "" : `, to ${until}`}`;
  return { path: "/pause", of: banks, body: until === null ? {} : { until }, what };
}, Number.POSITIVE_INFINITY);

export const runResumeAll = runSeveral(async (_call, client) => {
  const paused = memberRows(await client.get("/banks"), "rows").filter((row) => row["isPaused"] === true);
  return { path: "/resume", of: paused.map((row) => memberText(row, "bank")), body: {}, what: "end of every pause" };
}, Number.POSITIVE_INFINITY);

const notes = ["What was listed is what is decided; each has its own outcome. Exit 1 if one was refused.", ...decisionNotes] as const;
const itemOptions = {
  day: { type: "string", placeholder: "DAY", text: "business day of the items, for example ZA_EFT:2026-11-20", isRequired: true },
  bank: { type: "string", placeholder: "ID", text: "only items of this bank" },
  row: { type: "string", placeholder: "N", text: "only this row of docs/spec/interface.md" },
  "min-age": { type: "string", placeholder: "AGE", text: "only items that were made at least so long ago, for example 4h" },
} as const;

export const bulkWithdrawVerb: Verb = {
  name: "bulk withdraw",
  summary: "takes back all debits that a search finds, such as a whole file, as one decision; it cannot be undone",
  arguments: [],
  options: { ...searchTermOptions, ...decisionOptions },
  notes: ["The filter is that of ./sluice search, without its --reason.", ...notes],
  examples: ['bulk withdraw --sender sample --identification FILE-7 --state HELD --reason "the wrong file"'],
  run: asControlVerb(runBulkWithdraw),
};

export const bulkResolveVerb: Verb = {
  name: "bulk resolve",
  summary: "records the same about all open items of a day that nobody has resolved, as one decision",
  arguments: [],
  options: {
    ...itemOptions,
    as: { type: "string", placeholder: "KIND", text: "what was found out", choices: ["made", "not-made"], isRequired: true },
    ...decisionOptions,
  },
  notes,
  examples: ['bulk resolve --day ZA_EFT:2026-11-20 --bank sample --as not-made --reason "the bank sent its list"'],
  run: asControlVerb(runBulkResolve),
};

export const bulkConfirmVerb: Verb = {
  name: "bulk confirm",
  summary: "confirms, as a second person, what others found out about the open items of a day, as one decision",
  arguments: [],
  options: { ...itemOptions, ...decisionOptions },
  notes,
  examples: ['bulk confirm --day ZA_EFT:2026-11-20 --reason "checked against the statement"'],
  run: asControlVerb(runBulkConfirm),
};

export const bulkRejectVerb: Verb = {
  name: "bulk reject",
  summary: "rejects, as a second person, what others found out about the open items of a day, as one decision; they are open again",
  arguments: [],
  options: { ...itemOptions, ...decisionOptions },
  notes,
  examples: ['bulk reject --day ZA_EFT:2026-11-20 --reason "the statement shows all of them"'],
  run: asControlVerb(runBulkReject),
};

export const bankPauseAllVerb: Verb = {
  name: "bank pause-all",
  summary: "pauses every bank and connector: nothing is released, delivered or posted any more",
  arguments: [],
  options: {
    until: { type: "string", placeholder: "INSTANT", text: "the pauses end by themselves then; with its offset: 2026-11-22T03:00+02:00" },
    for: { type: "string", placeholder: "DURATION", text: "the same, from now on: 90s, 30m, 2h" },
    ...decisionOptions,
  },
  notes: ["Banks and connectors are still answered, and what they send is stored.", ...notes],
  examples: ['bank pause-all --for 30m --reason "the network of the data centre is replaced"'],
  run: asControlVerb(runPauseAll),
};

export const bankResumeAllVerb: Verb = {
  name: "bank resume-all",
  summary: "ends the pause of every bank and connector that is paused",
  arguments: [],
  options: decisionOptions,
  notes,
  examples: ['bank resume-all --reason "the network is back"'],
  run: asControlVerb(runResumeAll),
};
