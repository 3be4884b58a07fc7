// The topics and the fields of their records.

import { recordMap, topics } from "@sluice/contracts";
import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { readJsonObject } from "../console.fixture.ts";
import { openDecisionEnvironment } from "../decisions/decisions.fixture.ts";
import { readControlAnswer } from "../queries/stored-data.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";

test("every topic is listed with its records, who writes and reads them, and how long they are kept", async () => {
  const environment = await openDecisionEnvironment();
  const { rows } = controlAnswers.listTopics.parse(await readControlAnswer(environment, "/topics"));
  expect(rows.map(({ topic }) => topic).toSorted()).toEqual(Object.values(topics).toSorted());
  expect(rows.reduce((sum, { records }) => sum + records.length, 0)).toBe(recordMap.length);
  const journal = rows.find(({ topic }) => topic === topics.journal);
  expect([journal?.retentionDays, journal?.isCompacted, journal?.partitions]).toEqual([null, false, 3]);
  expect(journal?.records.find(({ record }) => record === "WindowOpened")).toMatchObject({
    writtenBy: ["scheduler"],
    readBy: ["scheduler"],
    key: expect.stringContaining("one copy in every partition"),
  });
  expect(rows.find(({ topic }) => topic === topics.transactions)?.isCompacted).toBe(true);
});

test("a topic has every field of its records: path, type, text, since which version, and whether it is personal", async () => {
  const environment = await openDecisionEnvironment();
  const { records } = controlAnswers.showTopic.parse(await readControlAnswer(environment, `/topics/${topics.journal}`));
  const fieldsOf = (name: string) =>
    Object.fromEntries((records.find(({ record }) => record === name)?.fields ?? []).map((field) => [field.path, field]));
  const debit = fieldsOf("DirectDebitReceived");
  expect(debit["debit.debtor.legalName"]).toMatchObject({ type: "string", isPersonal: true, since: 1 });
  expect(debit["receivedAtMs"]).toMatchObject({ type: "timestamp-millis (long)", isPersonal: false, isOptional: false });
  const verified = fieldsOf("AccountVerified");
  expect(verified["reasons"]?.type).toBe("list of Reason");
  expect(verified["reasons[].code"]?.text).toContain("AC02");
  expect(fieldsOf("GateOpeningRequested")["action.confirmedBy"]).toMatchObject({ since: 3, isOptional: true });
  const texts = records.flatMap(({ fields }) => fields.map(({ text }) => text));
  expect(texts.filter((text) => text === "")).toEqual([]);
  const unknown = await environment.control("/topics/none");
  expect([unknown.status, (await readJsonObject(unknown))["detail"]]).toEqual([404, "No topic of Sluice has this name."]);
});

test("the pages link each record to an address of its own, and find records and fields by a part of their names", async () => {
  const reader = openReader(await openDecisionEnvironment());
  await reader.signIn();
  const list = await reader.ask("/topics?record=stateentered");
  expect(list.text).toContain(`href="/topics/${topics.stateEvents}#StateEntered"`);
  expect(list.text).not.toContain(`href="/topics/${topics.journal}"`);
  const page = await reader.ask(`/topics/${topics.stateEvents}?field=carryOvers`);
  expect(page.text).toContain('id="StateEntered"');
  expect(page.text).toContain("<code>carryOvers</code>");
  expect(page.text).not.toContain("<code>uetr</code>");
  expect((await reader.ask("/topics/none")).status).toBe(404);
});
