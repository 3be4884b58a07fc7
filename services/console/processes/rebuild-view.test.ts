// How a rebuild looks to operators.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { consoleStartAtMs } from "../console.fixture.ts";
import { openDecisionEnvironment } from "../decisions/decisions.fixture.ts";
import { readControlAnswer } from "../queries/stored-data.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";
import { rebuildView } from "./rebuild-view.ts";

const at = (seconds: number): number => consoleStartAtMs + seconds * 1_000;
const progress = { id: "b-2", startedMs: at(0), updatedMs: at(100), done: 100n, of: 100n, lastPartition: 2, end: "switched" } as const;
const place = (partition: number, logEnd: bigint, rebuild: Parameters<typeof rebuildView>[0][number]["rebuild"] = null) => ({
  service: "scheduler",
  partition,
  logEnd,
  rebuild,
});
const halfway = { ...progress, startedMs: at(100), updatedMs: at(150), done: 50n, end: null };

test("what is left is the rest of this partition and all of the next ones, at the speed so far", () => {
  // 150 records in 150 s; 50 and 200 are left.
  const places = [place(0, 100n, progress), place(1, 100n, halfway), place(2, 200n)];
  expect(rebuildView(places, at(150))).toMatchObject({
    state: "running",
    partitionsDone: 1,
    partitionsCount: 3,
    done: 150n,
    left: 250n,
    finishesAt: new Date(at(400)).toISOString(),
  });
  expect(rebuildView(places, at(150 + 601))).toMatchObject({ state: "silent", finishesAt: null });
});

test("one that ended has nothing left; of an older one nothing is shown, and of none nothing", () => {
  const ended = { ...halfway, done: 100n, end: "differs", lastPartition: 1 } as const;
  const older = { ...progress, id: "b-1", updatedMs: at(-500) };
  const view = rebuildView([place(0, 100n, { ...progress, lastPartition: 1 }), place(1, 100n, ended), place(2, 9n, older)], at(9_000));
  expect(view).toMatchObject({ id: "b-2", state: "ended", partitionsDone: 2, partitionsCount: 2, left: 0n, finishesAt: null });
  expect(view?.rows.map(({ partition, end }) => [partition, end])).toEqual([
    [0, "switched"],
    [1, "differs"],
  ]);
  expect(rebuildView([place(0, 100n)], at(0))).toBeNull();
});

test("the System page and the API show how far a rebuild is", async () => {
  const environment = await openDecisionEnvironment();
  const { store, settled } = environment;
  const reader = openReader(environment);
  await reader.signIn();
  expect((await reader.ask("/system")).text).toContain("None is known.");
  await settled(store.partitions.takeOver("scheduler", 0));
  await settled(store.partitions.noteRebuild("scheduler", 0, { ...halfway, startedMs: at(-50), updatedMs: at(0), lastPartition: 0 }));
  const { rebuild } = controlAnswers.controlStatus.parse(await readControlAnswer(environment, "/status"));
  expect(rebuild).toMatchObject({ state: "running", partitionsCount: 1, done: "50", left: "50", rows: [{ partition: 0, of: "100" }] });
  const { text } = await reader.ask("/system");
  expect(text).toContain("0 of 1 done");
  expect(text).toContain("under way");
});
