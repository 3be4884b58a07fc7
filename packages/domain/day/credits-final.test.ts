// The credits-final gate: docs/spec/decisions.md D9.30 to D9.42, and ADR 11.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { banksNamedMax, type Day, declarationsMax } from "./day.ts";
import { decideDay } from "./decide-day.ts";
import { readGateStatus } from "./gate-status.ts";
import type { DayFact, GateOpenedMarker } from "../fact.ts";
import {
  creditsFinal,
  date,
  dayAfter,
  markerIds,
  partitionBankClear,
  partitionCredits,
  dayPlanned,
  dayTimeReached,
  scheme,
  today,
} from "../given.fixture.ts";

type Timed = readonly [number, DayFact];

const opens = dayTimeReached("window-opens", 1);
const byConnector: readonly Timed[] = [
  [1, dayPlanned({ creditsFinal: "connector" })],
  [10, creditsFinal()],
];
const byBank: readonly Timed[] = [[1, dayPlanned({ creditsFinal: "bank" })]];

function timed(...facts: readonly DayFact[]): readonly Timed[] {
  return facts.map((fact, index) => [20 + index, fact]);
}

function gatesOpened(day: Day | null): readonly GateOpenedMarker[] {
  return (day?.markers ?? []).flatMap(({ marker }) => (marker.kind === "GateOpened" ? [marker] : []));
}

test("a connector declares for all banks, before or inside a window, and the marker shows it [D9 credits-final-gate]", () => {
  const { outcomes, day } = dayAfter(...byConnector, [100, opens]);
  expect(outcomes.map(markerIds)).toEqual([["DayTimes:1"], ["CreditsDeclared:1"], ["WindowOpened:1"]]);
  expect(outcomes[1]?.outputs).toMatchObject([
    {
      alsoToDispatch: false,
      marker: { kind: "CreditsDeclared", number: 1, bank: null, declaredBy: "connector", scheme, businessDate: date },
    },
  ]);
  expect(day?.declarations).toMatchObject([{ id: `${today}:CreditsDeclared:1`, bank: null, partitionsAwaited: [0, 1, 2] }]);
});

test("each bank declares for itself with a declaration of its own; a repeat declares nothing [D9 repeat]", () => {
  const { outcomes, day } = dayAfter(...byBank, ...timed(creditsFinal("a"), creditsFinal("b"), creditsFinal("a")));
  expect(outcomes.map(markerIds)).toEqual([["DayTimes:1"], ["CreditsDeclared:1"], ["CreditsDeclared:2"], []]);
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
] as const)("if the $declares declares by the plan, the request of another is refused", ({ declares, fact }) => {
  const { outcomes } = dayAfter([1, dayPlanned({ creditsFinal: declares })], [10, fact]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "other-declares", outputs: [] });
});

test("a request is refused for a day that is not planned, has no window or is reconciled", () => {
  expect(dayAfter([10, creditsFinal()]).outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "not-planned" });
  const empty = dayAfter([1, dayPlanned({ creditsFinal: "connector", windows: [] })], [10, creditsFinal()]);
  expect(empty.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "no-such-window", outputs: [] });
  const over = dayAfter([1, dayPlanned({ creditsFinal: "connector" })], [500, dayTimeReached("reconciliation")], [501, creditsFinal()]);
  expect(over.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "day-over", outputs: [] });
});

test("the clock declares credits final once, at the first opening, and at no opening if another declares", () => {
  expect(markerIds(dayAfter([1, dayPlanned()], [100, opens]).outcomes.at(-1))).toEqual(["WindowOpened:1", "CreditsDeclared:1"]);
  expect(dayAfter([1, dayPlanned()], [100, opens]).day?.markers.at(-1)?.marker).toMatchObject({ declaredBy: "clock", bank: null });
  for (const declares of ["bank", "connector"] as const) {
    expect(markerIds(dayAfter([1, dayPlanned({ creditsFinal: declares })], [100, opens]).outcomes.at(-1))).toEqual(["WindowOpened:1"]);
  }
});

test("I8: once every partition has answered a declaration, the gate opens for all banks except those that were named", () => {
  const { outcomes, day } = dayAfter(
    ...byConnector,
    ...timed(partitionCredits(0, ["b", "c"]), partitionCredits(1, ["a"]), partitionCredits(2)),
  );
  expect(outcomes.slice(2).map(markerIds)).toEqual([[], [], ["GateOpened:1"]]);
  expect(outcomes.at(-1)?.outputs).toMatchObject([{ marker: { kind: "GateOpened", banks: null, except: ["a", "b", "c"] } }]);
  expect(day?.isGateOpen).toBe(true);
});

test("I8: while a partition names a credit that nobody has read, no gate opens by a declaration; an operator opens one [D9 unread-credit]", () => {
  const answered = timed(partitionCredits(0, ["*"]), partitionCredits(1, ["b"]), partitionCredits(2));
  const blocked = dayAfter(...byConnector, ...answered);
  expect(blocked.outcomes.slice(2).flatMap(markerIds)).toEqual([]);
  for (const bank of ["a", "b"]) expect(readGateStatus(blocked.day!, bank)).toMatchObject({ kind: "credits-unresolved" });
  const cleared = dayAfter(...byConnector, ...answered, [60, partitionBankClear(0, "*")], [70, partitionBankClear(1, "b")]);
  expect(cleared.outcomes.slice(-2).map((outcome) => outcome.outputs)).toMatchObject([
    [{ marker: { kind: "GateOpened", banks: null, except: ["b"] } }],
    [{ marker: { kind: "GateOpened", banks: ["b"] } }],
  ]);
  const bankFirst = dayAfter(...byConnector, ...answered, [60, partitionBankClear(1, "b")], [70, partitionBankClear(0, "*")]);
  expect(bankFirst.outcomes.slice(-2).map((outcome) => outcome.outputs)).toMatchObject([[], [{ marker: { banks: null, except: [] } }]]);
});

test("I8: a credit that nobody has read keeps the gate of a bank closed that declares for itself, and it waits for all partitions", () => {
  const { outcomes } = dayAfter(
    ...byBank,
    ...timed(creditsFinal("a"), partitionCredits(0, ["*"]), partitionBankClear(0, "*"), partitionCredits(1), partitionCredits(2, ["*"])),
    [60, partitionBankClear(2, "*")],
  );
  expect(outcomes.slice(-5).flatMap(markerIds)).toEqual(["GateOpened:1"]);
  expect(outcomes.at(-1)?.outputs).toMatchObject([{ marker: { banks: ["a"] } }]);
});

test("I8: the gate of a named bank opens alone, when each partition that named it has called it clear", () => {
  const { outcomes } = dayAfter(
    ...byConnector,
    ...timed(
      partitionCredits(0, ["b"]),
      partitionCredits(1, ["b", "c"]),
      partitionCredits(2),
      partitionBankClear(0, "b"),
      partitionBankClear(1, "b"),
      partitionBankClear(1, "c"),
    ),
  );
  expect(outcomes.slice(4).map(markerIds)).toEqual([["GateOpened:1"], [], ["GateOpened:2"], ["GateOpened:3"]]);
  expect(outcomes.slice(6).map((outcome) => outcome.outputs)).toMatchObject([
    [{ marker: { banks: ["b"], except: [] } }],
    [{ marker: { banks: ["c"], except: [] } }],
  ]);
});

test("I8: a bank that is clear before the last partition has answered is not excepted, and its gate does not open twice", () => {
  const { outcomes } = dayAfter(
    ...byConnector,
    ...timed(partitionCredits(0, ["b"]), partitionBankClear(0, "b"), partitionCredits(1), partitionCredits(2), partitionBankClear(0, "b")),
  );
  expect(outcomes.slice(2).map(markerIds)).toEqual([[], [], [], ["GateOpened:1"], []]);
  expect(outcomes[5]?.outputs).toMatchObject([{ marker: { banks: null, except: [] } }]);
  expect(outcomes.at(-1)).toMatchObject({ decision: "ignored", reason: "bank-clear" });
});

test("a bank that a partition called clear stays clear there, also if that comes before the partition's answer", () => {
  const facts = timed(partitionBankClear(0, "b"), partitionCredits(0, ["b", "c"]), partitionCredits(1, ["b"]), partitionCredits(2));
  const { outcomes, day } = dayAfter(...byConnector, ...facts);
  expect(outcomes.at(-1)?.outputs).toMatchObject([{ marker: { except: ["b", "c"] } }]);
  expect(day?.declarations).toMatchObject([
    {
      partitionsAwaited: [],
      unresolved: [
        { bank: "b", partitions: [1] },
        { bank: "c", partitions: [0] },
      ],
      clearEarly: [],
    },
  ]);
  const cleared = dayAfter(...byConnector, ...facts, [30, partitionBankClear(1, "b")]);
  expect(markerIds(cleared.outcomes.at(-1))).toEqual(["GateOpened:2"]);
});

test("I8: by a declaration for one bank its gate alone opens, once every partition has answered and each that named it has called it clear", () => {
  const clear = dayAfter(...byBank, ...timed(creditsFinal("a"), partitionCredits(0), partitionCredits(1), partitionCredits(2)));
  expect(clear.outcomes.at(-1)?.outputs).toMatchObject([{ marker: { banks: ["a"], except: [] } }]);
  const named = dayAfter(
    ...byBank,
    ...timed(
      creditsFinal("a"),
      partitionCredits(0, ["a"]),
      partitionCredits(1),
      partitionCredits(2, ["a"]),
      partitionBankClear(0, "a"),
      partitionBankClear(2, "a"),
    ),
  );
  expect(named.outcomes.slice(2).map(markerIds)).toEqual([[], [], [], [], ["GateOpened:1"]]);
  expect(named.outcomes.at(-1)?.outputs).toMatchObject([{ marker: { banks: ["a"], except: [] } }]);
});

test("an answer about another bank than the declaration's changes nothing", () => {
  const { outcomes } = dayAfter(
    ...byBank,
    ...timed(creditsFinal("a"), partitionBankClear(0, "b"), partitionCredits(0, ["b"]), partitionCredits(1), partitionCredits(2)),
  );
  expect(outcomes[2]).toMatchObject({ decision: "ignored", reason: "bank-clear" });
  expect(outcomes.at(-1)?.outputs).toMatchObject([{ marker: { banks: ["a"] } }]);
});

test("I8: each declaration is answered separately", () => {
  const steps = timed(
    creditsFinal("a"),
    creditsFinal("b"),
    partitionCredits(0, [], 1),
    partitionCredits(1, [], 2),
    partitionCredits(2, [], 1),
    partitionCredits(1, [], 1),
  );
  const { day } = dayAfter(...byBank, ...steps);
  expect(gatesOpened(day)).toMatchObject([{ banks: ["a"] }]);
  expect(day?.declarations.map(({ partitionsAwaited }) => partitionsAwaited)).toEqual([[], [0, 2]]);
});

test("I8: a partition's answer counts once; that of an unknown partition, or to an unknown declaration, does not count", () => {
  const base = [...byConnector, ...timed(partitionCredits(0), partitionCredits(1))];
  expect(dayAfter(...base, [30, partitionCredits(1)]).outcomes.at(-1)).toMatchObject({
    decision: "ignored",
    reason: "partition-counted",
    outputs: [],
  });
  for (const fact of [partitionCredits(3), partitionCredits(-1), partitionBankClear(3, "a")]) {
    expect(dayAfter(...base, [30, fact]).outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "no-such-partition", outputs: [] });
  }
  for (const fact of [partitionCredits(2, [], 2), partitionBankClear(2, "a", 2)]) {
    expect(dayAfter(...base, [30, fact]).outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "not-declared", outputs: [] });
  }
});

test("after the reconciliation close no gate opens", () => {
  const base: readonly Timed[] = [
    ...byConnector,
    ...timed(partitionCredits(0, ["a"]), partitionCredits(1)),
    [500, dayTimeReached("reconciliation")],
  ];
  for (const fact of [partitionCredits(2), partitionBankClear(0, "a")]) {
    const { outcomes, day } = dayAfter(...base, [501, fact]);
    expect(outcomes.at(-1)).toMatchObject({ decision: "ignored", reason: "day-over", outputs: [] });
    expect(gatesOpened(day)).toEqual([]);
  }
});

test("I15: declarations, and the banks that answers to one name, are bounded; beyond the bound the gate stays closed", () => {
  const requests = Array.from({ length: declarationsMax + 1 }, (_, index) => creditsFinal(`bank-${index}`));
  const many = dayAfter(...byBank, ...timed(...requests));
  expect(many.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "too-many-declarations", outputs: [] });
  expect(many.day?.declarations).toHaveLength(declarationsMax);
  const banks = Array.from({ length: banksNamedMax + 1 }, (_, index) => `bank-${index}`);
  const named = dayAfter(
    ...byConnector,
    ...timed(partitionCredits(0, banks.slice(1)), partitionCredits(1, banks.slice(0, 1)), partitionCredits(2)),
  );
  expect(named.outcomes.map(({ reason }) => reason)).toEqual([null, null, null, "too-many-banks", null]);
  expect(gatesOpened(named.day)).toEqual([]);
  const early = dayAfter(...byConnector, ...timed(...banks.map((bank) => partitionBankClear(0, bank))));
  expect(early.outcomes.at(-1)).toMatchObject({ decision: "refused", reason: "too-many-banks" });
  expect(early.day?.declarations[0]?.clearEarly).toHaveLength(banksNamedMax);
});

// ---- any interleaving

const banks = ["a", "b", "c"];
const partitions = fc.nat(3);
const declarations = fc.constantFrom(1, 1, 2, 3);
const anyFact: fc.Arbitrary<DayFact> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(null, ...banks).map(creditsFinal) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(partitions, fc.subarray(banks), declarations)
      .map(([partition, named, number]) => partitionCredits(partition, named, number)),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(partitions, fc.constantFrom(...banks), declarations)
      .map(([partition, bank, number]) => partitionBankClear(partition, bank, number)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      opens,
      dayTimeReached("window-closes", 1),
      dayTimeReached("window-opens", 2),
      dayTimeReached("reconciliation"),
    ),
  },
);
const days: fc.Arbitrary<readonly Timed[]> = fc
  .tuple(
    fc.constantFrom("clock" as const, "connector" as const, "bank" as const),
    fc.array(fc.tuple(fc.nat(15), anyFact), { minLength: 5, maxLength: 60, size: "medium" }),
  )
  .map(([declares, steps]) => {
    let atMs = 10;
    const later = steps.map(([gapMs, fact]) => [(atMs += gapMs), fact] as const);
    return [[5, dayPlanned({ creditsFinal: declares })] as const, ...later];
  });

/**
 * The facts of a declaration below an offset: the first answer of each partition, and the banks called clear by then.
 */
function answersBelow(steps: readonly Timed[], declaration: string, from: bigint, below: bigint) {
  const facts = steps.slice(Number(from) + 1, Number(below)).map(([, fact]) => fact);
  const answers = new Map<number, readonly string[]>();
  const clear = new Set<string>();
  for (const fact of facts) {
    if (fact.kind === "PartitionCredits" && fact.declaration === declaration && fact.partition < 3 && !answers.has(fact.partition)) {
      answers.set(fact.partition, fact.banksUnresolved);
    }
    if (fact.kind === "PartitionBankClear" && fact.declaration === declaration && fact.partition < 3)
      clear.add(`${fact.partition}/${fact.bank}`);
  }
  const isClear = (bank: string): boolean =>
    [...answers].every(([partition, named]) => !named.includes(bank) || clear.has(`${partition}/${bank}`));
  return { isAnswered: answers.size === 3, isClear };
}

test("I8: in any order of facts the gate of a bank opens at most once, and exactly when every partition has answered its declaration and each that named it has called it clear", () => {
  let opened = 0;
  fc.assert(
    fc.property(days, (steps) => {
      const { day } = dayAfter(...steps);
      const markers = day?.markers ?? [];
      const end =
        day?.reconciledAtMs === null ? BigInt(steps.length) : (markers.find(({ marker }) => marker.kind === "DayReconciled")?.offset ?? 0n);
      const declared = markers.flatMap(({ marker, offset }) => (marker.kind === "CreditsDeclared" ? [{ marker, offset }] : []));
      for (const bank of banks) {
        const gates = markers.filter(
          ({ marker }) => marker.kind === "GateOpened" && (marker.banks?.includes(bank) ?? !marker.except.includes(bank)),
        );
        const declaration = declared.find(({ marker }) => marker.bank === null || marker.bank === bank);
        const due = (below: bigint): boolean => {
          if (declaration === undefined) return false;
          const { isAnswered, isClear } = answersBelow(steps, declaration.marker.id, declaration.offset, below);
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

test("the order in which partitions answer does not change which gates are open at the end", () => {
  const facts = [
    partitionCredits(0, ["a", "b"]),
    partitionCredits(1, ["b"]),
    partitionCredits(2),
    partitionBankClear(0, "a"),
    partitionBankClear(0, "b"),
    partitionBankClear(1, "b"),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(facts, { minLength: facts.length }), (shuffled) => {
      const { day } = dayAfter(...byConnector, ...timed(...shuffled));
      expect(day?.declarations).toMatchObject([{ partitionsAwaited: [], unresolved: [], clearEarly: [] }]);
      const gates = gatesOpened(day);
      const [first, ...later] = gates;
      expect(first).toMatchObject({ banks: null });
      expect(later.flatMap((gate) => gate.banks ?? []).toSorted()).toEqual(first?.except.toSorted());
    }),
    { numRuns: 100 },
  );
});
