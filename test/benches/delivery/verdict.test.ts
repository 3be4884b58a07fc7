import { expect, test } from "vitest";
import { findDeliveryProblems } from "./verdict.ts";
import { benchMessage, bodyBytes } from "../messages.ts";

const messages = 1_200;
const ids = Array.from({ length: messages }, (_, number) => benchMessage("run", number).id);

test("I4: messages that arrive in order, also with repeats, have no problems", () => {
  expect(findDeliveryProblems(ids, "run", messages)).toEqual([]);
  expect(findDeliveryProblems([...ids, ...ids.slice(0, 10)], "run", messages)).toEqual([]);
});

test("I1: a message that did not arrive and one that nobody sent are reported", () => {
  expect(findDeliveryProblems([...ids.slice(1), "elsewhere"], "run", messages)).toEqual([
    `1 of ${messages} messages did not arrive`,
    "1 messages arrived that nobody sent",
  ]);
});

test("I4: a message that arrives before an earlier one of its UETR is reported", () => {
  const [first = ""] = ids;
  expect(findDeliveryProblems([...ids.slice(1), first], "run", messages)).toEqual(["1 messages came before an earlier one of their UETR"]);
});

test("all bodies have the same size, and no two are equal", () => {
  const bodies = Array.from({ length: 20 }, (_, number) => benchMessage("run", number).body);
  expect(new Set(bodies.map(({ byteLength }) => byteLength))).toEqual(new Set([bodyBytes]));
  expect(new Set(bodies.map((body) => new TextDecoder().decode(body))).size).toBe(20);
});
