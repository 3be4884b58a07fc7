// The request of a message, by the API and on its page.

import { hash } from "node:crypto";
import { topics } from "@sluice/contracts";
import { controlAnswers } from "@sluice/contracts/control-answers";
import { buildDirectDebit, encodeBody } from "@sluice/testkit";
import { expect, test } from "vitest";
import { buildConsoleDebit, buildStateEvent, changeTransaction, consoleStartAtMs, consoleUetr } from "../console.fixture.ts";
import { openDecisionEnvironment } from "../decisions/decisions.fixture.ts";
import { readControlAnswer } from "../queries/stored-data.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";

const body = encodeBody(buildDirectDebit({ uetr: consoleUetr }));
const dispatch = {
  messageIdentification: "M-1D",
  uetr: consoleUetr,
  deliveryKey: consoleUetr,
  bank: "first",
  operation: "inboundDirectDebit",
  body,
  reconciliationDay: "ZA_EFT:2026-11-20",
  deadlineMs: null,
  causedByOffset: 0n,
  madeAtMs: consoleStartAtMs,
  stopsAtMs: null,
} as const;

async function openSent() {
  const environment = await openDecisionEnvironment();
  await environment.save(changeTransaction(buildConsoleDebit(["RECEIVED"]), { applied: -1n }));
  await environment.append(topics.dispatch, consoleUetr, { name: "Dispatch", value: dispatch });
  await environment.append(topics.events, consoleUetr, buildStateEvent(1));
  return environment;
}

test("what every attempt sends is shown masked, with the digest of the bytes as they are sent", async () => {
  const environment = await openSent();
  const path = `/transactions/${consoleUetr}/request`;
  const sent = controlAnswers.showSentRequest.parse(await readControlAnswer(environment, `${path}?offset=0`));
  const about = { id: "M-1D", receiver: "first", operation: "inboundDirectDebit", of: "dispatch", offset: "0" };
  expect(sent).toMatchObject({ ...about, bytes: body.byteLength, sha256: hash("sha256", body) });
  expect(JSON.parse(sent.body ?? "")).toMatchObject({ schema: "DirectDebit", debtor: { legalName: "…" } });
  const event = controlAnswers.showSentRequest.parse(await readControlAnswer(environment, `${path}?of=events&offset=0`));
  expect(event).toMatchObject({ id: "event-1", operation: "events", of: "events" });
});

test.each([
  ["?offset=1", 404],
  ["?of=events&offset=7", 404],
  ["?of=journal&offset=0", 400],
  ["", 400],
  ["?offset=-1", 400],
])("a place without a message of this transaction is answered, %s: %i", async (query, status) => {
  const environment = await openSent();
  expect((await environment.control(`/transactions/${consoleUetr}/request${query}`)).status).toBe(status);
});

test("#1 the place of another transaction's message is not known", async () => {
  const environment = await openDecisionEnvironment();
  const other = consoleUetr.replace(/^./, (first) => (first === "0" ? "1" : "0"));
  await environment.append(topics.dispatch, other, { name: "Dispatch", value: { ...dispatch, uetr: other } });
  expect((await environment.control(`/transactions/${consoleUetr}/request?offset=0`)).status).toBe(404);
});

test("the history of a transaction leads to the request of each message and event", async () => {
  const environment = await openSent();
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask(`/transactions/${consoleUetr}`);
  const [link = ""] = /\/transactions\/[^"]*\/request\?of=dispatch[^"]*/.exec(text) ?? [];
  const page = await reader.ask(link.replaceAll("&amp;", "&"));
  expect([page.status, page.text.includes("SHA-256"), page.text.includes("…")]).toEqual([200, true, true]);
  expect(page.text).toContain(`./sluice request ${consoleUetr} --of dispatch --offset 0`);
});
