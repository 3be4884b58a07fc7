import { expect, test } from "vitest";
import { untried } from "../rules.ts";
import { RecentEnds } from "./recent-ends.ts";

const tried = (attempts: number) => ({ ...untried, attempts });

test("I15: the last ends are known; a delivery whose end was forgotten counts as possibly tried", () => {
  const ends = new RecentEnds(3);
  for (const [index, id] of ["a", "b", "c", "d"].entries()) ends.recordEnd(id, tried(index + 1), true);
  expect(["a", "b", "c", "d"].map((id) => ends.progress(id).attempts)).toEqual([0, 2, 3, 4]);
  expect(ends.progress("a").mayHaveBeenTaken).toBe(true);
  for (const id of ["e", "f", "g"]) ends.recordEnd(id, tried(9), true);
  expect(["b", "c", "d", "e", "f", "g"].map((id) => ends.progress(id).attempts)).toEqual([0, 0, 0, 9, 9, 9]);
});

test("an older change is recognized, also after another end of the message", () => {
  const ends = new RecentEnds(3);
  ends.recordChange("a", tried(1), 7n);
  ends.recordEnd("a", tried(2), true);
  expect([6n, 7n, 8n].map((offset) => ends.isOlder("a", offset))).toEqual([true, false, false]);
  expect(ends.progress("a").attempts).toBe(2);
  for (const id of ["b", "c", "d"]) ends.recordEnd(id, tried(1), true);
  expect(ends.isOlder("a", 6n)).toBe(false);
});

test("#1: an end keeps its values when its place is used for another", () => {
  const ends = new RecentEnds(1);
  const attempt = {
    atMs: 7,
    httpStatusCode: 202,
    answer: null,
    tookMs: 3,
    address: "https://bank.example/in",
    class: "acknowledged",
  } as const;
  const once = { ...untried, attempts: 1, anyAnswer: true, recentAttempts: [attempt] };
  const other = { ...attempt, atMs: 9, httpStatusCode: 409, answer: "duplicate", class: "refused" } as const;
  for (const progress of [
    once,
    { ...untried, attempts: 2, recentAttempts: [attempt, other] },
    { ...once, anyAnswer: false, mayHaveBeenTaken: true, recentAttempts: [other] },
    tried(0),
  ]) {
    ends.recordEnd(`after ${progress.attempts} of ${progress.recentAttempts[0]?.atMs}`, { ...progress }, true);
    const known = ends.progress(`after ${progress.attempts} of ${progress.recentAttempts[0]?.atMs}`);
    expect(known).toEqual(progress);
    ends.recordEnd("another", once, true);
    expect(ends.progress("another")).toEqual(once);
  }
});

test("a message is acknowledged if its newest end says so, and until it is forgotten", () => {
  const ends = new RecentEnds(2);
  ends.recordEnd("a", tried(1), true);
  expect(["a", "b"].map((id) => ends.isAcknowledged(id))).toEqual([true, false]);
  ends.recordEnd("a", tried(2), false);
  expect(ends.isAcknowledged("a")).toBe(false);
  ends.recordEnd("a", tried(3), true);
  for (const id of ["b", "c"]) ends.recordEnd(id, tried(1), false);
  expect(ends.isAcknowledged("a")).toBe(false);
});
