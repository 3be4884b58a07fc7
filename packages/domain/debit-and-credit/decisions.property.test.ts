// Properties of operators' requests, carry-overs and dead letters that hold for every sequence of records, in each
// flow. As in `decide.property.test.ts` the records themselves say what is right, not the code under test.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { heldSteps, isMarker, offUsHeld, runSteps, type SequenceStep, stepPosition } from "../given.fixture.ts";
import { withdrawal } from "./decisions.fixture.ts";
import { anyDecision, anyFact, anyMarker, arbitraryDecidedSequence, journeys, arbitrarySequence } from "./sequences.fixture.ts";
import { findActionUse } from "../used-actions.ts";
import { decisionsKept, type Flow, type Transaction, transitionsMax } from "./transaction.ts";

const runs = { numRuns: 100 };
const flows: readonly Flow[] = ["on-us", "off-us", "credit"];

/** The results of operators' facts, each with the transaction before it. */
function findRequests(steps: readonly SequenceStep[]) {
  const { outcomes } = runSteps(steps);
  return outcomes.map((outcome, index) => ({ ...outcome, before: outcomes[index - 1]?.transaction ?? null }));
}

function finalResolutions(transaction: Transaction | null) {
  return transaction?.items.filter(({ resolution }) => resolution?.isFinal === true).map(({ resolution }) => resolution) ?? [];
}

describe.each(flows)("%s", (flow) => {
  const sequences = arbitrarySequence(flow);
  const decided = fc.oneof(arbitraryDecidedSequence(flow), sequences);

  test("I3: an action counts once, by its id, with one note; a second one changes only the count of records", () => {
    fc.assert(
      fc.property(decided, (steps) => {
        for (const { fact, before, transaction, decision, reason, position } of findRequests(steps)) {
          if (!("action" in fact) || before === null) continue;
          const isKnown = findActionUse(before.usedActions, fact.action) === "already-decided";
          expect(reason === "already-decided").toBe(isKnown);
          const why = decision === "applied" ? null : reason;
          const note = {
            offset: position.offset,
            atMs: position.appendedAtMs,
            kind: fact.kind,
            action: fact.action,
            result: decision,
            why,
          };
          expect(transaction?.decisions).toEqual(isKnown ? before.decisions : [...before.decisions, note].slice(-decisionsKept));
          expect(isKnown && decision !== "ignored").toBe(false);
        }
      }),
      runs,
    );
  });

  test("a refused or ignored request changes nothing else, if no marker is applied with it", () => {
    fc.assert(
      fc.property(decided, (steps) => {
        for (const { fact, before, transaction, decision, outputs } of findRequests(steps)) {
          const isTurned = outputs.some((output) => output.kind === "event") || before?.items.length !== transaction?.items.length;
          if (!("action" in fact) || before === null || decision === "applied" || isTurned) continue;
          expect(outputs).toEqual([]);
          expect({ ...transaction, version: 0, applied: 0n, decisions: [], usedActions: [] }).toEqual({
            ...before,
            version: 0,
            applied: 0n,
            decisions: [],
            usedActions: [],
          });
        }
      }),
      runs,
    );
  });

  test("I5: a final resolution never changes, and a proposed one takes two people", () => {
    fc.assert(
      fc.property(decided, (steps) => {
        for (const { before, transaction } of findRequests(steps)) {
          const now = finalResolutions(transaction);
          for (const earlier of finalResolutions(before)) expect(now).toContainEqual(earlier);
          const alone = now.filter((resolution) => resolution?.confirmed?.action.operator === resolution?.action.operator);
          expect(alone).toEqual([]);
        }
      }),
      runs,
    );
  });

  test("I6: a debit is held again only by the last close of its date, as often as the verdict allows, or by a void date, and with the next date", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction } = runSteps(steps);
        const transitions = transaction?.transitions ?? [];
        const markers = steps.flatMap((step, index) => (isMarker(step) ? [{ marker: step, ...stepPosition(index) }] : []));
        const again = transitions.filter(({ state }, index) => state === "HELD" && transitions[index - 1]?.state === "HELD");
        const causes = again.map((entry) => {
          const { businessDate } = transitions[entry.stageVersion - 2] ?? {};
          const cause = markers.find(({ offset }) => offset === entry.markerOffset)?.marker;
          const isCause = cause?.kind === "DayVoid" || (cause?.kind === "WindowClosed" && cause.isLast);
          expect([isCause, cause?.businessDate]).toEqual([true, businessDate]);
          if (cause?.kind !== "DayVoid" && cause?.kind !== "WindowClosed") return null;
          expect([entry.businessDate, entry.reconciliationDay]).toEqual([
            cause.nextBusinessDate,
            `${cause.scheme}:${cause.nextBusinessDate}`,
          ]);
          return cause.kind;
        });
        const byClose = causes.lastIndexOf("WindowClosed");
        expect(byClose + 1).toBeLessThanOrEqual(transaction?.carryOversMax ?? 0);
        expect(transitions.length).toBeLessThanOrEqual(transitionsMax);
      }),
      runs,
    );
  });

  test("I1: during a quarantine messages and verdicts follow into the dead letters and enter no state, and the quarantine counts them all", () => {
    fc.assert(
      fc.property(decided, (steps) => {
        for (const { fact, before, transaction, decision, outputs } of findRequests(steps)) {
          const isFollowing = "message" in fact || fact.kind === "AccountVerified";
          expect(decision === "dead-lettered").toBe(isFollowing && before !== null && before.quarantined !== null);
          const isOneMore = decision === "dead-lettered" || fact.kind === "RecordDeadLettered";
          const isCleared = fact.kind === "DeadLettersReplayed" && decision === "applied";
          const records = isCleared ? 0 : (before?.quarantined?.records ?? 0) + (isOneMore ? 1 : 0);
          expect(transaction?.quarantined?.records ?? 0).toBe(records);
          if (decision !== "dead-lettered") continue;
          const entered = outputs.flatMap((output) => (output.kind === "event" ? [output.state.replace("CREDIT_AUTH_", "")] : []));
          expect(entered.filter((state) => state !== "HELD" && state !== "RECONCILIATION")).toEqual([]);
        }
      }),
      runs,
    );
  });

  test("I3: a redrive names a message that was sent before and refused or stopped, or the id of an event", () => {
    fc.assert(
      fc.property(decided, (steps) => {
        const sent = new Set<string>();
        const refused = new Set<string>();
        for (const { fact, outputs } of findRequests(steps)) {
          for (const output of outputs) {
            if (output.kind === "event") sent.add(output.id);
            if (output.kind === "give-up") refused.add(output.messageIdentification);
            const known = output.kind === "redrive" && output.target === "posting" ? sent : refused;
            expect(output.kind === "redrive" && !known.has(output.messageIdentification)).toBe(false);
          }
          if (fact.kind === "DeliveryEnded" && fact.outcome === "refused") refused.add(fact.messageIdentification);
        }
      }),
      runs,
    );
  });

  test("the generator reaches every kind of applied decision", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(decided, (steps) => {
        for (const { fact, decision, reason, transaction } of findRequests(steps)) {
          if (decision === "applied" && "action" in fact) seen.add(`${fact.kind} ${reason ?? ""}`.trim());
          if (decision === "dead-lettered") seen.add("dead-lettered");
          if ((transaction?.transitions.filter(({ state }) => state === "HELD").length ?? 0) > 1) seen.add("carried over");
        }
      }),
      { numRuns: 800, seed: 7 },
    );
    const always = [
      "RedriveRequested redrive",
      "RedriveRequested redrive-posting",
      "DeliveryStopRequested give-up",
      "ItemResolutionRequested resolution-proposed",
      "ItemResolutionRejected",
    ];
    const ofDebits = flow === "credit" ? [] : ["WithdrawalRequested", "carried over"];
    const ofConnectors =
      flow === "on-us" ? [] : ["ItemResolutionRequested resolution-outcome", "ItemResolutionConfirmed resolution-outcome"];
    const expected = [...always, ...ofDebits, ...ofConnectors, "DeadLettersReplayed", "dead-lettered"];
    expect(expected.filter((name) => !seen.has(name))).toEqual([]);
  });

  test("I3: requests that do not fit the state leave the good journey unchanged", () => {
    const idle = fc.array(anyDecision, { maxLength: 3 }).filter((steps) => steps.every((step) => !("kind" in step) || !disturbs(step)));
    fc.assert(
      fc.property(fc.array(idle, { minLength: journeys[flow].length, maxLength: journeys[flow].length }), (between) => {
        const steps = journeys[flow].flatMap((step, index) => [step, ...(between[index] ?? [])]);
        const plain = runSteps(journeys[flow]).transaction;
        expect(runSteps(steps).transaction?.transitions.map(({ state }) => state)).toEqual(plain?.transitions.map(({ state }) => state));
      }),
      { numRuns: 60 },
    );
  });
});

test.each(["on-us", "off-us"] as const)("a withdrawn %s debit is never sent, and its item keeps row 0 and WITHDRAWN", (flow) => {
  const given = flow === "on-us" ? heldSteps : offUsHeld;
  fc.assert(
    fc.property(fc.array(fc.oneof(anyFact, anyDecision, anyMarker), { maxLength: 20 }), (steps) => {
      const requests = findRequests([...given, withdrawal("first"), ...steps]).slice(given.length);
      for (const { transaction, outputs } of requests) {
        expect(outputs.filter((output) => output.kind === "dispatch" && output.form === "inbound-debit")).toEqual([]);
        expect(transaction?.state).toBe("RECONCILIATION");
        expect(transaction?.items).toMatchObject([{ row: 0, cause: "WITHDRAWN", settledAtMs: null }]);
      }
    }),
    runs,
  );
});

function disturbs({ kind }: SequenceStep): boolean {
  return kind === "WithdrawalRequested" || kind === "RecordDeadLettered";
}
