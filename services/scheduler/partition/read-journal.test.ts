import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { journalHandlers } from "../service.ts";
import { SchedulerEnvironment } from "../scheduler.fixture.ts";
import { readJournal } from "./read-journal.ts";

test("I4: a record in a partition that is not its key's is not decided there", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 2 });
  const uetr = environment.uetrInPartition(0);
  await environment.append(topics.journal, uetr, environment.debit(uetr), 0);
  await environment.append(topics.journal, uetr, environment.debit(uetr), 1);
  const reader = { serde: environment.serde, handlers: journalHandlers, partitionCount: 2, operatorJudge: { judge: () => null } };
  const read = await Promise.all(environment.records(topics.journal).map((record) => readJournal(record, reader)));
  expect(read.map((one) => ("unreadable" in one ? one.unreadable : one.key))).toEqual([uetr, "its key belongs to another partition"]);
});
