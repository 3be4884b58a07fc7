import { expect, test } from "vitest";
import { after, completed, short, tellAll } from "./given.ts";

test("I6: a good on-us debit goes through its seven states, in order, one event each", () => {
  const { transaction } = after(...completed);
  expect(transaction.transitions.map((entry) => entry.state)).toEqual([
    "RECEIVED",
    "ACCEPTED",
    "REPORTED",
    "HELD",
    "RELEASED",
    "DELIVERED",
    "COMPLETED",
  ]);
  expect(tellAll(completed).outcomes.map((outcome) => outcome.outputs.map(short))).toEqual([
    ["RECEIVED"],
    ["ACCEPTED", "send:A"],
    ["REPORTED", "HELD"],
    ["RELEASED", "send:D"],
    ["DELIVERED"],
    ["COMPLETED"],
  ]);
});
