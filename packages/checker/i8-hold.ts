// I8, hold: no debit is released outside an open window or before its gate is open; per bank and lane, in queue order.
//
// 1. A release counts if, in its partition, the window it names was opened and not closed below it, the gate was open for its bank, and the
//    bank was not paused (a maintenance is over at its end, by the release's append time), and the day was not reconciled. A record that does
//    not count may be there; it must have no effect.
// 2. Every RELEASED was made by a release that counts, and every first debit at a bank comes after one.
// 3. When a gate opens for a bank, no credit of the scheme to that bank that its lane received before the declaration is unresolved.
// 4. When a debit is released, no debit of the same bank, lane and day with a lower key (receivedAt, then UETR) has been held for longer than
//    the tolerance and goes on being held: a release that is on its way when a lower key becomes held is legal. It is held from when its lane has
//    said so, by the event: a lane that lags behind its log cannot know better.

import { groupBy } from "./evidence.ts";
import type { Evidence, Journey, PlacedRecord } from "./evidence.ts";
import { isGateOf, openedTooEarly } from "./i8-gate.ts";
import type { Finding } from "./finding.ts";
import type { ReceivedEntry, Violation } from "./history.ts";
import { staysOf } from "./rolls.ts";
import { numberAt, textAt } from "./value.ts";

export function checkHold(evidence: Evidence): Finding {
  const journeys = new Map(evidence.journeys.map((journey) => [journey.uetr, journey]));
  const firstDebits = Map.groupBy(
    evidence.received.filter((request) => request.operation === "inboundDirectDebit"),
    (request) => request.uetr,
  );
  const released = evidence.journeys.flatMap((journey) => releasesOf(journey));
  const violations = [
    ...[...firstDebits].flatMap(([uetr, [first]]) => arrivedUnreleased(evidence, journeys.get(uetr), first)),
    ...released.flatMap(({ journey, at }) => releasedWithout(evidence, journey, at)),
    ...openedTooEarly(evidence),
    ...outOfTurn(evidence),
  ];
  return { violations, counts: { debitsReleased: released.length, debitsArrived: firstDebits.size } };
}

/** Offsets at which RELEASED was entered, by the events and by the snapshot. */
function releasesOf(journey: Journey): readonly { journey: Journey; at: bigint }[] {
  const events = journey.events.filter((event) => event.state === "RELEASED").map((event) => event.causedBy);
  const entries = journey.snapshot?.transitions.filter((entry) => entry.state === "RELEASED").map((entry) => BigInt(entry.offset)) ?? [];
  return [...new Set([...events, ...entries])].map((at) => ({ journey, at }));
}

function arrivedUnreleased(evidence: Evidence, journey: Journey | undefined, first: ReceivedEntry | undefined): readonly Violation[] {
  if (first === undefined) return [];
  const releases = journey?.journal.filter((record) => record.type === "Release") ?? [];
  const counting = releases.filter((record) => flawOf(evidence, record) === null);
  if (counting.some((record) => record.appendedAtMs <= first.atMs + evidence.clockToleranceMs)) return [];
  const flaws = releases.map((record) => `offset ${record.at}: ${flawOf(evidence, record) ?? `appended later, at ${record.appendedAtMs}`}`);
  const text = `the debit reached ${first.bank} at ${first.atMs} without a release before it that counts (${flaws.join("; ") || "none at all"})`;
  return [{ promise: "I8", uetr: first.uetr, text }];
}

function releasedWithout(evidence: Evidence, journey: Journey, at: bigint): readonly Violation[] {
  const record = journey.journal.find((other) => other.at === at);
  const flaw = record?.type === "Release" ? flawOf(evidence, record) : `the record is ${record?.type ?? "not in its journal"}`;
  return flaw === null ? [] : [{ promise: "I8", uetr: journey.uetr, text: `RELEASED at offset ${at}: ${flaw}` }];
}

/** Why a release does not count; null if it does. */
function flawOf(evidence: Evidence, release: PlacedRecord): string | null {
  const { value } = release;
  const day = `${textAt(value, "scheme")}:${textAt(value, "businessDate")}`;
  const number = numberAt(value, "windowNumber");
  const below = evidence.markers(release.partition, day).filter((marker) => marker.at < release.at);
  const ofWindow = (type: string): boolean => below.some((marker) => marker.type === type && numberAt(marker.value, "number") === number);
  if (!ofWindow("WindowOpened")) return `window ${number} of ${day} was not open yet`;
  if (ofWindow("WindowClosed")) return `window ${number} of ${day} was closed`;
  const bank = textAt(value, "bank");
  if (!below.some((marker) => isGateOf(marker, bank))) return `the gate of ${bank} was not open`;
  const paused = evidence.bankMarkers(release.partition, bank).findLast((marker) => marker.at < release.at);
  const hasEnded = numberAt(paused?.value, "untilMs") <= release.appendedAtMs;
  if (paused?.type === "BankPaused" && !hasEnded) return `${bank} was paused (offset ${paused.at})`;
  return below.some((marker) => marker.type === "DayReconciled") ? `${day} was reconciled` : null;
}

interface Held {
  readonly uetr: string;
  readonly queueKey: string;
  readonly heldAt: bigint;
  readonly heldAtMs: number;
  /** Offset at which HELD was left; null while it is held. */
  readonly leftAt: bigint | null;
  readonly release: PlacedRecord | null;
}

function outOfTurn(evidence: Evidence): readonly Violation[] {
  const held = evidence.journeys.flatMap((journey) => heldOf(journey));
  return [...groupBy(held, (entry) => entry.queue)].flatMap(([queue, entries]) => {
    const inOrder = entries.toSorted((a, b) => (a.queueKey < b.queueKey ? -1 : 1));
    const violations: Violation[] = [];
    // The latest leaving among lower keys: nobody was passed over if it lies below this release.
    let latest: bigint | null = -1n;
    for (const [index, entry] of inOrder.entries()) {
      const { release } = entry;
      if (release !== null && (latest === null || latest > release.at)) {
        const passedOver = inOrder.slice(0, index).find((lower) => isPassedOver(lower, release, evidence.queueToleranceMs));
        if (passedOver !== undefined) violations.push(outOfTurnOf(queue, entry, passedOver, release));
      }
      latest = latest === null || entry.leftAt === null ? null : latest > entry.leftAt ? latest : entry.leftAt;
    }
    return violations;
  });
}

function outOfTurnOf(queue: string, entry: Held, lower: Held, release: PlacedRecord): Violation {
  const text = `released at offset ${release.at}, though ${lower.uetr} (${lower.queueKey}), held since offset ${lower.heldAt}, came first in ${queue}`;
  return { promise: "I8", uetr: entry.uetr, text };
}

function isPassedOver(lower: Held, release: PlacedRecord, toleranceMs: number): boolean {
  const isHeld = lower.heldAt < release.at && (lower.leftAt === null || lower.leftAt > release.at);
  return isHeld && lower.heldAtMs + toleranceMs < release.appendedAtMs;
}

function heldOf(journey: Journey): readonly (Held & { readonly queue: string })[] {
  const { request, verdict } = journey;
  if (request === null || journey.flow === "credit" || verdict === null) return [];
  const receivedAtMs = numberAt(request.value, "receivedAtMs");
  return staysOf(journey).map(({ businessDate, held, left }) => ({
    queue: `${textAt(verdict.value, "bank")}, lane ${request.partition}, ${businessDate}`,
    uetr: journey.uetr,
    queueKey: `${String(receivedAtMs).padStart(15, "0")}:${journey.uetr}`,
    heldAt: held.causedBy,
    heldAtMs: Math.max(held.enteredAtMs, held.record.appendedAtMs),
    leftAt: left?.causedBy ?? null,
    release:
      left?.state === "RELEASED"
        ? (journey.journal.find((record) => record.at === left.causedBy && record.type === "Release") ?? null)
        : null,
  }));
}
