// What holds of operators' decisions, rolls and records put aside, for every sequence of records in each flow. As in `decide.property.test.ts` they
// are judged by what the records say, not by the code under test.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { held, isMarker, offUsHeld, placeOf, tellAll } from "./given.ts";
import type { Step } from "./given.ts";
import { withdrawal } from "./given-decisions.ts";
import { anyDecision, anyFact, anyMarker, decidedOf, journeys, sequencesOf } from "./given-sequences.ts";
import { decisionsKept, transitionsMax } from "./transaction.ts";
import type { Flow, Transaction } from "./transaction.ts";

const runs = { numRuns: 100 };
const flows: readonly Flow[] = ["on-us", "off-us", "credit"];

/** The turns of operators' facts, with what the transaction was before. */
function turnsOf(steps: readonly Step[]) {
  const { outcomes } = tellAll(steps);
  return outcomes.map((outcome, index) => ({ ...outcome, before: outcomes[index - 1]?.transaction ?? null }));
}

function finalOnes(transaction: Transaction | null) {
  return transaction?.items.filter(({ resolution }) => resolution?.isFinal === true).map(({ resolution }) => resolution) ?? [];
}

describe.each(flows)("%s", (flow) => {
  const sequences = sequencesOf(flow);
  const decided = fc.oneof(decidedOf(flow), sequences);

  test("I3: an action counts once, by its id: one note with its result and why; a second changes nothing but the count of records", () => {
    fc.assert(
      fc.property(decided, (steps) => {
        for (const { fact, before, transaction, decision, reason, place } of turnsOf(steps)) {
          if (!("action" in fact) || before === null) continue;
          const isKnown = before.decisions.some(({ action }) => action.id === fact.action.id);
          expect(reason === "already-decided").toBe(isKnown);
          const why = decision === "applied" ? null : reason;
          const note = { offset: place.offset, atMs: place.appendedAtMs, kind: fact.kind, action: fact.action, result: decision, why };
          expect(transaction?.decisions).toEqual(isKnown ? before.decisions : [...before.decisions, note].slice(-decisionsKept));
          expect(isKnown && decision !== "ignored").toBe(false);
        }
      }),
      runs,
    );
  });

  test("a decision that is refused or ignored changes nothing else, where no marker is taken in its turn", () => {
    fc.assert(
      fc.property(decided, (steps) => {
        for (const { fact, before, transaction, decision, outputs } of turnsOf(steps)) {
          const isTurned = outputs.some((output) => output.kind === "event") || before?.items.length !== transaction?.items.length;
          if (!("action" in fact) || before === null || decision === "applied" || isTurned) continue;
          expect(outputs).toEqual([]);
          expect({ ...transaction, version: 0, applied: 0n, decisions: [] }).toEqual({ ...before, version: 0, applied: 0n, decisions: [] });
        }
      }),
      runs,
    );
  });

  test("I5: a final resolution never changes, and takes two people where it was proposed", () => {
    fc.assert(
      fc.property(decided, (steps) => {
        for (const { before, transaction } of turnsOf(steps)) {
          const now = finalOnes(transaction);
          for (const earlier of finalOnes(before)) expect(now).toContainEqual(earlier);
          const alone = now.filter((resolution) => resolution?.confirmed?.action.operator === resolution?.action.operator);
          expect(alone).toEqual([]);
        }
      }),
      runs,
    );
  });

  test("I6: it is held again only by its date's last close, as often as the verdict said, or by its date's void; with the next date", () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const { transaction } = tellAll(steps);
        const transitions = transaction?.transitions ?? [];
        const markers = steps.flatMap((step, index) => (isMarker(step) ? [{ marker: step, ...placeOf(index) }] : []));
        const again = transitions.filter(({ state }, index) => state === "HELD" && transitions[index - 1]?.state === "HELD");
        const causes = again.map((entry) => {
          const { businessDate } = transitions[entry.stageVersion - 2] ?? {};
          const cause = markers.find(({ offset }) => offset === entry.markerOffset)?.marker;
          const isCause = cause?.kind === "DayVoid" || (cause?.kind === "WindowClosed" && cause.isLast);
          expect([isCause, cause?.businessDate]).toEqual([true, businessDate]);
          if (cause?.kind !== "DayVoid" && cause?.kind !== "WindowClosed") return null;
          expect([entry.businessDate, entry.closesWith]).toEqual([cause.nextBusinessDate, `${cause.scheme}:${cause.nextBusinessDate}`]);
          return cause.kind;
        });
        const byClose = causes.lastIndexOf("WindowClosed");
        expect(byClose + 1).toBeLessThanOrEqual(transaction?.rollsMax ?? 0);
        expect(transitions.length).toBeLessThanOrEqual(transitionsMax);
      }),
      runs,
    );
  });

  test("I1: while records are put aside, messages and verdicts follow them and enter no state of their own; the mark counts them all", () => {
    fc.assert(
      fc.property(decided, (steps) => {
        for (const { fact, before, transaction, decision, outputs } of turnsOf(steps)) {
          const isFollowing = "message" in fact || fact.kind === "AccountVerified";
          expect(decision === "put-aside").toBe(isFollowing && before !== null && before.parked !== null);
          const isOneMore = decision === "put-aside" || fact.kind === "RecordPutAside";
          const isCleared = fact.kind === "DeadLettersReplayed" && decision === "applied";
          const records = isCleared ? 0 : (before?.parked?.records ?? 0) + (isOneMore ? 1 : 0);
          expect(transaction?.parked?.records ?? 0).toBe(records);
          if (decision !== "put-aside") continue;
          const entered = outputs.flatMap((output) => (output.kind === "event" ? [output.state.replace("CREDIT_AUTH_", "")] : []));
          expect(entered.filter((state) => state !== "HELD" && state !== "RECONCILIATION")).toEqual([]);
        }
      }),
      runs,
    );
  });

  test("I3: what is redriven was sent before, or is an event's id, and only where it lay refused", () => {
    fc.assert(
      fc.property(decided, (steps) => {
        const sent = new Set<string>();
        const refused = new Set<string>();
        for (const { fact, outputs } of turnsOf(steps)) {
          for (const output of outputs) {
            if (output.kind === "event") sent.add(output.id);
            const known = output.kind === "redrive" && output.target === "posting" ? sent : refused;
            expect(output.kind === "redrive" && !known.has(output.messageIdentification)).toBe(false);
          }
          if (fact.kind === "DeliveryEnded" && fact.outcome === "refused") refused.add(fact.messageIdentification);
        }
      }),
      runs,
    );
  });

  test("the generator has every decision applied, so that these properties are about something", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(decided, (steps) => {
        for (const { fact, decision, reason, transaction } of turnsOf(steps)) {
          if (decision === "applied" && "action" in fact) seen.add(`${fact.kind} ${reason ?? ""}`.trim());
          if (decision === "put-aside") seen.add("put-aside");
          if ((transaction?.transitions.filter(({ state }) => state === "HELD").length ?? 0) > 1) seen.add("rolled");
        }
      }),
      { numRuns: 400, seed: 7 },
    );
    const always = ["RedriveRequested redrive", "RedriveRequested redrive-posting", "ItemResolutionRequested resolution-proposed"];
    const ofDebits = flow === "credit" ? [] : ["WithdrawalRequested", "rolled"];
    const told = flow === "on-us" ? [] : ["ItemResolutionRequested resolution-outcome", "ItemResolutionConfirmed resolution-outcome"];
    const expected = [...always, ...ofDebits, ...told, "DeadLettersReplayed", "put-aside"];
    expect(expected.filter((name) => !seen.has(name))).toEqual([]);
  });

  test("I3: the good journey is not disturbed by decisions that do not fit it", () => {
    const idle = fc.array(anyDecision, { maxLength: 3 }).filter((steps) => steps.every((step) => !("kind" in step) || !disturbs(step)));
    fc.assert(
      fc.property(fc.array(idle, { minLength: journeys[flow].length, maxLength: journeys[flow].length }), (between) => {
        const steps = journeys[flow].flatMap((step, index) => [step, ...(between[index] ?? [])]);
        const plain = tellAll(journeys[flow]).transaction;
        expect(tellAll(steps).transaction?.transitions.map(({ state }) => state)).toEqual(plain?.transitions.map(({ state }) => state));
      }),
      { numRuns: 60 },
    );
  });
});

test.each(["on-us", "off-us"] as const)("a %s debit that was withdrawn never leaves, and its item stays row 0, WITHDRAWN", (flow) => {
  const given = flow === "on-us" ? held : offUsHeld;
  fc.assert(
    fc.property(fc.array(fc.oneof(anyFact, anyDecision, anyMarker), { maxLength: 20 }), (steps) => {
      const turns = turnsOf([...given, withdrawal("first"), ...steps]).slice(given.length);
      for (const { transaction, outputs } of turns) {
        expect(outputs.filter((output) => output.kind === "dispatch" && output.form === "inbound-debit")).toEqual([]);
        expect(transaction?.state).toBe("RECONCILIATION");
        expect(transaction?.items).toMatchObject([{ row: 0, cause: "WITHDRAWN", settledAtMs: null }]);
      }
    }),
    runs,
  );
});

function disturbs({ kind }: Step): boolean {
  return kind === "WithdrawalRequested" || kind === "RecordPutAside";
}
