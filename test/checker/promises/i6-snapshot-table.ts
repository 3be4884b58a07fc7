// I6, the table downstream: what compaction leaves of `sluice.transactions.v1` is the newest state of each transaction.
//
// #1 Compaction keeps the last record of a key by offset. It has the highest version of all records of the key.
// #2 Once all work has ended, its state and stage version are those of the store's snapshot.
// #3 Only histories that have records of the topic are examined, and only once all work has ended: a write may land
//    late, and the newest snapshot then follows within seconds.

import type { Evidence, Journey } from "../evidence/evidence.ts";
import type { PromiseFinding } from "./finding.ts";
import type { Violation } from "../history.ts";
import { readRecordNumber, readRecordText } from "../evidence/record-members.ts";

export function checkSnapshotTable({ journeys, isDrained }: Evidence): PromiseFinding {
  const isRecorded = journeys.some(({ table }) => table.length > 0);
  const examined = isDrained && isRecorded ? journeys.filter(({ snapshot }) => snapshot !== null) : [];
  return { violations: examined.flatMap(differentRow), counts: { snapshotRowsExamined: examined.length } };
}

function differentRow({ uetr, snapshot, table }: Journey): readonly Violation[] {
  const last = table.at(-1);
  if (last === undefined) return [{ promise: "I6", uetr, text: "the store has the transaction, and the topic of snapshots has none" }];
  const highest = Math.max(...table.map(({ value }) => readRecordNumber(value, "version")));
  const version = readRecordNumber(last.value, "version");
  const found = `${readRecordText(last.value, "state")} ${readRecordNumber(last.value, "stageVersion")}`;
  const stored = `${snapshot?.state ?? ""} ${snapshot?.transitions.at(-1)?.stageVersion ?? Number.NaN}`;
  if (version === highest && found === stored) return [];
  const text = `the last snapshot (offset ${last.offset}) is version ${version}, ${found}; the newest is version ${highest}, ${stored}`;
  return [{ promise: "I6", uetr, text }];
}
