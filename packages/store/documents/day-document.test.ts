import { expect, test } from "vitest";
import { conformanceDay } from "../conformance/conformance-partitions.ts";
import { fromStoredDay, toStoredDay } from "./day-document.ts";

test("a day written before declarations counted their own partitions is read: partitions that had not answered are awaited", () => {
  const { declarations: _, ...stored } = toStoredDay(conformanceDay());
  const answered = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((partition) => ({ partition, banksUnresolved: [] }));
  const { declarations } = fromStoredDay({ ...stored, declared: ["d"], laneAnswers: answered });
  expect(declarations).toStrictEqual([{ id: "d", bank: null, partitionsAwaited: [10, 11], unresolved: [], clearEarly: [] }]);
  expect(fromStoredDay({ ...stored, declared: [], laneAnswers: [] }).declarations).toEqual([]);
});
