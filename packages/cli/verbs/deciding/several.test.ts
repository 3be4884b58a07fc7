// Decisions about all that a filter finds, against a console with given answers.

import { expect, test } from "vitest";
import { buildCall, createFakeConsole } from "../../terminal/console.fixture.ts";
import type { ControlTerminal, RunControlVerb } from "../../terminal/control-client.ts";
import { runBulkConfirm, runBulkReject, runBulkResolve, runBulkWithdraw, runPauseAll, runResumeAll } from "./several.ts";

const row = (key: string, outcome = "requested", why: string | null = null) => ({ key, outcome, action: `${key}-1`, why });
const sums = [{ currency: "ZAR", count: 2, sum: "2501.00" }];
const decided = { schema: "SeveralDecisions", action: "a-1", isDryRun: false, count: 2, sums, rows: [row("u1"), row("u2")] };
const found = { schema: "Transactions", rows: [{ uetr: "u1" }, { uetr: "u2" }], next: null };
const [day, bank] = ["ZA_EFT:2026-11-20", "sample"];

interface Run {
  readonly run: RunControlVerb;
  readonly options?: Readonly<Record<string, string | true>>;
  readonly answers: readonly object[];
  readonly ask?: ControlTerminal["ask"];
}

/** Runs the verb; `sent` has the bodies that were posted. */
async function decide({ run, options = {}, answers, ask }: Run) {
  const console = createFakeConsole(answers.map((answer) => ({ ...answer })));
  const sent: unknown[] = [];
  const where: ControlTerminal = {
    ...console.where,
    fetch(url, request) {
      if (typeof request.body === "string") sent.push(JSON.parse(request.body));
      return console.where.fetch(url, request);
    },
    ...(ask === undefined ? {} : { ask }),
  };
  const code = await run(buildCall({ reason: "the wrong file", ...options }), where);
  return { code, sent, text: console.text(), urls: console.asked.map(({ url }) => url.replace(/.*\/v1/, "")) };
}

const filter = { sender: bank, identification: "FILE-7", state: "HELD" };

test("what a search finds is named in one decision, and count and sum are said", async () => {
  const { code, sent, text, urls } = await decide({ run: runBulkWithdraw, options: filter, answers: [found, decided] });
  expect(urls).toEqual(["/transactions?identification=FILE-7&sender=sample&state=HELD&limit=501", "/withdrawal"]);
  expect(sent).toEqual([{ reason: "the wrong file", of: ["u1", "u2"] }]);
  expect([code, text]).toEqual([0, "withdrawal of what the filter finds: 2 (ZAR 2501.00) requested\n"]);
});

test("each that is refused is named with the reason, and the exit code is 1", async () => {
  const some = { ...decided, count: 1, rows: [row("u1"), row("u2", "refused", "not-in-this-state")] };
  const { code, text } = await decide({ run: runBulkWithdraw, options: filter, answers: [found, some] });
  expect([code, text.split("\n")[0]]).toEqual([1, "u2  refused: not-in-this-state"]);
});

test("nothing is withdrawn without a filter, where nothing fits, or where more fits than one decision names", async () => {
  await expect(decide({ run: runBulkWithdraw, answers: [found, decided] })).rejects.toMatchObject({ code: "cli.no-option" });
  const none = { ...found, rows: [] };
  await expect(decide({ run: runBulkWithdraw, options: filter, answers: [none] })).rejects.toMatchObject({ code: "cli.no-item" });
  const many = { ...found, rows: Array.from({ length: 501 }, (_, index) => ({ uetr: `u${index}` })) };
  await expect(decide({ run: runBulkWithdraw, options: filter, answers: [many] })).rejects.toMatchObject({ code: "cli.too-many" });
});

test("a person at a terminal is asked with what the console would do, and types how many", async () => {
  const asked: string[] = [];
  const answerWith = (typed: string) => (question: string) => Promise.resolve((asked.push(question), typed));
  const given = { run: runBulkWithdraw, options: filter, answers: [found, { ...decided, isDryRun: true }, decided] };
  const declined = await decide({ ...given, ask: answerWith("no") });
  expect([declined.code, declined.sent]).toEqual([1, [{ reason: "the wrong file", of: ["u1", "u2"], isDryRun: true }]]);
  expect(asked[0]).toContain("2 (ZAR 2501.00)");
  const confirmed = await decide({ ...given, ask: answerWith("2") });
  expect([confirmed.code, confirmed.sent.length]).toEqual([0, 2]);
});

test("a resolution names the open items that nobody has resolved, a confirmation or rejection those that another person has", async () => {
  const resolution = { isFinal: false, offset: "12", contentSha256: "ab", action: { person: "thandi" } };
  const own = { ...resolution, offset: "13", action: { person: "sipho" } };
  const items = {
    rows: [
      { uetr: "u1", day, resolution: null },
      { uetr: "u2", day, resolution },
      { uetr: "u3", day, resolution: own },
    ],
  };
  const resolved = await decide({ run: runBulkResolve, options: { day, as: "not-made" }, answers: [items, decided] });
  expect(resolved.sent).toEqual([{ reason: "the wrong file", of: [{ uetr: "u1", day }], resolution: "NOT_MADE" }]);
  const confirmed = await decide({ run: runBulkConfirm, options: { day, bank }, answers: [{ person: "sipho" }, items, decided] });
  expect(confirmed.urls[1]).toBe("/reconciliation?day=ZA_EFT%3A2026-11-20&bank=sample&open=true&limit=1000");
  expect(confirmed.sent).toEqual([{ reason: "the wrong file", of: [{ uetr: "u2", offset: "12", contentSha256: "ab" }] }]);
  expect(confirmed.urls[2]).toBe("/resolution/confirmation");
  const rejected = await decide({ run: runBulkReject, options: { day, bank }, answers: [{ person: "sipho" }, items, decided] });
  expect([rejected.urls[2], rejected.sent]).toEqual(["/resolution/rejection", confirmed.sent]);
});

test("everything is stopped by the names of all banks and connectors, and goes on by those that are paused", async () => {
  const banks = {
    rows: [
      { bank: "first", isPaused: true },
      { bank: "clearing", isPaused: false },
    ],
  };
  const paused = await decide({
    run: runPauseAll,
    options: { until: "2026-11-22T03:00+02:00" },
    answers: [banks, { ...decided, sums: [] }],
  });
  expect(paused.sent).toEqual([{ reason: "the wrong file", of: ["first", "clearing"], until: "2026-11-22T01:00:00Z" }]);
  const resumed = await decide({ run: runResumeAll, answers: [banks, { ...decided, sums: [] }] });
  expect(resumed.sent).toEqual([{ reason: "the wrong file", of: ["first"] }]);
});
