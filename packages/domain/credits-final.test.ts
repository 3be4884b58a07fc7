// The credits-final gate: decisions, section 9, and architecture, section 7.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Day } from "./day.ts";
import { banksNamedMax, declarationsMax } from "./day.ts";
import { decideDay } from "./decide-day.ts";
import type { DayFact, GateOpenedMarker } from "./fact.ts";
import { creditsFinal, date, dayAfter, ids, laneBankClear, laneCredits, planned, reached, scheme, today } from "./given.ts";

type Timed = readonly [number, DayFact];

const opens = reached("window-opens", 1);
const byConnector: readonly Timed[] = [
  [1, planned({ creditsFinal: "connector" })],
  [10, creditsFinal()],
];
const byBank: readonly Timed[] = [[1, planned({ creditsFinal: "bank" })]];

function timed(...facts: readonly DayFact[]): readonly Timed[] {
  return facts.map((fact, index) => [20 + index, fact]);
}

function gatesOf(day: Day | null): readonly GateOpenedMarker[] {
  return (day?.told ?? []).flatMap(({ marker }) => (marker.kind === "GateOpened" ? [marker] : []));
}

test("a connector declares for all banks, before or inside a window, and the marker says so [D9 credits-final-gate]", () => {
  const { outcomes, day } = dayAfter(...byConnector, [100, opens]);
  expect(outcomes.map(ids)).toEqual([["DayTimes:1"], ["CreditsDeclared:1"], ["WindowOpened:1"]]);
  expect(outcomes[1]?.outputs).toMatchObject([
    {
      alsoToDispatch: false,
      marker: { kind: "CreditsDeclared", number: 1, bank: null, declaredBy: "connector", scheme, businessDate: date },
    },
  ]);
  expect(day?.declarations).toMatchObject([{ id: `${today}:CreditsDeclared:1`, bank: null, lanesAwaited: [0, 1, 2] }]);
});

test("a bank declares for itself, each with a declaration of its own; a repeat declares nothing [D9 repeat]", () => {
  const { outcomes, day } = dayAfter(...byBank, ...timed(creditsFinal("a"), creditsFinal("b"), creditsFinal("a")));
  expect(outcomes.map(ids)).toEqual([["DayTimes:1"], ["CreditsDeclared:1"], ["CreditsDeclared:2"], []]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "ignored", reason: "already-declared" });
  expect(outcomes[2]?.outputs).toMatchObject([{ marker: { bank: "b", declaredBy: "bank" } }]);
  expect(day?.declarations.map(({ bank }) => bank)).toEqual(["a", "b"]);
  expect(dayAfter(...byConnector, [20, creditsFinal()]).outcomes.at(-1)).toMatchObject({ decision: "ignored", reason: "already-declared" });
});

test.each([
  { declares: "clock", fact: creditsFinal() },
  { declares: "clock", fact: creditsFinal("a") },
  { declares: "connector", fact: creditsFinal("a") },
  { declares: "bank", fact: creditsFinal() },
] as const)("where the $declares declares, another's request is refused", ({ declares, fact }) => {
  const { outcomes } = dayAfter([1, planned({ creditsFinal: declares })], [10, fact]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "other-declares", outputs: [] });
});

test("a request for a day that is not planned, has no window or is reconciled is refused", () => {
  expect(dayAfter([10, creditsFinal()]).outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "not-planned" });
  const empty = dayAfter([1, planned({ creditsFinal: "connector", windows: [] })], [10, creditsFinal()]);
  expect(empty.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "no-such-window", outputs: [] });
  const over = dayAfter([1, planned({ creditsFinal: "connector" })], [500, reached("reconciliation")], [501, creditsFinal()]);
  expect(over.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "day-over", outputs: [] });
});

test("credits are declared by the clock once, at the first opening, and by no opening where another declares", () => {
  expect(ids(dayAfter([1, planned()], [100, opens]).outcomes.at(-1))).toEqual(["WindowOpened:1", "CreditsDeclared:1"]);
  expect(dayAfter([1, planned()], [100, opens]).day?.told.at(-1)?.marker).toMatchObject({ declaredBy: "clock", bank: null });
  for (const declares of ["bank", "connector"] as const) {
    expect(ids(dayAfter([1, planned({ creditsFinal: declares })], [100, opens]).outcomes.at(-1))).toEqual(["WindowOpened:1"]);
  }
});

test("I8: the gate opens for all banks except those that a lane named, once every lane has answered this declaration", () => {
  const { outcomes, day } = dayAfter(...byConnector, ...timed(laneCredits(0, ["b", "c"]), laneCredits(1, ["a"]), laneCredits(2)));
  expect(outcomes.slice(2).map(ids)).toEqual([[], [], ["GateOpened:1"]]);
  expect(outcomes.at(-1)?.outputs).toMatchObject([{ marker: { kind: "GateOpened", banks: null, except: ["a", "b", "c"] } }]);
  expect(day?.isGateOpen).toBe(true);
});

test("I8: the gate of a bank that lanes named opens when each of them has called it clear, and alone", () => {
  const { outcomes } = dayAfter(
    ...byConnector,
    ...timed(
      laneCredits(0, ["b"]),
      laneCredits(1, ["b", "c"]),
      laneCredits(2),
      laneBankClear(0, "b"),
      laneBankClear(1, "b"),
      laneBankClear(1, "c"),
    ),
  );
  expect(outcomes.slice(4).map(ids)).toEqual([["GateOpened:1"], [], ["GateOpened:2"], ["GateOpened:3"]]);
  expect(outcomes.slice(6).map((outcome) => outcome.outputs)).toMatchObject([
    [{ marker: { banks: ["b"], except: [] } }],
    [{ marker: { banks: ["c"], except: [] } }],
  ]);
});

test("I8: a bank that is clear before the last lane has answered is not excepted, and does not open twice", () => {
  const { outcomes } = dayAfter(
    ...byConnector,
    ...timed(laneCredits(0, ["b"]), laneBankClear(0, "b"), laneCredits(1), laneCredits(2), laneBankClear(0, "b")),
  );
  expect(outcomes.slice(2).map(ids)).toEqual([[], [], [], ["GateOpened:1"], []]);
  expect(outcomes[5]?.outputs).toMatchObject([{ marker: { banks: null, except: [] } }]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "ignored", reason: "bank-clear" });
});

test("a lane's bank once clear stays clear, also where that is heard before the lane's answer", () => {
  const facts = timed(laneBankClear(0, "b"), laneCredits(0, ["b", "c"]), laneCredits(1, ["b"]), laneCredits(2));
  const { outcomes, day } = dayAfter(...byConnector, ...facts);
  expect(outcomes.at(-1)?.outputs).toMatchObject([{ marker: { except: ["b", "c"] } }]);
  expect(day?.declarations).toMatchObject([
    {
      lanesAwaited: [],
      unresolved: [
        { bank: "b", lanes: [1] },
        { bank: "c", lanes: [0] },
      ],
      clearEarly: [],
    },
  ]);
  const cleared = dayAfter(...byConnector, ...facts, [30, laneBankClear(1, "b")]);
  expect(ids(cleared.outcomes.at(-1))).toEqual(["GateOpened:2"]);
});

test("I8: declared for one bank, its gate alone opens, once every lane has answered and each that named it has called it clear", () => {
  const clear = dayAfter(...byBank, ...timed(creditsFinal("a"), laneCredits(0), laneCredits(1), laneCredits(2)));
  expect(clear.outcomes.at(-1)?.outputs).toMatchObject([{ marker: { banks: ["a"], except: [] } }]);
  const named = dayAfter(
    ...byBank,
    ...timed(creditsFinal("a"), laneCredits(0, ["a"]), laneCredits(1), laneCredits(2, ["a"]), laneBankClear(0, "a"), laneBankClear(2, "a")),
  );
  expect(named.outcomes.slice(2).map(ids)).toEqual([[], [], [], [], ["GateOpened:1"]]);
  expect(named.outcomes.at(-1)?.outputs).toMatchObject([{ marker: { banks: ["a"], except: [] } }]);
});

test("what a lane says of another bank than the declaration's means nothing to it", () => {
  const { outcomes } = dayAfter(
    ...byBank,
    ...timed(creditsFinal("a"), laneBankClear(0, "b"), laneCredits(0, ["b"]), laneCredits(1), laneCredits(2)),
  );
  expect(outcomes[2]).toMatchObject({ decision: "ignored", reason: "bank-clear" });
  expect(outcomes.at(-1)?.outputs).toMatchObject([{ marker: { banks: ["a"] } }]);
});

test("I8: declarations are answered each for itself", () => {
  const steps = timed(
    creditsFinal("a"),
    creditsFinal("b"),
    laneCredits(0, [], 1),
    laneCredits(1, [], 2),
    laneCredits(2, [], 1),
    laneCredits(1, [], 1),
  );
  const { day } = dayAfter(...byBank, ...steps);
  expect(gatesOf(day)).toMatchObject([{ banks: ["a"] }]);
  expect(day?.declarations.map(({ lanesAwaited }) => lanesAwaited)).toEqual([[], [0, 2]]);
});

test("I8: a lane counts once; an unknown lane or declaration counts not at all", () => {
  const base = [...byConnector, ...timed(laneCredits(0), laneCredits(1))];
  expect(dayAfter(...base, [30, laneCredits(1)]).outcomes.at(-1)).toMatchObject({
    decision: "ignored",
    reason: "lane-counted",
    outputs: [],
  });
  for (const fact of [laneCredits(3), laneCredits(-1), laneBankClear(3, "a")]) {
    expect(dayAfter(...base, [30, fact]).outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "no-such-lane", outputs: [] });
  }
  for (const fact of [laneCredits(2, [], 2), laneBankClear(2, "a", 2)]) {
    expect(dayAfter(...base, [30, fact]).outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "not-declared", outputs: [] });
  }
});

test("after the reconciliation no gate opens any more", () => {
  const base: readonly Timed[] = [...byConnector, ...timed(laneCredits(0, ["a"]), laneCredits(1)), [500, reached("reconciliation")]];
  for (const fact of [laneCredits(2), laneBankClear(0, "a")]) {
    const { outcomes, day } = dayAfter(...base, [501, fact]);
    expect(outcomes.at(-1)).toMatchObject({ decision: "ignored", reason: "day-over", outputs: [] });
    expect(gatesOf(day)).toEqual([]);
  }
});

test("I15: declarations, and banks that a declaration's answers name, are bounded; beyond it the gate stays closed", () => {
  const requests = Array.from({ length: declarationsMax + 1 }, (_, index) => creditsFinal(`bank-${index}`));
  const many = dayAfter(...byBank, ...timed(...requests));
  expect(many.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "too-many-declarations", outputs: [] });
  expect(many.day?.declarations).toHaveLength(declarationsMax);
  const banks = Array.from({ length: banksNamedMax + 1 }, (_, index) => `bank-${index}`);
  const named = dayAfter(...byConnector, ...timed(laneCredits(0, banks.slice(1)), laneCredits(1, banks.slice(0, 1)), laneCredits(2)));
  expect(named.outcomes.map(({ reason }) => reason)).toEqual([null, null, null, "too-many-banks", null]);
  expect(gatesOf(named.day)).toEqual([]);
  const early = dayAfter(...byConnector, ...timed(...banks.map((bank) => laneBankClear(0, bank))));
  expect(early.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "too-many-banks" });
  expect(early.day?.declarations[0]?.clearEarly).toHaveLength(banksNamedMax);
});

// ---- any interleaving

const banks = ["a", "b", "c"];
const lanes = fc.nat(3);
const declarations = fc.constantFrom(1, 1, 2, 3);
const anyFact: fc.Arbitrary<DayFact> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(null, ...banks).map(creditsFinal) },
  {
    weight: 6,
    arbitrary: fc.tuple(lanes, fc.subarray(banks), declarations).map(([lane, named, number]) => laneCredits(lane, named, number)),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(lanes, fc.constantFrom(...banks), declarations).map(([lane, bank, number]) => laneBankClear(lane, bank, number)),
  },
  { weight: 1, arbitrary: fc.constantFrom(opens, reached("window-closes", 1), reached("window-opens", 2), reached("reconciliation")) },
);
const days: fc.Arbitrary<readonly Timed[]> = fc
  .tuple(
    fc.constantFrom("clock" as const, "connector" as const, "bank" as const),
    fc.array(fc.tuple(fc.nat(15), anyFact), { minLength: 5, maxLength: 60, size: "medium" }),
  )
  .map(([declares, steps]) => {
    let atMs = 10;
    const later = steps.map(([gapMs, fact]) => [(atMs += gapMs), fact] as const);
    return [[5, planned({ creditsFinal: declares })] as const, ...later];
  });

/** The facts of a declaration below an offset: what each lane answered first, and what was called clear by then. */
function heard(steps: readonly Timed[], declaration: string, from: bigint, below: bigint) {
  const facts = steps.slice(Number(from) + 1, Number(below)).map(([, fact]) => fact);
  const answers = new Map<number, readonly string[]>();
  const clear = new Set<string>();
  for (const fact of facts) {
    if (fact.kind === "LaneCredits" && fact.declaration === declaration && fact.lane < 3 && !answers.has(fact.lane)) {
      answers.set(fact.lane, fact.banksUnresolved);
    }
    if (fact.kind === "LaneBankClear" && fact.declaration === declaration && fact.lane < 3) clear.add(`${fact.lane}/${fact.bank}`);
  }
  const isClear = (bank: string): boolean => [...answers].every(([lane, named]) => !named.includes(bank) || clear.has(`${lane}/${bank}`));
  return { isAnswered: answers.size === 3, isClear };
}

test("I8: whatever comes in whatever order, the gate of a bank opens at most once, and exactly when its declaration is answered by every lane and it is clear in each that named it", () => {
  let opened = 0;
  fc.assert(
    fc.property(days, (steps) => {
      const { day } = dayAfter(...steps);
      const told = day?.told ?? [];
      const end =
        day?.reconciledAtMs === null ? BigInt(steps.length) : (told.find(({ marker }) => marker.kind === "DayReconciled")?.offset ?? 0n);
      const declared = told.flatMap(({ marker, offset }) => (marker.kind === "CreditsDeclared" ? [{ marker, offset }] : []));
      for (const bank of banks) {
        const gates = told.filter(
          ({ marker }) => marker.kind === "GateOpened" && (marker.banks?.includes(bank) ?? !marker.except.includes(bank)),
        );
        const declaration = declared.find(({ marker }) => marker.bank === null || marker.bank === bank);
        const due = (below: bigint): boolean => {
          if (declaration === undefined) return false;
          const { isAnswered, isClear } = heard(steps, declaration.marker.id, declaration.offset, below);
          return isAnswered && isClear(bank);
        };
        expect(gates.length).toBe(due(end) ? 1 : 0);
        expect(gates.every(({ offset }) => due(offset + 1n) && !due(offset))).toBe(true);
        opened += gates.length;
      }
    }),
    { numRuns: 500 },
  );
  expect(opened).toBeGreaterThan(50);
});

test("I3: a replayed record of a day with any declarations gives its first markers again and changes nothing", () => {
  fc.assert(
    fc.property(days, (steps) => {
      const { day, outcomes } = dayAfter(...steps);
      for (const [index, first] of outcomes.entries()) {
        const [appendedAtMs, fact] = steps[index] ?? [0, opens];
        const again = decideDay(today, day, fact, { offset: BigInt(index), appendedAtMs });
        expect(again).toEqual({ decision: "replayed", reason: null, day, outputs: first.outputs });
      }
    }),
    { numRuns: 100 },
  );
});

test("the order in which lanes answer does not matter to what is open at the end", () => {
  const facts = [
    laneCredits(0, ["a", "b"]),
    laneCredits(1, ["b"]),
    laneCredits(2),
    laneBankClear(0, "a"),
    laneBankClear(0, "b"),
    laneBankClear(1, "b"),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(facts, { minLength: facts.length }), (shuffled) => {
      const { day } = dayAfter(...byConnector, ...timed(...shuffled));
      expect(day?.declarations).toMatchObject([{ lanesAwaited: [], unresolved: [], clearEarly: [] }]);
      const gates = gatesOf(day);
      const [first, ...later] = gates;
      expect(first).toMatchObject({ banks: null });
      expect(later.flatMap((gate) => gate.banks ?? []).toSorted()).toEqual(first?.except.toSorted());
    }),
    { numRuns: 100 },
  );
});
