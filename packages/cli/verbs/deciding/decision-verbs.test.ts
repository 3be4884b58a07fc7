import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { runCommandLine } from "../../terminal/command-line.ts";
import type { ControlTerminal } from "../../terminal/control-client.ts";
import { runDecision } from "./send-decision.ts";
import { runConfirmProposal, runProposals, runRejectProposal, runRetractProposal } from "./proposals.ts";
import { runCreditsFinal, runExtend, runOpenGate, runPause, runResume } from "./day-decisions.ts";
import { runConfirm, runRedrive, runReject, runResolve, runStop, runWithdraw } from "./transaction-decisions.ts";
import type { VerbCall } from "../../terminal/verb.ts";
import { verbIndex } from "../../verbs.ts";

const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
const credit = "0d6c5a1b-61a5-4c2e-9d3c-7d5fb0b2c3d4";

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly id: string | null;
  readonly authorization: string | null;
}

type Answer = { readonly status: number; readonly body: object };

const accepted = (key: string): Answer => ({
  status: 202,
  body: { schema: "ActionAccepted", action: "a-1", key, partition: 3, offset: "12", appendedAt: "2026-11-20T06:00:00.000Z" },
});
const judged = (result: string, why: string | null = null): Answer => ({
  status: 200,
  body: { schema: "Action", result, why, explained: why === null ? null : "it was so already." },
});
const notYet: Answer = { status: 404, body: { schema: "ErrorDetail", message: "Not known", detail: "not judged" } };
const away: Answer = { status: 503, body: { schema: "ErrorDetail", message: "Not available now", detail: "away" } };

/** A console that returns these answers in turn, and then the last one for ever. */
function createFakeConsole(...answers: readonly Answer[]) {
  const asked: Asked[] = [];
  const lines: string[] = [];
  const where: ControlTerminal = {
    out: (text) => void lines.push(text),
    write: (text) => void lines.push(text),
    environment: {},
    upControlUrl: () => Promise.resolve("http://127.0.0.1:8082"),
    fetch: (url, request) => {
      const { pathname, search } = new URL(url);
      const headers = new Headers(request.headers);
      asked.push({
        method: request.method ?? "GET",
        path: `${pathname}${search}`,
        body: typeof request.body === "string" ? JSON.parse(request.body) : null,
        id: headers.get("idempotency-key"),
        authorization: headers.get("authorization"),
      });
      const { status, body } = answers[Math.min(asked.length, answers.length) - 1] ?? notYet;
      return Promise.resolve(Response.json(body, { status }));
    },
  };
  return { asked, lines, where };
}

function buildCall(positional: string, options: Readonly<Record<string, string | boolean>>): VerbCall {
  return {
    positionals: [positional],
    raw: [],
    flag: (name) => options[name] === true,
    value: (name) => (typeof options[name] === "string" ? options[name] : null),
  };
}

const reason = "ticket 4711";

test("a resolution that a second person has still to confirm is not said to be applied", async () => {
  const awaited: Answer = {
    status: 200,
    body: { schema: "Action", result: "applied", why: null, explained: null, awaitsConfirmation: true },
  };
  const { where, lines } = createFakeConsole(accepted(uetr), awaited);
  const options = { as: "made", day: "ZA_EFT:2026-11-20", reason, id: "a-1" };
  expect(await runResolve(buildCall(uetr, options), where)).toBe(0);
  expect(lines.join("\n")).toContain(": proposed, a second person has to confirm it (decision a-1, journal 3/12)");
});

test.each([
  [runWithdraw, uetr.toUpperCase(), {}, `/transactions/${uetr}/withdrawal`, {}],
  [runRedrive, uetr, { message: "M-1" }, `/transactions/${uetr}/redrive`, { messageIdentification: "M-1", target: "DELIVERY" }],
  [
    runRedrive,
    uetr,
    { message: "e-1", posting: true },
    `/transactions/${uetr}/redrive`,
    { messageIdentification: "e-1", target: "POSTING" },
  ],
  [runStop, uetr, { message: "M-1" }, `/transactions/${uetr}/stop`, { messageIdentification: "M-1", target: "DELIVERY" }],
  [runStop, uetr, { message: "e-1", posting: true }, `/transactions/${uetr}/stop`, { messageIdentification: "e-1", target: "POSTING" }],
  [
    runResolve,
    uetr,
    { day: "ZA_EFT:2026-11-20", as: "not-made" },
    `/transactions/${uetr}/resolution`,
    { day: "ZA_EFT:2026-11-20", resolution: "NOT_MADE" },
  ],
  [
    runResolve,
    uetr,
    { day: "ZA_EFT:2026-11-20", as: "replaced", "replaced-by": credit },
    `/transactions/${uetr}/resolution`,
    { day: "ZA_EFT:2026-11-20", resolution: "REPLACED", replacedBy: credit },
  ],
  [
    runConfirm,
    uetr,
    { offset: "4711", sha256: "0c" },
    `/transactions/${uetr}/resolution/confirmation`,
    { offset: "4711", contentSha256: "0c" },
  ],
  [
    runReject,
    uetr,
    { offset: "4711", sha256: "0c" },
    `/transactions/${uetr}/resolution/rejection`,
    { offset: "4711", contentSha256: "0c" },
  ],
  [
    runExtend,
    "ZA_EFT:2026-11-20",
    { window: "reconciliation", "closes-at": "2026-11-20T18:00:00+02:00" },
    "/days/ZA_EFT/2026-11-20/close-extension",
    { window: 0, closesAt: "2026-11-20T18:00:00+02:00" },
  ],
  [
    runExtend,
    "ZA_EFT:2026-11-20",
    { window: "2", "closes-at": "2026-11-20T16:30:00+02:00" },
    "/days/ZA_EFT/2026-11-20/close-extension",
    { window: 2, closesAt: "2026-11-20T16:30:00+02:00" },
  ],
  [runCreditsFinal, "ZA_EFT:2026-11-20", {}, "/days/ZA_EFT/2026-11-20/credits-final", {}],
  [runCreditsFinal, "ZA_EFT:2026-11-20", { bank: "sample" }, "/days/ZA_EFT/2026-11-20/credits-final", { bank: "sample" }],
  [
    runOpenGate,
    "ZA_EFT:2026-11-20",
    { bank: "sample", credits: `${credit}, ${uetr}` },
    "/days/ZA_EFT/2026-11-20/gate-opening",
    { bank: "sample", credits: [credit, uetr] },
  ],
  [runConfirmProposal, "a-1", { offset: "7", sha256: "0c" }, "/proposals/a-1/confirmation", { offset: "7", contentSha256: "0c" }],
  [runRejectProposal, "a-1", { offset: "7", sha256: "0c" }, "/proposals/a-1/rejection", { offset: "7", contentSha256: "0c" }],
  [runRetractProposal, "a-1", { offset: "7", sha256: "0c" }, "/proposals/a-1/retraction", { offset: "7", contentSha256: "0c" }],
  [runPause, "sample", {}, "/banks/sample/pause", {}],
  [runPause, "sample", { until: "2026-11-22T03:00+02:00" }, "/banks/sample/pause", { until: "2026-11-22T01:00:00Z" }],
  [runResume, "sample", {}, "/banks/sample/resume", {}],
] as const)("%o of %s with %j posts to %s and waits for the result", async (run, about, options, path, body) => {
  const { asked, where, lines } = createFakeConsole(accepted("bank:sample"), judged("applied"));
  expect(await run(buildCall(about, { ...options, reason, id: "a-1" }), where)).toBe(0);
  expect(asked).toEqual([
    { method: "POST", path: `/control/v1${path}`, body: { reason, ...body }, id: "a-1", authorization: "Bearer sample-operator-token" },
    {
      method: "GET",
      path: "/control/v1/actions/a-1?key=bank%3Asample",
      body: null,
      id: null,
      authorization: "Bearer sample-operator-token",
    },
  ]);
  expect(lines.join("\n")).toContain(": applied (decision a-1, journal 3/12)");
});

const pause = { path: "/banks/sample/pause", body: {}, what: "pause of sample" };

/** Runs a decision under a virtual clock, which advances until the verb ends. */
async function runUnderVirtualTime(answers: readonly Answer[], options: Readonly<Record<string, string | boolean>> = {}) {
  const time = createVirtualTime({ startAtMs: 0 });
  const fake = createFakeConsole(...answers);
  const running = runDecision(buildCall("sample", { reason, id: "a-1", ...options }), fake.where, time, pause);
  running.catch(() => null);
  for (let waited = 0; waited < 400; waited++) {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    await time.advance(100);
  }
  return { ...fake, running };
}

test.each([
  [judged("applied"), 0, "applied"],
  [judged("ignored", "already-so"), 0, "ignored: already-so, it was so already."],
  [judged("refused", "close-reached"), 4, "refused: close-reached"],
])("the result determines the exit code: %j", async (answer, code, said) => {
  const { running, lines } = await runUnderVirtualTime([accepted("bank:sample"), notYet, away, answer]);
  expect([await running, lines[0]]).toEqual([code, expect.stringContaining(said)]);
});

test("a decision without a result within 15 s exits with 5 and says so; with --no-wait the verb does not wait", async () => {
  const { running, lines } = await runUnderVirtualTime([accepted("bank:sample"), notYet]);
  expect([await running, lines]).toEqual([
    5,
    ["pause of sample: in the journal, without a result within 15 s (decision a-1, journal 3/12)"],
  ]);
  const quick = await runUnderVirtualTime([accepted("bank:sample")], { "no-wait": true });
  expect([await quick.running, quick.asked.length]).toEqual([0, 1]);
});

test("while the console is not available the decision is sent again under the same id; at the end the id is printed", async () => {
  const { running, asked } = await runUnderVirtualTime([away, away, accepted("bank:sample"), judged("applied")]);
  expect([await running, asked.slice(0, 3).map(({ id }) => id)]).toEqual([0, ["a-1", "a-1", "a-1"]]);
  const gone = await runUnderVirtualTime([away]);
  await expect(gone.running).rejects.toThrow("send it again with --id a-1");
});

test("a refusal is printed, and the decision is not sent again", async () => {
  const { running, asked } = await runUnderVirtualTime([
    { status: 409, body: { message: "Not possible now", detail: "gate-open: the bank's gate is open." } },
  ]);
  await expect(running).rejects.toThrow("409 Not possible now: gate-open");
  expect(asked).toHaveLength(1);
});

const proposal = {
  id: "a-1",
  state: "proposed",
  operation: "declareCreditsFinal",
  path: "/days/ZA_EFT/2026-11-20/credits-final",
  body: { reason: "ticket 4711" },
  person: "thandi",
  offset: "7",
  contentSha256: "0c",
  expiresAt: "2026-11-21T06:00:00.000Z",
  confirmed: null,
};

test("a decision that needs a second person is printed as a proposal, and its result is not awaited [D9 second-person]", async () => {
  const { running, lines, asked } = await runUnderVirtualTime([{ status: 202, body: { schema: "DecisionProposed", ...proposal } }]);
  expect([await running, asked.length, lines]).toEqual([
    0,
    1,
    [
      "pause of sample: proposed as a-1, and without effect until another person confirms it, by 2026-11-21T06:00:00.000Z (./sluice proposals)",
    ],
  ]);
});

test("a confirmation waits for the decision that it confirmed, and prints its id [D9 second-person]", async () => {
  const { where, lines, asked } = createFakeConsole(accepted("ZA_EFT:2026-11-20"), judged("applied"));
  expect(await runConfirmProposal(buildCall("a-1", { offset: "7", sha256: "0c", reason, id: "c-1" }), where)).toBe(0);
  expect(asked.map(({ path }) => path)).toEqual([
    "/control/v1/proposals/a-1/confirmation",
    "/control/v1/actions/a-1?key=ZA_EFT%3A2026-11-20",
  ]);
  expect(lines).toEqual(["confirmation of a-1: applied (decision a-1, journal 3/12)"]);
  for (const [body, said] of [
    [{ schema: "DeadLettersReplay", action: "a-1", rows: [{}, {}] }, "2 records replayed"],
    [{ schema: "DeadLettersReplays", action: "a-1", records: 7, rows: [{}, {}] }, "7 records replayed"],
  ] as const) {
    const fake = createFakeConsole({ status: 202, body });
    expect(await runConfirmProposal(buildCall("a-1", { offset: "7", sha256: "0c", reason, id: "c-1" }), fake.where)).toBe(0);
    expect([fake.lines, fake.asked.length]).toEqual([[`confirmation of a-1: ${said} (decision a-1)`], 1]);
  }
});

test("a confirmed skip waits until the partition has skipped the record, as a skip without a second person does", async () => {
  const requested = { status: 202, body: { schema: "SkipRequested", action: "a-1", letter: "3:4" } };
  const passed = (hasPassed: boolean) => ({ status: 200, body: { progress: { hasPassed } } });
  const call = (options = {}) => buildCall("a-1", { offset: "7", sha256: "0c", reason, id: "c-1", ...options });
  const { where, lines, asked } = createFakeConsole(requested, passed(false), passed(true));
  expect(await runConfirmProposal(call(), where)).toBe(0);
  expect(asked.map(({ path }) => path).slice(1)).toEqual(["/control/v1/dead-letters/3%3A4", "/control/v1/dead-letters/3%3A4"]);
  expect(lines).toEqual(["confirmation of a-1: the partition has skipped it (letter 3:4, decision a-1)"]);
  const unawaited = createFakeConsole(requested);
  expect(await runConfirmProposal(call({ "no-wait": true }), unawaited.where)).toBe(0);
  expect([unawaited.lines, unawaited.asked.length]).toEqual([["confirmation of a-1: skip requested (letter 3:4, decision a-1)"], 1]);
});

test.each([
  [runRejectProposal, "rejection", "rejected"],
  [runRetractProposal, "retraction", "retracted"],
] as const)("%o prints that the decision never takes effect, and awaits nothing [D9 rejection]", async (run, what, state) => {
  const { where, lines, asked } = createFakeConsole({ status: 202, body: { schema: "ProposalEnded", ...proposal, state } });
  expect(await run(buildCall("a-1", { offset: "7", sha256: "0c", reason, id: "r-1" }), where)).toBe(0);
  expect([lines, asked.length]).toEqual([[`${what} of a-1: its decision never takes effect (proposal a-1)`], 1]);
});

test("a decision whose proposal has ended before is printed with the proposal's state [D9 rejection]", async () => {
  const ended = { schema: "DecisionProposed", ...proposal, state: "rejected" };
  const { running, lines } = await runUnderVirtualTime([{ status: 202, body: ended }]);
  expect([await running, lines]).toEqual([0, ["pause of sample: was proposed as a-1 before, and is rejected (./sluice proposals)"]]);
});

test("proposals shows what each open proposal would decide, and the commands that confirm and reject it [D9 second-person]", async () => {
  const rows = [
    proposal,
    { ...proposal, id: "a'; reboot '" },
    { ...proposal, id: "a-0", state: "confirmed", confirmed: { person: "sipho" } },
  ];
  const { where, lines } = createFakeConsole({ status: 200, body: { schema: "Proposals", rows, next: null } });
  expect(await runProposals(buildCall("", {}), where)).toBe(0);
  expect(lines[0]).toMatch(/a-1 +proposed .*a-0 +confirmed .*sipho/s);
  const named = "--offset 7 --sha256 0c --reason TEXT";
  expect(lines.slice(1, 5)).toEqual([
    "",
    'a-1: {"reason":"ticket 4711"}',
    `  ./sluice confirm 'a-1' ${named}`,
    `  ./sluice reject 'a-1' ${named}`,
  ]);
  expect(lines.slice(7)).toEqual(["confirm", "reject"].map((verb) => String.raw`  ./sluice ${verb} 'a'\''; reboot '\''' ${named}`));
});

test("--json prints the answer and the result", async () => {
  const { running, lines } = await runUnderVirtualTime([accepted("bank:sample"), judged("applied")], { json: true });
  expect([await running, JSON.parse(lines.join(""))]).toMatchObject([0, { action: "a-1", judged: { result: "applied" } }]);
});

test("without a reason nothing is sent", async () => {
  const { running, asked } = await runUnderVirtualTime([accepted("bank:sample")], { reason: " " });
  await expect(running).rejects.toThrow("--reason");
  expect(asked).toEqual([]);
});

test.each([
  [runWithdraw, "x", "is no UETR"],
  [runResolve, uetr, "--as is missing"],
  [runExtend, "2026-11-20", "is no business day"],
  [runOpenGate, "ZA_EFT:2026-11-20", "--bank is missing"],
  [runPause, "Sample", "is no bank's id"],
] as const)("an invalid argument is refused before anything is sent: %o %s", async (run, about, said) => {
  const { where, asked } = createFakeConsole();
  await expect(Promise.resolve().then(() => run(buildCall(about, { reason }), where))).rejects.toThrow(said);
  expect(asked).toEqual([]);
});

test("every decision verb has its own help, with a reason", async () => {
  const said: string[] = [];
  const output = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
  for (const verb of ["withdraw", "redrive", "stop", "reconciliation resolve", "window open-gate", "bank pause"]) {
    expect(await runCommandLine([...verb.split(" "), "--help"], verbIndex, output)).toBe(0);
    expect(said.at(-1)).toContain("--reason TEXT");
  }
});
