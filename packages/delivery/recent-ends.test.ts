import { expect, test } from "vitest";
import { untried } from "./delivery.ts";
import { RecentEnds } from "./recent-ends.ts";

const tried = (attempts: number) => ({ ...untried, attempts });

test("I15: of the deliveries that ended the last ones are known, and of older ones that they may have been tried", () => {
  const ends = new RecentEnds(3);
  for (const [index, id] of ["a", "b", "c", "d"].entries()) ends.ended(id, tried(index + 1));
  expect(["a", "b", "c", "d"].map((id) => ends.progress(id).attempts)).toEqual([0, 2, 3, 4]);
  expect(ends.progress("a").mayHaveBeenTaken).toBe(true);
  for (const id of ["e", "f", "g"]) ends.ended(id, tried(9));
  expect(["b", "c", "d", "e", "f", "g"].map((id) => ends.progress(id).attempts)).toEqual([0, 0, 0, 9, 9, 9]);
});

test("an older change is known as such, also after another end of the message", () => {
  const ends = new RecentEnds(3);
  ends.changed("a", tried(1), 7n);
  ends.ended("a", tried(2));
  expect([6n, 7n, 8n].map((offset) => ends.isOlder("a", offset))).toEqual([true, false, false]);
  expect(ends.progress("a").attempts).toBe(2);
  for (const id of ["b", "c", "d"]) ends.ended(id, tried(1));
  expect(ends.isOlder("a", 6n)).toBe(false);
});
