// Properties that hold for every sequence of records, in each flow. Legal paths, windows and gates, notices and items
// are checked here by small models of their own, not by the code under test.

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
  runSteps,
  scheme,
  type SequenceStep,
  stepPosition,
  today,
  tomorrow,
  uetr,
} from "../given.fixture.ts";
import { reconciliationReasons } from "./reconciliation-reasons.ts";
import { anyFact, anyMarker, journeys, arbitrarySequence, thirdDate } from "./sequences.fixture.ts";
import {
  answerNoticesMax,
  decisionsKept,
  type Flow,
  lateAnswersKept,
  observationsKept,
  ownNoticesMax,
  type Transaction,
  transitionsMax,
} from "./transaction.ts";

const runs = { numRuns: 150 };
const flows: readonly Flow[] = ["on-us", "off-us", "credit"];

function enteredStates(transaction: Transaction | null): readonly string[] {
  return transaction?.transitions.map((entry) => entry.state) ?? [];
}

const fromHeld = "HELD HELD, HELD RELEASED, RELEASED DELIVERED, DELIVERED COMPLETED, DELIVERED UNPAID";
const rejecting = "- RECEIVED, RECEIVED ACCEPTED, RECEIVED REJECTED, REJECTED REJECTION_REPORTED";
const legal: Readonly<Record<Flow, ReadonlySet<string>>> = {
  "on-us": parsePaths(`${rejecting}, ACCEPTED REPORTED, REPORTED HELD, ${fromHeld}`, "RECEIVED ACCEPTED REJECTED HELD RELEASED DELIVERED"),
  "off-us": parsePaths(`${rejecting}, ACCEPTED HELD, ${fromHeld}`, "RECEIVED REJECTED HELD RELEASED DELIVERED"),
  credit: parsePaths(
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

/** The named paths, and RECONCILIATION from each state in `unresolved`. */
function parsePaths(paths: string, unresolved: string): ReadonlySet<string> {
  return new Set([...paths.split(/,\s+/), ...unresolved.split(" ").map((state) => `${state} RECONCILIATION`)]);
}

describe.each(flows)("%s", (flow) => {
  const sequences = arbitrarySequence(flow);

  test("I6: stage versions are gap-free from 1, one event each, and the path is a legal one [3 transitions] [D7.1] [D7.2]", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction, outcomes } = runSteps(steps);
        const states = enteredStates(transaction);
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

  test("I3: a debit or a credit leaves under one identification, however often it is repeated or redriven [D4.22]", () => {
    const letter = flow === "credit" ? "C" : "D";
    fc.assert(
      fc.property(sequences, (steps) => {
        const outputs = runSteps(steps).outcomes.flatMap((outcome) => outcome.outputs);
        const sent = outputs.flatMap((output) => (output.kind === "dispatch" && output.form.startsWith("inbound-") ? [output] : []));
        const named = sent.filter(({ form }) => form === (flow === "credit" ? "inbound-credit" : "inbound-debit"));
        expect(new Set(named.map(({ messageIdentification }) => messageIdentification)).size).toBeLessThanOrEqual(1);
        expect(named.filter(({ messageIdentification }) => !messageIdentification.endsWith(letter))).toEqual([]);
      }),
      runs,
    );
  });

  test("I5: a transaction enters at most one terminal state and never leaves it, and times never run backwards", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction } = runSteps(steps);
        expect(
          enteredStates(transaction)
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
        const { transaction, outcomes, partition } = runSteps(steps);
        for (const first of outcomes) {
          if (first.transaction === null || transaction === null) continue;
          const again = decide(uetr, transaction, first.fact, first.position, partition, digest);
          // A dead-lettered record is known by the quarantine and, once that has ended, by the last ten observations.
          const isKnown =
            first.decision === "dead-lettered" &&
            (transaction.observations.count <= observationsKept || again.decision === "dead-lettered");
          const [decision, reason] = isKnown ? [first.decision, first.reason] : ["replayed", null];
          expect(again).toEqual({ decision, reason, transaction, outputs: first.outputs });
        }
      }),
      runs,
    );
  });

  test("I3: a partition that starts again at any earlier position, from any snapshot, reaches the same transaction and outputs", () => {
    fc.assert(
      fc.property(sequences, fc.nat(27), fc.nat(27), (steps, snapshotAt, positionAt) => {
        const { transaction, outcomes, partition } = runSteps(steps);
        fc.pre(outcomes.length > 0);
        const snapshot = Math.min(snapshotAt, outcomes.length - 1);
        const position = Math.min(positionAt, snapshot);
        let again = outcomes[snapshot]?.transaction ?? null;
        for (const first of outcomes.slice(position)) {
          const outcome = decide(uetr, again, first.fact, first.position, partition, digest);
          again = outcome.transaction;
          expect(outcome.outputs).toEqual(first.outputs);
        }
        expect(again).toEqual(transaction);
      }),
      runs,
    );
  });

  test("I3: a message sent again enters no state, and a third one has no output at all [D4 repeat]", () => {
    fc.assert(
      fc.property(sequences, fc.nat(27), (steps, pick) => {
        const { outcomes, transaction } = runSteps(steps);
        const messages = outcomes.filter(({ fact, decision }) => "message" in fact && decision !== "dead-lettered");
        const repeated = messages[pick % Math.max(1, messages.length)]?.fact;
        // Reports are known by the last ten observations; an older one can count as new.
        fc.pre(repeated !== undefined && (transaction?.observations.count ?? 0) < observationsKept);
        const [once, twice] = runSteps([...steps, repeated, repeated]).outcomes.slice(-2);
        // A marker that came in between is applied with the repeat.
        const events = once?.outputs.filter((output) => output.kind === "event") ?? [];
        expect(events.filter(({ state }) => state !== "HELD" && !reconciliations.has(state))).toEqual([]);
        expect(twice?.outputs).toEqual([]);
      }),
      runs,
    );
  });

  test("I8: no release is valid outside an open window, before its bank's gate is open, or after the close [D9.15]", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        for (const { fact, position, reason, decision } of runSteps(steps).outcomes) {
          if (fact.kind !== "Release" || decision !== "applied") continue;
          expect(reason).toBeNull();
          const below = steps.filter((_, index) => stepPosition(index).offset < position.offset);
          const dayMarkers = below.filter(isMarker).filter((marker) => marker.businessDate === fact.businessDate);
          const inWindow = dayMarkers.flatMap((marker) => ("number" in marker && marker.number === fact.windowNumber ? [marker.kind] : []));
          expect(inWindow).toContain("WindowOpened");
          expect(inWindow).not.toContain("WindowClosed");
          const firstGate = dayMarkers.find((marker) => marker.kind === "GateOpened");
          expect(firstGate).toMatchObject({ except: [] });
          expect(dayMarkers.filter((marker) => marker.kind === "DayReconciled")).toEqual([]);
          expect(fact.bank).toBe(bank);
          const ofBank = below.filter(isBankMarker).filter((marker) => marker.bank === fact.bank);
          const last = ofBank.at(-1);
          const pausedUntilMs = last?.kind === "BankPaused" ? (last.untilMs ?? Number.POSITIVE_INFINITY) : 0;
          expect(pausedUntilMs).toBeLessThanOrEqual(position.appendedAtMs);
        }
      }),
      runs,
    );
  });

  test("I10: a transaction that is unresolved at its close or deadline gets exactly one item, any other gets none", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction, markers } = runSteps(withWakes(steps));
        const items = transaction?.items.filter((item) => item.settledAtMs === null && !terminal.has(item.state)) ?? [];
        const states = enteredStates(transaction);
        const isClosed = reconciliations.has(states.at(-1) ?? "");
        const day = transaction?.flow === "credit" ? `${scheme}:${transaction.businessDate}` : transaction?.reconciliationDay;
        const shown = items.map((item) => ({ day: item.day, state: item.state, isEarly: item.row === 3 }));
        const atClose = [{ day, state: states.at(-2), isEarly: items[0]?.row === 3 }];
        const early = shown.length === 0 ? [] : [{ day, state: states.at(-1), isEarly: true }];
        // Of an orphan the close shows the message that lies unread in its dead letters.
        const unread = transaction?.unreadMessage?.kind === "credit" ? "CREDIT_AUTH_RECEIVED" : "RECEIVED";
        const orphaned = shown.length === 0 ? [] : [{ day, state: unread, isEarly: false }];
        const expected = transaction?.state === "ORPHAN" ? orphaned : early;
        expect(shown).toEqual(isClosed ? atClose : expected);
        const isUnresolved = states.length > 0 && !terminal.has(states.at(-1) ?? "");
        expect(isOver(transaction, markers) && isUnresolved).toBe(false);
      }),
      runs,
    );
  });

  test("an item's reason belongs to its row", () => {
    fc.assert(
      fc.property(sequences, fc.boolean(), (given, isReceiverPaused) => {
        const blocked = { isBreakerOpen: true, isReceiverPaused };
        const steps = given.map((step) => (step.kind === "DeliveryEnded" ? { ...step, evidence: { ...step.evidence, ...blocked } } : step));
        const items = runSteps(withWakes(steps)).transaction?.items ?? [];
        const wrong = items.filter(({ row, cause }) => cause !== null && !reconciliationReasons[cause].rows.some((one) => one === row));
        expect(wrong.map(({ row, cause, state }) => `${row} ${cause} ${state}`)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("a connector gets one outcome report when its debit or credit ends, and one for a resolution; on-us there is none, and the newest is awaited until acknowledged", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction, outcomes } = runSteps(steps);
        const states = enteredStates(transaction);
        const outcomeReports = outcomes.flatMap(({ outputs }) =>
          outputs.filter((output) => output.messageIdentification.startsWith(`${hex}O`)),
        );
        const dispatched = outcomeReports.filter((output) => output.kind === "dispatch");
        const ofStates = dispatched.filter(({ form }) => form === "outcome-report");
        expect(ofStates.map(({ state }) => state)).toEqual(states.filter((state) => sendsOutcomeReport(transaction?.flow ?? null, state)));
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
        const { outcomeReport: outcome } = transaction ?? { outcomeReport: null };
        expect(outcome?.number ?? 0).toBe(dispatched.length);
        expect((outcome?.acknowledgedAtMs ?? null) !== null).toBe(isAcknowledged);
      }),
      runs,
    );
  });

  test("a detached item is open exactly while the outcome report is refused, or awaited past its time", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction, markers, outcomes } = runSteps(withWakes(steps));
        const beside = transaction?.items.filter((item) => terminal.has(item.state)) ?? [];
        expect(beside.length).toBeLessThanOrEqual(1);
        expect(beside.every((item) => item.cause === "OUTCOME_UNDELIVERED" && item.state === transaction?.state)).toBe(true);
        const { outcomeReport: outcome } = transaction ?? { outcomeReport: null };
        const isAwaited = outcome !== null && outcome.acknowledgedAtMs === null;
        const isShown = beside.some((item) => item.settledAtMs === null);
        const isReconciliation = reconciliations.has(transaction?.state ?? "");
        const isRefused = outcomes.some(({ reason, transaction: then }) => reason === "refused-by-bank" && terminal.has(then?.state ?? ""));
        // REJECTED is unresolved, so its item is not detached.
        const mayShow = isAwaited && transaction?.state !== "REJECTED" && (!isReconciliation || isRefused);
        const mustShow = isAwaited && terminal.has(transaction?.state ?? "") && !isReconciliation && isOver(transaction, markers);
        expect(isShown && !mayShow).toBe(false);
        expect(mustShow && !isShown).toBe(false);
      }),
      runs,
    );
  });

  test("I15: everything that a transaction keeps is bounded", () => {
    const many = fc.array(fc.oneof(anyFact, anyMarker), { minLength: 60, maxLength: 90 });
    fc.assert(
      fc.property(many, (steps) => {
        const { transaction } = runSteps([...journeys[flow].slice(0, 3), ...steps]);
        if (transaction === null) return;
        expect(transaction.transitions.length).toBeLessThanOrEqual(transitionsMax);
        const answers = transaction.notices.filter(({ kind }) => kind === "duplicate-refused" || kind === "report-again");
        expect(answers.length).toBeLessThanOrEqual(answerNoticesMax);
        expect(transaction.notices.length - answers.length).toBeLessThanOrEqual(ownNoticesMax);
        expect(transaction.observations.last.length).toBeLessThanOrEqual(observationsKept);
        expect(transaction.decisions.length).toBeLessThanOrEqual(decisionsKept);
        expect(transaction.items.length).toBeLessThanOrEqual(3);
        for (const item of transaction.items) expect(item.lateAnswers.length).toBeLessThanOrEqual(lateAnswersKept);
      }),
      { numRuns: 60 },
    );
  });

  test("the generator reaches every state that a transaction can rest in", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(sequences, (steps) => {
        seen.add(runSteps(steps).transaction?.state ?? "NONE");
      }),
      { numRuns: 900, seed: 3 },
    );
    const resting = [...legal[flow]].map((path) => path.split(" ")[1] ?? "").filter((state) => !passedThrough[flow].includes(state));
    const expected = new Set(resting.map((state) => (flow === "credit" ? `CREDIT_AUTH_${state}` : state)));
    expect([...expected].filter((state) => !seen.has(state))).toEqual([]);
  });
});

const passedThrough: Readonly<Record<Flow, readonly string[]>> = { "on-us": ["REPORTED"], "off-us": ["ACCEPTED"], credit: ["ACCEPTED"] };

test("a credit counts as refused only if no earlier refusal said that the bank may have accepted it", () => {
  fc.assert(
    fc.property(arbitrarySequence("credit"), (steps) => {
      const { outcomes } = runSteps(steps);
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

/** Adds every close and every deadline, appended so late that each deadline has passed. */
function withWakes(steps: readonly SequenceStep[]): readonly SequenceStep[] {
  const filler = Array.from({ length: 9 }, () => dayClosed("ZA_EFT:2000-01-01"));
  const closes = [today, tomorrow, `${scheme}:${thirdDate}`].map((day) => dayClosed(day));
  return [...steps, ...filler, ...closes, ...[2_000, 3_000, 9_000].map((atMs) => deadlinePassed(atMs))];
}

function isOver(transaction: Transaction | null, markers: ReturnType<typeof runSteps>["markers"]): boolean {
  if (transaction?.flow === "credit") return true;
  return markers.some(
    ({ marker }) => marker.kind === "DayReconciled" && `${scheme}:${marker.businessDate}` === transaction?.reconciliationDay,
  );
}

function sendsOutcomeReport(flow: Flow | null, state: string): boolean {
  if (flow === "off-us") return ["REJECTED", "COMPLETED", "UNPAID"].includes(state);
  return flow === "credit" && terminal.has(state);
}
