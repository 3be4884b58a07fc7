// A redrive of all that a bank refused, against a console with given answers.

import { expect, test } from "vitest";
import { buildCall, createFakeConsole } from "../../terminal/console.fixture.ts";
import type { ControlTerminal } from "../../terminal/control-client.ts";
import { runBankRedrive } from "./bank-redrive.ts";

const listed = {
  schema: "RefusedMessages",
  count: 2,
  sums: [{ currency: "ZAR", count: 2, sum: "1250.50" }],
  rows: [{ messageIdentification: "M1" }, { messageIdentification: "M2" }],
  isWhole: true,
};
const row = (messageIdentification: string, outcome: string, why: string | null) => ({ messageIdentification, outcome, why });
const redriven = { schema: "Redrives", isDryRun: false, count: 2, rows: [row("M1", "redriven", null), row("M2", "redriven", null)] };

/** Runs the verb; `sent` has the bodies that were posted. */
async function redrive(options: Readonly<Record<string, string | true>>, answers: readonly object[], ask?: ControlTerminal["ask"]) {
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
  const code = await runBankRedrive(buildCall({ reason: "mended", ...options }, "sample"), where);
  return { code, sent, text: console.text(), urls: console.asked.map(({ url }) => url.replace(/.*\/v1/, "")) };
}

test("what the filter finds is named in one decision, and the sum is said", async () => {
  const { code, sent, text, urls } = await redrive({ status: "400", operation: "inboundDirectDebit" }, [listed, redriven]);
  expect(urls).toEqual(["/banks/sample/refused?target=DELIVERY&operation=inboundDirectDebit&httpStatusCode=400", "/banks/sample/redrive"]);
  expect(sent).toEqual([{ reason: "mended", of: ["M1", "M2"], target: "DELIVERY" }]);
  expect([code, text]).toEqual([0, "redrive of 2 messages that sample refused (ZAR 1250.50): 2 redriven\n"]);
});

test("each message that is refused is named with the reason, and the exit code is 1", async () => {
  const some = { ...redriven, count: 1, rows: [row("M1", "redriven", null), row("M2", "refused", "its day is closed")] };
  const { code, text } = await redrive({}, [listed, some]);
  expect([code, text.split("\n")[0]]).toEqual([1, "M2  refused: its day is closed"]);
});

test("a dry run is answered by the console, a proposal waits for a second person", async () => {
  const dry = await redrive({ "dry-run": true }, [listed, { ...redriven, isDryRun: true }]);
  expect(dry.sent).toEqual([expect.objectContaining({ isDryRun: true })]);
  expect(dry.text).toContain("2 would be redriven; nothing was sent");
  const proposal = { schema: "DecisionProposed", id: "p-1", state: "proposed", expiresAt: "2026-11-24T06:00:00Z" };
  expect((await redrive({}, [listed, proposal])).text).toContain("proposed as p-1");
});

test("a person at a terminal is asked with count and sum, and nothing is sent without the bank's name", async () => {
  const asked: string[] = [];
  const answerWith = (typed: string) => (question: string) => Promise.resolve((asked.push(question), typed));
  const declined = await redrive({}, [listed, redriven], answerWith("no"));
  expect([declined.code, declined.sent, declined.text]).toEqual([1, [], "nothing was sent\n"]);
  expect(asked[0]).toContain("redrive of 2 messages that sample refused (ZAR 1250.50)");
  expect((await redrive({}, [listed, redriven], answerWith("sample"))).code).toBe(0);
});

test("a filter that finds nothing, or more than one decision takes, is refused", async () => {
  await expect(redrive({}, [{ ...listed, rows: [] }])).rejects.toMatchObject({ code: "cli.no-item" });
  const many = Array.from({ length: 501 }, (_, index) => ({ messageIdentification: `M${index}` }));
  await expect(redrive({}, [{ ...listed, rows: many }])).rejects.toMatchObject({ code: "cli.too-many" });
});
