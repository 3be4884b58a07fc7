// What a rebuild says of itself in the store.

import type { RebuildProgress } from "@sluice/store";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createProgressNotes } from "./note-progress.ts";

const rebuilt = { position: 30n, documents: 3, compared: 3, differences: [], byOtherRules: 0, build: 2, claimed: 2, heldMs: 5 } as const;

function open(noteRebuild: (partition: number, progress: RebuildProgress) => Promise<void>) {
  const time = createVirtualTime({ startAtMs: 1_000 });
  const partitions = { noteRebuild: (_service: string, partition: number, progress: RebuildProgress) => noteRebuild(partition, progress) };
  return { time, notes: createProgressNotes({ store: { partitions }, service: "scheduler", time, builderId: "b-1" }, 1) };
}

test("the begin, the end, and between them one note in two seconds", async () => {
  const noted: [number, RebuildProgress][] = [];
  const { time, notes } = open(async (partition, progress) => void (await Promise.resolve(noted.push([partition, progress]))));
  notes.begun(0);
  for (let done = 1n; done <= 10n; done += 1n) {
    await time.advance(500);
    notes.progress(0, done, 30n);
  }
  notes.ended({ ...rebuilt, partition: 0, isSwitched: true });
  notes.begun(1);
  notes.ended({ ...rebuilt, partition: 1, isSwitched: false, differences: [{ kind: "transaction", key: "u", what: "w", cause: "store" }] });
  await notes.settled();
  expect(noted.map(([partition, { done, end }]) => [partition, done, end])).toEqual([
    [0, 0n, null],
    [0, 4n, null],
    [0, 8n, null],
    [0, 30n, "switched"],
    [1, 0n, null],
    [1, 30n, "differs"],
  ]);
  expect(noted[2]?.[1]).toEqual({ id: "b-1", startedMs: 1_000, updatedMs: 5_000, done: 8n, of: 30n, lastPartition: 1, end: null });
});

test("a note that cannot be written stops nothing", async () => {
  const { notes } = open(() => Promise.reject(new Error("the store is away")));
  notes.begun(0);
  notes.ended({ ...rebuilt, partition: 0, isSwitched: true });
  await expect(notes.settled()).resolves.toBeUndefined();
});
