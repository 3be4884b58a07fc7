// The credits-final gate in an operator's hands: decisions, section 9.

import { expect, test } from "vitest";
import { creditsNotedMax } from "./day.ts";
import { creditsFinal, dayAfter, ids, laneBankClear, laneCredits, planned, reached } from "./given.ts";
import { gateOpening, operatorDeclares } from "./given-operators.ts";

const answered = [
  [1, planned({ creditsFinal: "connector" })],
  [10, creditsFinal()],
  [20, laneCredits(0, ["b", "c"])],
  [21, laneCredits(1, ["b"])],
  [22, laneCredits(2)],
] as const;

test.each(["clock", "connector", "bank"] as const)("an operator declares, for all or for one bank, where the %s does", (declares) => {
  const plan = planned({ creditsFinal: declares });
  const { day, outcomes } = dayAfter([1, plan], [10, operatorDeclares("a")], [11, operatorDeclares()], [12, operatorDeclares("b")]);
  expect(outcomes.map(ids)).toEqual([["DayTimes:1"], ["CreditsDeclared:1"], ["CreditsDeclared:2"], []]);
  expect(outcomes[1]?.outputs).toMatchObject([{ marker: { bank: "a", declaredBy: "operator" } }]);
  expect(outcomes[3]).toMatchObject({ decision: "ignored", reason: "already-declared" });
  expect(day?.decisions.map(({ kind, result, bank, why }) => [kind, result, bank, why])).toEqual([
    ["CreditsFinalRequested", "applied", "a", null],
    ["CreditsFinalRequested", "applied", null, null],
    ["CreditsFinalRequested", "ignored", "b", "already-declared"],
  ]);
});

test("where an operator declared for one bank, the clock still declares for all at the first opening", () => {
  const { day } = dayAfter(
    [1, planned()],
    [10, operatorDeclares("a")],
    [100, reached("window-opens", 1)],
    [300, reached("window-opens", 2)],
  );
  const declared = day?.told.flatMap(({ marker }) => (marker.kind === "CreditsDeclared" ? [[marker.bank, marker.declaredBy]] : []));
  expect(declared).toEqual([
    ["a", "operator"],
    [null, "clock"],
  ]);
});

test("I8: an operator opens one bank's gate over credits: for that bank alone, and lanes that call it clear later open nothing again [D9 gate-by-hand]", () => {
  const { day, outcomes } = dayAfter(
    ...answered,
    [30, gateOpening("b", ["u1", "u2"])],
    [31, laneBankClear(0, "b")],
    [32, laneBankClear(1, "b")],
    [33, laneBankClear(0, "c")],
  );
  expect(outcomes.slice(4).map(ids)).toEqual([["GateOpened:1"], ["GateOpened:2"], [], [], ["GateOpened:3"]]);
  expect(outcomes[5]?.outputs).toMatchObject([{ marker: { banks: ["b"], except: [] } }]);
  expect(day?.decisions).toMatchObject([{ kind: "GateOpeningRequested", result: "applied", bank: "b", credits: ["u1", "u2"] }]);
  expect(day?.declarations).toMatchObject([{ unresolved: [] }]);
});

test.each([
  { what: "before a declaration", steps: answered.slice(0, 1), reason: "not-declared", decision: "refused" },
  { what: "before every lane has answered", steps: answered.slice(0, 4), reason: "lanes-awaited", decision: "refused" },
  { what: "twice", steps: [...answered, [25, gateOpening("b", [], "x")] as const], reason: "gate-open", decision: "ignored" },
  {
    what: "after the reconciliation",
    steps: [...answered, [500, reached("reconciliation")] as const],
    reason: "day-over",
    decision: "refused",
  },
])("I8: no gate is opened by hand $what", ({ steps, reason, decision }) => {
  const { outcomes, day } = dayAfter(...steps, [501, gateOpening("b")]);
  expect(outcomes.at(-1)).toMatchObject({ decision, reason, outputs: [] });
  expect(day?.decisions.at(-1)).toMatchObject({ result: decision, why: reason });
});

test("a bank that no lane named is open already; a void date has no gate", () => {
  expect(dayAfter(...answered, [30, gateOpening("z")]).outcomes.at(-1)).toMatchObject({ decision: "ignored", reason: "gate-open" });
  expect(dayAfter([1, planned({ windows: [] })], [30, gateOpening("z")]).outcomes.at(-1)).toMatchObject({ reason: "no-such-window" });
});

test("I8: opened by hand under a bank's own declaration, it does not open again by the declaration for all", () => {
  const { outcomes } = dayAfter(
    [1, planned({ creditsFinal: "bank" })],
    [10, creditsFinal("b")],
    [11, laneCredits(0, ["b"])],
    [12, laneCredits(1)],
    [13, laneCredits(2)],
    [14, gateOpening("b")],
    [15, operatorDeclares()],
    [16, laneCredits(0, ["b"], 2)],
    [17, laneCredits(1, [], 2)],
    [18, laneCredits(2, [], 2)],
    [19, laneBankClear(0, "b", 2)],
    [20, laneBankClear(0, "b", 1)],
  );
  expect(outcomes.slice(5).map(ids)).toEqual([["GateOpened:1"], ["CreditsDeclared:2"], [], [], ["GateOpened:2"], [], []]);
});

test("I15: a note keeps a bounded list of credits", () => {
  const credits = Array.from({ length: creditsNotedMax + 5 }, (_, index) => `u${index}`);
  expect(dayAfter(...answered, [30, gateOpening("b", credits)]).day?.decisions[0]?.credits).toHaveLength(creditsNotedMax);
});
