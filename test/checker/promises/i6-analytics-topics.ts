// I6, the topics of analysts: they say what the events and the reconciliation lists say.
//
// #1 Each event has one record in `sluice.state-events.v1` with its columns, in the same order. A repeat says the same.
// #2 Once all work has ended, the record of an item with the highest version is the item in the store.
// #3 Only histories that have records of a topic are examined: an older release writes none. Where it was at work
//    beside this one, there are gaps, and what is there still agrees.

import type { Evidence, Journey, PlacedRecord } from "../evidence/evidence.ts";
import type { PromiseFinding } from "./finding.ts";
import type { SnapshotEntry, Violation } from "../history.ts";
import { readRecordMember, readRecordNumber, readRecordText } from "../evidence/record-members.ts";

export function checkAnalyticsTopics(evidence: Evidence): PromiseFinding {
  const { journeys, stateEvents, items, isDrained, hasOlderRelease } = evidence;
  const entered = groupByTransaction(stateEvents);
  const ofItems = groupByTransaction(items);
  const checksItems = items.length > 0 && isDrained && !hasOlderRelease;
  const violations = [
    ...(stateEvents.length === 0
      ? []
      : journeys.flatMap((journey) => differentEntries(journey, entered.get(journey.uetr) ?? [], evidence))),
    ...(checksItems ? journeys.flatMap((journey) => differentItems(journey, ofItems.get(journey.uetr) ?? [])) : []),
  ];
  return { violations, counts: { stateRecordsExamined: stateEvents.length, itemRecordsExamined: items.length } };
}

function groupByTransaction(records: readonly PlacedRecord[]): ReadonlyMap<string, readonly PlacedRecord[]> {
  return Map.groupBy(records, ({ value }) => readRecordText(value, "uetr"));
}

/** #1 */
function differentEntries({ uetr, events }: Journey, records: readonly PlacedRecord[], evidence: Evidence): readonly Violation[] {
  const byId = Map.groupBy(records, ({ value }) => readRecordText(value, "id"));
  const changed = [...byId].filter(([, group]) => new Set(group.map(({ value }) => JSON.stringify(value))).size > 1);
  const found = [...byId.values()].flatMap(([first]) => (first === undefined ? [] : [describeColumns(first)]));
  const all = events.map(({ record }) => describeColumns(record));
  // Before the end of all work either topic may be read further than the other.
  const least = evidence.isDrained ? Infinity : Math.min(found.length, all.length);
  const expected = (evidence.hasOlderRelease ? all.filter((columns) => found.includes(columns)) : all).slice(0, least);
  return [
    ...changed.map(([id]) => ({ promise: "I6", uetr, text: `repeats of the entry ${id} for analysts differ` }) as const),
    ...(found.slice(0, least).join() === expected.join()
      ? []
      : [{ promise: "I6", uetr, text: `analysts read ${found.join(", ")}; the events say ${all.join(", ")}` } as const]),
  ];
}

const amountMember: Readonly<Record<string, readonly string[]>> = { TransactionStateEvent: ["amount", "value"], StateEntered: ["amount"] };
const columns = ["id", "state", "scheme", "service", "direction", "bank", "businessDate"] as const;

function describeColumns({ type, value }: PlacedRecord): string {
  const texts = columns.map((column) => readRecordText(value, column));
  const numbers = ["stageVersion", "enteredAtMs"].map((column) => readRecordNumber(value, column));
  return [...numbers, ...texts, String(readRecordMember(value, ...(amountMember[type] ?? [])))].join(" ");
}

/** #2 */
function differentItems({ uetr, snapshot }: Journey, records: readonly PlacedRecord[]): readonly Violation[] {
  const byNumber = Map.groupBy(records, ({ value }) => readRecordNumber(value, "number"));
  const found = [...byNumber]
    .toSorted(([one], [other]) => one - other)
    .map(([, group]) => describeItemRecord(group.reduce((newest, record) => (versionOf(record) >= versionOf(newest) ? record : newest))));
  const stored = snapshot === null ? found : snapshot.items.map(describeStoredItem);
  if (found.join() === stored.join()) return [];
  return [{ promise: "I6", uetr, text: `analysts read the items ${found.join(", ")}; the store has ${stored.join(", ")}` }];
}

function versionOf({ value }: PlacedRecord): number {
  return readRecordNumber(value, "version");
}

function describeItemRecord({ value }: PlacedRecord): string {
  const texts = ["scheme", "businessDate", "state"].map((column) => readRecordText(value, column));
  return [...texts, ...["row", "reason", "settledAtMs"].map((column) => JSON.stringify(readRecordMember(value, column) ?? null))].join(" ");
}

function describeStoredItem({ day, row, cause, state, settledAtMs }: SnapshotEntry["items"][number]): string {
  return [day.replace(":", " "), state, ...[row, cause, settledAtMs].map((member) => JSON.stringify(member))].join(" ");
}
