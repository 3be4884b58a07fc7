// The trace of a transaction, and the link to its page.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { extendRules } from "@sluice/domain";
import { noSearchTerms } from "@sluice/store";
import { expect, test } from "vitest";
import { buildConsoleDebit, buildKeptBytes, changeTransaction, consoleUetr } from "../console.fixture.ts";
import { openDecisionEnvironment } from "../decisions/decisions.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";
import { readControlAnswer } from "../queries/stored-data.fixture.ts";

const id = "4bf92f3577b34da6a3ce929d0e0e4736";
const traced = `00-${id}-00f067aa0ba902b7-01`;
const page = "https://traces.example/trace/{traceId}";

async function showWith(traceparent: string | null, tracePage: string | null) {
  const environment = await openDecisionEnvironment({}, { tracePage });
  const transaction = changeTransaction(buildConsoleDebit(["RECEIVED"]), { applied: -1n });
  const document = { ...buildKeptBytes(), traceparent, transaction, search: noSearchTerms, rules: extendRules(null, 1) };
  await environment.settled(environment.store.transactions.write([{ document, expectedVersion: 0 }]));
  const { trace } = controlAnswers.showTransaction.parse(await readControlAnswer(environment, `/transactions/${consoleUetr}`));
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask(`/transactions/${consoleUetr}`);
  return { trace, isLinked: text.includes(`href="https://traces.example/trace/${id}"`), isNamed: text.includes("Trace") };
}

test("a traced transaction links to its trace where a page is configured", async () => {
  const url = `https://traces.example/trace/${id}`;
  expect(await showWith(traced, page)).toEqual({ trace: { id, isTraced: true, url }, isLinked: true, isNamed: true });
});

test.each([
  ["no page is configured", traced, null, { id, isTraced: true, url: null }],
  ["it is not traced", traced.replace(/01$/, "00"), page, { id, isTraced: false, url: null }],
  ["its trace is not known", null, page, null],
])("there is no link where %s", async (_, traceparent, tracePage, trace) => {
  expect(await showWith(traceparent, tracePage)).toEqual({ trace, isLinked: false, isNamed: false });
});
