// What holds for every sequence of records, in each flow. Legal paths, windows and gates, what is told and what becomes an item are judged
// here by their own small models, not by the code under test.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide } from "./decide.ts";
import {
  bank,
  dayClosed,
  deadlinePassed,
  digest,
  hex,
  isBankMarker,
  isMarker,
  placeOf,
  scheme,
  tellAll,
  today,
  tomorrow,
  uetr,
} from "./given.ts";
import type { Step } from "./given.ts";
import { anyFact, anyMarker, journeys, sequencesOf, thirdDate } from "./given-sequences.ts";
import { answersToldMax, decisionsKept, lateAnswersKept, remarksKept, toldMax, transitionsMax } from "./transaction.ts";
import type { Flow, Transaction } from "./transaction.ts";

const runs = { numRuns: 150 };
const flows: readonly Flow[] = ["on-us", "off-us", "credit"];

function statesOf(transaction: Transaction | null): readonly string[] {
  return transaction?.transitions.map((entry) => entry.state) ?? [];
}

const fromHeld = "HELD HELD, HELD RELEASED, RELEASED DELIVERED, DELIVERED COMPLETED, DELIVERED UNPAID";
const rejecting = "- RECEIVED, RECEIVED ACCEPTED, RECEIVED REJECTED, REJECTED REJECTION_REPORTED";
const legal: Readonly<Record<Flow, ReadonlySet<string>>> = {
  "on-us": pathsOf(`${rejecting}, ACCEPTED REPORTED, REPORTED HELD, ${fromHeld}`, "RECEIVED ACCEPTED REJECTED HELD RELEASED DELIVERED"),
  "off-us": pathsOf(`${rejecting}, ACCEPTED HELD, ${fromHeld}`, "RECEIVED REJECTED HELD RELEASED DELIVERED"),
  credit: pathsOf(
    `- RECEIVED, RECEIVED ACCEPTED, RECEIVED REJECTED, ACCEPTED DELIVERY_PENDING, DELIVERY_PENDING DELIVERED,
     DELIVERY_PENDING DELIVERY_FAILURE, DELIVERED RESPONSE_ACCEPTED`,
    "RECEIVED DELIVERY_PENDING DELIVERED",
  ),
};
const reconciliations = new Set(["RECONCILIATION", "CREDIT_AUTH_RECONCILIATION"]);
const terminal = new Set([
  "REJECTION_REPORTED",
  "COMPLETED",
  "UNPAID",
  "RECONCILIATION",
  "CREDIT_AUTH_REJECTED",
  "CREDIT_AUTH_RESPONSE_ACCEPTED",
  "CREDIT_AUTH_DELIVERY_FAILURE",
  "CREDIT_AUTH_RECONCILIATION",
]);

/** Those named, and RECONCILIATION from each of `unresolved`. */
function pathsOf(paths: string, unresolved: string): ReadonlySet<string> {
  return new Set([...paths.split(/,\s+/), ...unresolved.split(" ").map((state) => `${state} RECONCILIATION`)]);
}

describe.each(flows)("%s", (flow) => {
  const sequences = sequencesOf(flow);

  test("I6: stage versions are gap-free from 1, one event each, and the path is a legal one [3 transitions]", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction, outcomes } = tellAll(steps);
        const states = statesOf(transaction);
        expect(transaction?.transitions.map((entry) => entry.stageVersion) ?? []).toEqual(states.map((_, index) => index + 1));
        const names = states.map((state) => state.replace("CREDIT_AUTH_", ""));
        const paths = legal[transaction?.flow ?? flow];
        expect(names.filter((state, index) => !paths.has(`${names[index - 1] ?? "-"} ${state}`))).toEqual([]);
        const events = outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "event"));
        expect(events.map((event) => [event.stageVersion, event.state])).toEqual(states.map((state, index) => [index + 1, state]));
        expect(events.every((event) => event.flow === transaction?.flow)).toBe(true);
      }),
      runs,
    );
  });

  test("I5: at most one terminal state, and nothing leaves it; times never run backwards", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction } = tellAll(steps);
        expect(
          statesOf(transaction)
            .slice(0, -1)
            .filter((state) => terminal.has(state)),
        ).toEqual([]);
        const times = transaction?.transitions.map((entry) => entry.atMs) ?? [];
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }),
      runs,
    );
  });

  test("I3: a replayed record gives its first outputs again and changes nothing, at every later moment", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction, outcomes, lane } = tellAll(steps);
        for (const first of outcomes) {
          if (first.transaction === null || transaction === null) continue;
          const again = decide(uetr, transaction, first.fact, first.place, lane, digest);
          // A record put aside is known by the mark and, once that is gone, by the last ten remarks.
          const isKnown = first.decision === "put-aside" && (transaction.remarks.count <= remarksKept || again.decision === "put-aside");
          const [decision, reason] = isKnown ? [first.decision, first.reason] : ["replayed", null];
          expect(again).toEqual({ decision, reason, transaction, outputs: first.outputs });
        }
      }),
      runs,
    );
  });

  test("I3: a lane that starts again at any earlier position, from any snapshot, comes to the same transaction and outputs", () => {
    fc.assert(
      fc.property(sequences, fc.nat(27), fc.nat(27), (steps, snapshotAt, positionAt) => {
        const { transaction, outcomes, lane } = tellAll(steps);
        fc.pre(outcomes.length > 0);
        const snapshot = Math.min(snapshotAt, outcomes.length - 1);
        const position = Math.min(positionAt, snapshot);
        let again = outcomes[snapshot]?.transaction ?? null;
        for (const first of outcomes.slice(position)) {
          const outcome = decide(uetr, again, first.fact, first.place, lane, digest);
          again = outcome.transaction;
          expect(outcome.outputs).toEqual(first.outputs);
        }
        expect(again).toEqual(transaction);
      }),
      runs,
    );
  });

  test("I3: a message sent again enters no state, and sent once more it has no output at all [D4 repeat]", () => {
    fc.assert(
      fc.property(sequences, fc.nat(27), (steps, pick) => {
        const { outcomes, transaction } = tellAll(steps);
        const messages = outcomes.filter(({ fact, decision }) => "message" in fact && decision !== "put-aside");
        const repeated = messages[pick % Math.max(1, messages.length)]?.fact;
        // Reports are known by the last ten remarks; what is older can be taken for new.
        fc.pre(repeated !== undefined && (transaction?.remarks.count ?? 0) < remarksKept);
        const [once, twice] = tellAll([...steps, repeated, repeated]).outcomes.slice(-2);
        // A marker that the lane passed meanwhile is taken in the repeat's turn.
        const events = once?.outputs.filter((output) => output.kind === "event") ?? [];
        expect(events.filter(({ state }) => state !== "HELD" && !reconciliations.has(state))).toEqual([]);
        expect(twice?.outputs).toEqual([]);
      }),
      runs,
    );
  });

  test("I8: no release stands outside an open window, before its bank's gate is open, or after the close", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        for (const { fact, place, reason, decision } of tellAll(steps).outcomes) {
          if (fact.kind !== "Release" || decision !== "applied") continue;
          expect(reason).toBeNull();
          const below = steps.filter((_, index) => placeOf(index).offset < place.offset);
          const passed = below.filter(isMarker).filter((marker) => marker.businessDate === fact.businessDate);
          const inWindow = passed.flatMap((marker) => ("number" in marker && marker.number === fact.windowNumber ? [marker.kind] : []));
          expect(inWindow).toContain("WindowOpened");
          expect(inWindow).not.toContain("WindowClosed");
          const firstGate = passed.find((marker) => marker.kind === "GateOpened");
          expect(firstGate).toMatchObject({ except: [] });
          expect(passed.filter((marker) => marker.kind === "DayReconciled")).toEqual([]);
          expect(fact.bank).toBe(bank);
          const ofBank = below.filter(isBankMarker).filter((marker) => marker.bank === fact.bank);
          const last = ofBank.at(-1);
          const pausedUntilMs = last?.kind === "BankPaused" ? (last.untilMs ?? Number.POSITIVE_INFINITY) : 0;
          expect(pausedUntilMs).toBeLessThanOrEqual(place.appendedAtMs);
        }
      }),
      runs,
    );
  });

  test("I10: what is unresolved at its close or deadline gets exactly one item, what is not gets none", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction, markers } = tellAll(woken(steps));
        const items = transaction?.items.filter((item) => item.settledAtMs === null && !terminal.has(item.state)) ?? [];
        const states = statesOf(transaction);
        const isClosed = reconciliations.has(states.at(-1) ?? "");
        const day = transaction?.flow === "credit" ? `${scheme}:${transaction.businessDate}` : transaction?.closesWith;
        const shown = items.map((item) => ({ day: item.day, state: item.state, isEarly: item.row === 3 }));
        const atClose = [{ day, state: states.at(-2), isEarly: items[0]?.row === 3 }];
        const early = shown.length === 0 ? [] : [{ day, state: states.at(-1), isEarly: true }];
        expect(shown).toEqual(isClosed ? atClose : early);
        const isUnresolved = states.length > 0 && !terminal.has(states.at(-1) ?? "");
        expect(isOver(transaction, markers) && isUnresolved).toBe(false);
      }),
      runs,
    );
  });

  test("the connector is told one outcome when its debit or credit ends, and what people found; on-us nobody is; the newest is awaited until acknowledged", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction, outcomes } = tellAll(steps);
        const states = statesOf(transaction);
        const told = outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.messageIdentification.startsWith(`${hex}O`)));
        const dispatched = told.filter((output) => output.kind === "dispatch");
        const ofStates = dispatched.filter(({ form }) => form === "outcome-report");
        expect(ofStates.map(({ state }) => state)).toEqual(states.filter((state) => isTold(transaction?.flow ?? null, state)));
        const ofPeople = dispatched.slice(ofStates.length);
        const found = transaction?.items.filter((item) => item.resolution?.isFinal === true && !terminal.has(item.state)) ?? [];
        expect(ofPeople.map(({ resolution }) => resolution)).toEqual(
          transaction?.flow === "on-us" ? [] : found.map(({ resolution }) => resolution?.kind),
        );
        expect(dispatched.map(({ messageIdentification }) => messageIdentification)).toEqual(
          dispatched.map((_, index) => `${hex}O${index + 1}`),
        );
        expect(dispatched.every(({ receiver }) => receiver === transaction?.message?.sender)).toBe(true);
        const newest = dispatched.at(-1);
        const isAcknowledged = outcomes.some(
          ({ fact }, index) =>
            fact.kind === "DeliveryEnded" &&
            fact.messageIdentification === newest?.messageIdentification &&
            fact.outcome === "acknowledged" &&
            outcomes.slice(0, index).some(({ outputs }) => outputs.some((output) => output === newest)),
        );
        const { outcome } = transaction ?? { outcome: null };
        expect(outcome?.number ?? 0).toBe(dispatched.length);
        expect((outcome?.acknowledgedAtMs ?? null) !== null).toBe(isAcknowledged);
      }),
      runs,
    );
  });

  test("an item stands beside an ended state exactly while its outcome is refused, or is awaited past its time", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction, markers, outcomes } = tellAll(woken(steps));
        const beside = transaction?.items.filter((item) => terminal.has(item.state)) ?? [];
        expect(beside.length).toBeLessThanOrEqual(1);
        expect(beside.every((item) => item.cause === "OUTCOME_UNDELIVERED" && item.state === transaction?.state)).toBe(true);
        const { outcome } = transaction ?? { outcome: null };
        const isAwaited = outcome !== null && outcome.acknowledgedAtMs === null;
        const isShown = beside.some((item) => item.settledAtMs === null);
        const isReconciliation = reconciliations.has(transaction?.state ?? "");
        const isRefused = outcomes.some(({ reason, transaction: then }) => reason === "refused-by-bank" && terminal.has(then?.state ?? ""));
        // REJECTED is unresolved: its item is the state's own.
        const mayShow = isAwaited && transaction?.state !== "REJECTED" && (!isReconciliation || isRefused);
        const mustShow = isAwaited && terminal.has(transaction?.state ?? "") && !isReconciliation && isOver(transaction, markers);
        expect(isShown && !mayShow).toBe(false);
        expect(mustShow && !isShown).toBe(false);
      }),
      runs,
    );
  });

  test("I15: everything a transaction keeps is bounded", () => {
    const many = fc.array(fc.oneof(anyFact, anyMarker), { minLength: 60, maxLength: 90 });
    fc.assert(
      fc.property(many, (steps) => {
        const { transaction } = tellAll([...journeys[flow].slice(0, 3), ...steps]);
        if (transaction === null) return;
        expect(transaction.transitions.length).toBeLessThanOrEqual(transitionsMax);
        expect(transaction.told.length).toBeLessThanOrEqual(toldMax);
        const answers = transaction.told.filter(({ kind }) => kind === "duplicate-refused" || kind === "report-again");
        expect(answers.length).toBeLessThanOrEqual(answersToldMax);
        expect(transaction.remarks.last.length).toBeLessThanOrEqual(remarksKept);
        expect(transaction.decisions.length).toBeLessThanOrEqual(decisionsKept);
        expect(transaction.items.length).toBeLessThanOrEqual(3);
        for (const item of transaction.items) expect(item.lateAnswers.length).toBeLessThanOrEqual(lateAnswersKept);
      }),
      { numRuns: 60 },
    );
  });

  test("the generator reaches every state that rests, so that these properties are about something", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(sequences, (steps) => {
        seen.add(tellAll(steps).transaction?.state ?? "NONE");
      }),
      { numRuns: 900, seed: 3 },
    );
    const resting = [...legal[flow]].map((path) => path.split(" ")[1] ?? "").filter((state) => !passedThrough[flow].includes(state));
    const expected = new Set(resting.map((state) => (flow === "credit" ? `CREDIT_AUTH_${state}` : state)));
    expect([...expected].filter((state) => !seen.has(state))).toEqual([]);
  });
});

const passedThrough: Readonly<Record<Flow, readonly string[]>> = { "on-us": ["REPORTED"], "off-us": ["ACCEPTED"], credit: ["ACCEPTED"] };

test("a credit counts as refused only if no refusal before said that it may have been taken", () => {
  fc.assert(
    fc.property(sequencesOf("credit"), (steps) => {
      const { outcomes } = tellAll(steps);
      const failed = outcomes.findIndex(({ outputs }) => outputs.some(isFailure));
      const pending = outcomes.findIndex(({ transaction }) => transaction?.state === "CREDIT_AUTH_DELIVERY_PENDING");
      const refusals = failed === -1 ? [] : outcomes.slice(pending + 1, failed + 1).map(({ fact }) => fact);
      const doubtful = refusals.filter(
        (fact) =>
          fact.kind === "DeliveryEnded" &&
          fact.messageIdentification === `${hex}C` &&
          fact.outcome === "refused" &&
          fact.evidence.mayHaveBeenTaken,
      );
      expect(doubtful).toEqual([]);
    }),
    runs,
  );
});

function isFailure(output: object): boolean {
  return "state" in output && output.state === "CREDIT_AUTH_DELIVERY_FAILURE";
}

/** After every close, and every deadline, has woken it. Appended so late that each deadline has passed. */
function woken(steps: readonly Step[]): readonly Step[] {
  const filler = Array.from({ length: 9 }, () => dayClosed("ZA_EFT:2000-01-01"));
  const closes = [today, tomorrow, `${scheme}:${thirdDate}`].map((day) => dayClosed(day));
  return [...steps, ...filler, ...closes, ...[2_000, 3_000, 9_000].map((atMs) => deadlinePassed(atMs))];
}

function isOver(transaction: Transaction | null, markers: ReturnType<typeof tellAll>["markers"]): boolean {
  if (transaction?.flow === "credit") return true;
  return markers.some(({ marker }) => marker.kind === "DayReconciled" && `${scheme}:${marker.businessDate}` === transaction?.closesWith);
}

function isTold(flow: Flow | null, state: string): boolean {
  if (flow === "off-us") return ["REJECTED", "COMPLETED", "UNPAID"].includes(state);
  return flow === "credit" && terminal.has(state);
}
