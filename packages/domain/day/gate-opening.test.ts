// An operator's decisions about the credits-final gate: docs/spec/decisions.md D9.40.

import { expect, test } from "vitest";
import { creditsNotedMax } from "./day.ts";
import { creditsFinal, dayAfter, markerIds, partitionBankClear, partitionCredits, dayPlanned, dayTimeReached } from "../given.fixture.ts";
import { gateOpening, operatorDeclares } from "../operators.fixture.ts";

const answered = [
  [1, dayPlanned({ creditsFinal: "connector" })],
  [10, creditsFinal()],
  [20, partitionCredits(0, ["b", "c"])],
  [21, partitionCredits(1, ["b"])],
  [22, partitionCredits(2)],
] as const;

test.each(["clock", "connector", "bank"] as const)(
  "an operator declares for all banks or for one, also if the %s declares by the plan",
  (declares) => {
    const plan = dayPlanned({ creditsFinal: declares });
    const { day, outcomes } = dayAfter([1, plan], [10, operatorDeclares("a")], [11, operatorDeclares()], [12, operatorDeclares("b")]);
    expect(outcomes.map(markerIds)).toEqual([["DayTimes:1"], ["CreditsDeclared:1"], ["CreditsDeclared:2"], []]);
    expect(outcomes[1]?.outputs).toMatchObject([{ marker: { bank: "a", declaredBy: "operator" } }]);
    expect(outcomes[3]).toMatchObject({ decision: "ignored", reason: "already-declared" });
    expect(day?.decisions.map(({ kind, result, bank, why }) => [kind, result, bank, why])).toEqual([
      ["CreditsFinalRequested", "applied", "a", null],
      ["CreditsFinalRequested", "applied", null, null],
      ["CreditsFinalRequested", "ignored", "b", "already-declared"],
    ]);
  },
);

test("after an operator declared for one bank, the clock still declares for all at the first opening", () => {
  const { day } = dayAfter(
    [1, dayPlanned()],
    [10, operatorDeclares("a")],
    [100, dayTimeReached("window-opens", 1)],
    [300, dayTimeReached("window-opens", 2)],
  );
  const declared = day?.markers.flatMap(({ marker }) => (marker.kind === "CreditsDeclared" ? [[marker.bank, marker.declaredBy]] : []));
  expect(declared).toEqual([
    ["a", "operator"],
    [null, "clock"],
  ]);
});

test("I8: an operator opens the gate of one bank only, and partitions that call it clear later open nothing again [D9 gate-by-hand]", () => {
  const { day, outcomes } = dayAfter(
    ...answered,
    [30, gateOpening("b", ["u1", "u2"])],
    [31, partitionBankClear(0, "b")],
    [32, partitionBankClear(1, "b")],
    [33, partitionBankClear(0, "c")],
  );
  expect(outcomes.slice(4).map(markerIds)).toEqual([["GateOpened:1"], ["GateOpened:2"], [], [], ["GateOpened:3"]]);
  expect(outcomes[5]?.outputs).toMatchObject([{ marker: { banks: ["b"], except: [] } }]);
  expect(day?.decisions).toMatchObject([{ kind: "GateOpeningRequested", result: "applied", bank: "b", credits: ["u1", "u2"] }]);
  expect(day?.declarations).toMatchObject([{ unresolved: [] }]);
});

test.each([
  { what: "before a declaration", steps: answered.slice(0, 1), reason: "not-declared", decision: "refused" },
  { what: "before every partition has answered", steps: answered.slice(0, 4), reason: "partitions-awaited", decision: "refused" },
  { what: "twice", steps: [...answered, [25, gateOpening("b", [], "x")] as const], reason: "gate-open", decision: "ignored" },
  {
    what: "after the reconciliation",
    steps: [...answered, [500, dayTimeReached("reconciliation")] as const],
    reason: "day-over",
    decision: "refused",
  },
])("I8: an operator opens no gate $what", ({ steps, reason, decision }) => {
  const { outcomes, day } = dayAfter(...steps, [501, gateOpening("b")]);
  expect(outcomes.at(-1)).toMatchObject({ decision, reason, outputs: [] });
  expect(day?.decisions.at(-1)).toMatchObject({ result: decision, why: reason });
});

test("the gate of a bank that no partition named is open already, and a void date has no gate", () => {
  expect(dayAfter(...answered, [30, gateOpening("z")]).outcomes.at(-1)).toMatchObject({ decision: "ignored", reason: "gate-open" });
  expect(dayAfter([1, dayPlanned({ windows: [] })], [30, gateOpening("z")]).outcomes.at(-1)).toMatchObject({ reason: "no-such-window" });
});

test("I8: a gate that an operator opened under a bank's own declaration does not open again by the declaration for all", () => {
  const { outcomes } = dayAfter(
    [1, dayPlanned({ creditsFinal: "bank" })],
    [10, creditsFinal("b")],
    [11, partitionCredits(0, ["b"])],
    [12, partitionCredits(1)],
    [13, partitionCredits(2)],
    [14, gateOpening("b")],
    [15, operatorDeclares()],
    [16, partitionCredits(0, ["b"], 2)],
    [17, partitionCredits(1, [], 2)],
    [18, partitionCredits(2, [], 2)],
    [19, partitionBankClear(0, "b", 2)],
    [20, partitionBankClear(0, "b", 1)],
  );
  expect(outcomes.slice(5).map(markerIds)).toEqual([["GateOpened:1"], ["CreditsDeclared:2"], [], [], ["GateOpened:2"], [], []]);
});

test("I15: a note keeps a bounded list of credits", () => {
  const credits = Array.from({ length: creditsNotedMax + 5 }, (_, index) => `u${index}`);
  expect(dayAfter(...answered, [30, gateOpening("b", credits)]).day?.decisions[0]?.credits).toHaveLength(creditsNotedMax);
});
