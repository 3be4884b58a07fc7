import { expect, test } from "vitest";
import { day } from "./conformance-of-lanes.ts";
import { fromStoredDay, toStoredDay } from "./day-document.ts";

test("a day written before declarations counted their own lanes is read: lanes that had not answered are awaited", () => {
  const { declarations: _, ...stored } = toStoredDay(day());
  const answered = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((lane) => ({ lane, banksUnresolved: [] }));
  const { declarations } = fromStoredDay({ ...stored, declared: ["d"], laneAnswers: answered });
  expect(declarations).toStrictEqual([{ id: "d", bank: null, lanesAwaited: [10, 11], unresolved: [], clearEarly: [] }]);
  expect(fromStoredDay({ ...stored, declared: [], laneAnswers: [] }).declarations).toEqual([]);
});
