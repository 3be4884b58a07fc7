// I8, hold: no debit is released outside an open window or before its gate is open, and releases follow queue order
// within each bank and partition.
//
// #1 A release counts if these hold at its offset in its partition: the window that it names is open, the gate is open
//    for its bank, the bank is not paused, and the day is not reconciled. A maintenance has ended if its end is not
//    after the release's append time. A release that does not count may exist, but must have no effect.
// #2 A release that counts caused every RELEASED, and precedes every first debit at a bank.
// #3 When a gate opens for a bank, every credit of the scheme to that bank that was received before the declaration is
//    resolved.
// #4 When a debit is released, no debit of the same bank, partition and day with a lower key (receivedAt, then UETR)
//    stays HELD that was held for longer than the tolerance. The tolerance allows for a release that is in flight when
//    a lower key becomes HELD. The hold starts with its event, because a partition worker that lags behind its
//    partition cannot know earlier.

import { type Evidence, groupByText, type Journey, type PlacedRecord } from "../evidence/evidence.ts";
import { opensGateFor, findEarlyGates } from "./i8-gate.ts";
import type { PromiseFinding } from "./finding.ts";
import type { ReceivedEntry, Violation } from "../history.ts";
import { collectHeldPeriods } from "../evidence/carry-overs.ts";
import { readRecordNumber, readRecordText } from "../evidence/record-members.ts";

export function checkHold(evidence: Evidence): PromiseFinding {
  const journeys = new Map(evidence.journeys.map((journey) => [journey.uetr, journey]));
  const firstDebits = Map.groupBy(
    evidence.received.filter((request) => request.operation === "inboundDirectDebit"),
    (request) => request.uetr,
  );
  const released = evidence.journeys.flatMap((journey) => findReleases(journey));
  const violations = [
    ...[...firstDebits].flatMap(([uetr, [first]]) => arrivedUnreleased(evidence, journeys.get(uetr), first)),
    ...released.flatMap(({ journey, at }) => releasedWithout(evidence, journey, at)),
    ...findEarlyGates(evidence),
    ...outOfTurn(evidence),
  ];
  return { violations, counts: { debitsReleased: released.length, debitsArrived: firstDebits.size } };
}

/** Finds the offsets at which RELEASED was entered, according to the events and to the snapshot. */
function findReleases(journey: Journey): readonly { journey: Journey; at: bigint }[] {
  const events = journey.events.filter((event) => event.state === "RELEASED").map((event) => event.causedBy);
  const entries = journey.snapshot?.transitions.filter((entry) => entry.state === "RELEASED").map((entry) => BigInt(entry.offset)) ?? [];
  return [...new Set([...events, ...entries])].map((at) => ({ journey, at }));
}

function arrivedUnreleased(evidence: Evidence, journey: Journey | undefined, first: ReceivedEntry | undefined): readonly Violation[] {
  if (first === undefined) return [];
  const releases = journey?.journal.filter((record) => record.type === "Release") ?? [];
  const counting = releases.filter((record) => findFlaw(evidence, record) === null);
  if (counting.some((record) => record.appendedAtMs <= first.atMs + evidence.clockToleranceMs)) return [];
  const flaws = releases.map(
    (record) => `offset ${record.position}: ${findFlaw(evidence, record) ?? `appended later, at ${record.appendedAtMs}`}`,
  );
  const text = `the debit reached ${first.bank} at ${first.atMs} without a release before it that counts (${flaws.join("; ") || "none at all"})`;
  return [{ promise: "I8", uetr: first.uetr, text }];
}

function releasedWithout(evidence: Evidence, journey: Journey, at: bigint): readonly Violation[] {
  const record = journey.journal.find((other) => other.position === at);
  const flaw = record?.type === "Release" ? findFlaw(evidence, record) : `the record is ${record?.type ?? "not in its journal"}`;
  return flaw === null ? [] : [{ promise: "I8", uetr: journey.uetr, text: `RELEASED at offset ${at}: ${flaw}` }];
}

/** #1 Returns why a release does not count; null if it does. */
function findFlaw(evidence: Evidence, release: PlacedRecord): string | null {
  const { value } = release;
  const day = `${readRecordText(value, "scheme")}:${readRecordText(value, "businessDate")}`;
  const number = readRecordNumber(value, "windowNumber");
  const below = evidence.markers(release.partition, day).filter((marker) => marker.position < release.position);
  const hasWindowMarker = (type: string): boolean =>
    below.some((marker) => marker.type === type && readRecordNumber(marker.value, "number") === number);
  if (!hasWindowMarker("WindowOpened")) return `window ${number} of ${day} was not open yet`;
  if (hasWindowMarker("WindowClosed")) return `window ${number} of ${day} was closed`;
  const bank = readRecordText(value, "bank");
  if (!below.some((marker) => opensGateFor(marker, bank))) return `the gate of ${bank} was not open`;
  const paused = evidence.bankMarkers(release.partition, bank).findLast((marker) => marker.position < release.position);
  const hasEnded = readRecordNumber(paused?.value, "untilMs") <= release.appendedAtMs;
  if (paused?.type === "BankPaused" && !hasEnded) return `${bank} was paused (offset ${paused.position})`;
  return below.some((marker) => marker.type === "DayReconciled") ? `${day} was reconciled` : null;
}

interface HeldEntry {
  readonly uetr: string;
  readonly queueKey: string;
  readonly heldAt: bigint;
  readonly heldAtMs: number;
  /** The offset at which HELD was left; null while the debit is held. */
  readonly leftAt: bigint | null;
  readonly release: PlacedRecord | null;
}

function outOfTurn(evidence: Evidence): readonly Violation[] {
  const held = evidence.journeys.flatMap((journey) => collectHeldEntries(journey));
  return [...groupByText(held, (entry) => entry.queue)].flatMap(([queue, entries]) => {
    const inOrder = entries.toSorted((a, b) => (a.queueKey < b.queueKey ? -1 : 1));
    const violations: Violation[] = [];
    // The highest offset at which a lower key left HELD. If it is below this release, no lower key was passed over.
    let latest: bigint | null = -1n;
    for (const [index, entry] of inOrder.entries()) {
      const { release } = entry;
      if (release !== null && (latest === null || latest > release.position)) {
        const passedOver = inOrder.slice(0, index).find((lower) => isPassedOver(lower, release, evidence.queueToleranceMs));
        if (passedOver !== undefined) violations.push(passedOverViolation(queue, entry, passedOver, release));
      }
      latest = latest === null || entry.leftAt === null ? null : latest > entry.leftAt ? latest : entry.leftAt;
    }
    return violations;
  });
}

function passedOverViolation(queue: string, entry: HeldEntry, lower: HeldEntry, release: PlacedRecord): Violation {
  const text = `released at offset ${release.position}, though ${lower.uetr} (${lower.queueKey}), held since offset ${lower.heldAt}, came first in ${queue}`;
  return { promise: "I8", uetr: entry.uetr, text };
}

function isPassedOver(lower: HeldEntry, release: PlacedRecord, toleranceMs: number): boolean {
  const isHeld = lower.heldAt < release.position && (lower.leftAt === null || lower.leftAt > release.position);
  return isHeld && lower.heldAtMs + toleranceMs < release.appendedAtMs;
}

function collectHeldEntries(journey: Journey): readonly (HeldEntry & { readonly queue: string })[] {
  const { request, verdict } = journey;
  if (request === null || journey.flow === "credit" || verdict === null) return [];
  const receivedAtMs = readRecordNumber(request.value, "receivedAtMs");
  return collectHeldPeriods(journey).map(({ businessDate, held, left }) => ({
    queue: `${readRecordText(verdict.value, "bank")}, partition ${request.partition}, ${businessDate}`,
    uetr: journey.uetr,
    queueKey: `${String(receivedAtMs).padStart(15, "0")}:${journey.uetr}`,
    heldAt: held.causedBy,
    heldAtMs: Math.max(held.enteredAtMs, held.record.appendedAtMs),
    leftAt: left?.causedBy ?? null,
    release:
      left?.state === "RELEASED"
        ? (journey.journal.find((record) => record.position === left.causedBy && record.type === "Release") ?? null)
        : null,
  }));
}
