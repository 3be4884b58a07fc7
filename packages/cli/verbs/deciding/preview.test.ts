import { expect, test } from "vitest";
import { buildCall, createFakeConsole } from "../../terminal/console.fixture.ts";
import type { AnswerBody, ControlTerminal, RunControlVerb } from "../../terminal/control-client.ts";
import { runCreditsFinal, runOpenGate, runPause } from "./day-decisions.ts";
import { runWithdraw } from "./transaction-decisions.ts";

const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
const reason = "ticket 4711";
const held = { schema: "Held", rows: [{ bank: "first", count: 12, currency: "ZAR", sum: "1250.50" }] };
const transaction = { schema: "Transaction", timeline: { uetr, state: "HELD", amount: "ZAR 1250.50", bank: "first" } };
const accepted = { schema: "ActionAccepted", action: "a-1", key: "k", partition: 3, offset: "12" };
const applied = { schema: "Action", result: "applied", why: null };

async function decide(run: RunControlVerb, answers: readonly AnswerBody[], typed: string | null, call = buildCall()) {
  const console = createFakeConsole(answers);
  const posted: string[] = [];
  const questions: string[] = [];
  const where: ControlTerminal = {
    ...console.where,
    fetch: (url, request) => {
      if (request.method === "POST") posted.push(new URL(url).pathname.replace("/control/v1", ""));
      return console.where.fetch(url, request);
    },
    ...(typed === null ? {} : { ask: (question: string) => Promise.resolve(questions.push(question) > 0 ? typed : "") }),
  };
  return { code: await run(call, where), posted, questions, text: console.text() };
}

const day = buildCall({ reason }, "ZA_EFT:2026-11-20");

test("on a terminal an irrevocable decision shows count and sum, and is sent only when the person types its name", async () => {
  const sent = await decide(runCreditsFinal, [held, accepted, applied], "ZA_EFT:2026-11-20", day);
  expect(sent.questions).toEqual([
    [
      "credits of ZA_EFT:2026-11-20 final for all banks",
      "12 held debits on ZA_EFT:2026-11-20: first 12, ZAR 1250.50",
      "a gate without unresolved credits opens, and these are released; it cannot be withdrawn",
      "Type ZA_EFT:2026-11-20 to go on: ",
    ].join("\n"),
  ]);
  expect([sent.code, sent.posted]).toEqual([0, ["/days/ZA_EFT/2026-11-20/credits-final"]]);
  const declined = await decide(runCreditsFinal, [held], "yes", day);
  expect(declined).toMatchObject({ code: 1, posted: [], text: "nothing was sent\n" });
});

test("a script is not asked, and --yes asks nobody", async () => {
  expect(await decide(runCreditsFinal, [accepted, applied], null, day)).toMatchObject({ code: 0, questions: [] });
  const yes = buildCall({ reason, yes: true }, "ZA_EFT:2026-11-20");
  expect(await decide(runCreditsFinal, [accepted, applied], "", yes)).toMatchObject({ code: 0, questions: [] });
});

test("a decision that can be taken back is not asked about", async () => {
  expect(await decide(runPause, [accepted, applied], "", buildCall({ reason }, "first"))).toMatchObject({ code: 0, questions: [] });
});

test("--dry-run sends nothing, and says what would be refused as things stand", async () => {
  const dry = buildCall({ reason, "dry-run": true }, uetr);
  const good = await decide(runWithdraw, [{ ...transaction, actions: [{ name: "withdrawDebit", isAllowed: true }] }], null, dry);
  expect(good).toMatchObject({ code: 0, posted: [] });
  expect(good.text).toContain(`${uetr} is HELD: ZAR 1250.50, bank first`);
  const actions = [{ name: "withdrawDebit", isAllowed: false, whyNot: "it was released already." }];
  const bad = await decide(runWithdraw, [{ ...transaction, actions }], null, dry);
  expect(bad).toMatchObject({ code: 4, posted: [], text: expect.stringContaining("it would be refused: it was released already.") });
});

test("--dry-run --json has the request and its preview, with a schema", async () => {
  const call = buildCall({ reason, "dry-run": true, json: true, bank: "first", credits: uetr }, "ZA_EFT:2026-11-20");
  const { text } = await decide(runOpenGate, [held], null, call);
  expect(JSON.parse(text)).toMatchObject({
    schema: "DecisionPreview",
    path: "/days/ZA_EFT/2026-11-20/gate-opening",
    body: { bank: "first", credits: [uetr] },
    refusal: null,
  });
});

test("a second person who is needed is named before the decision is sent", async () => {
  const actions = [{ name: "withdrawDebit", isAllowed: true, needsSecondPerson: true }];
  const { questions } = await decide(runWithdraw, [{ ...transaction, actions }], "", buildCall({ reason }, uetr));
  expect(questions[0]).toContain("a second person has to confirm it before it takes effect");
});
