import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId } from "../dispatcher.fixture.ts";

const partition = 0;

test("a partition that nobody has read begins at what retention has left, and says so", async () => {
  const environment = createDispatcherEnvironment();
  await environment.dispatch({ messageIdentification: dispatchMessageId(1) }, { messageIdentification: dispatchMessageId(2) });
  environment.broker.truncate({ topic: topics.dispatch, partition }, 1n);
  await environment.start();
  await environment.until(() => environment.ended().length === 1);
  expect(environment.endedIds()).toEqual(new Set([dispatchMessageId(2)]));
  const said = environment.logged.filter(({ event }) => event === "partition.begins-late");
  expect(said).toMatchObject([{ level: "error", fields: { partition, position: 1n } }]);
});

test("a partition that begins at its first record says nothing", async () => {
  const environment = createDispatcherEnvironment();
  await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
  await environment.start();
  await environment.until(() => environment.ended().length === 1);
  expect(environment.logged.filter(({ event }) => event === "partition.begins-late")).toEqual([]);
});
