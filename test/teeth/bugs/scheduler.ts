// Planted bugs of the scheduler's partitions: owners, positions, batches, ledgers.

import type { PlantedBug } from "../planted-bug.ts";

const scenarios = "services/scheduler/scenarios";
const [worker, position, batch] = [
  "services/scheduler/partition/worker.ts",
  "services/scheduler/partition/stored/position.ts",
  "services/scheduler/partition/batch.ts",
];
const [takeOver, markers, ledgers] = [
  "services/scheduler/partition/take-over.ts",
  "services/scheduler/partition/applied-markers.ts",
  "services/scheduler/partition/day-ledgers.ts",
];
const storeWitness = "services/scheduler/partition/stored/store-witness.ts";
const workerTests = ["services/scheduler/partition/two-owners.test.ts", "services/scheduler/partition/worker.test.ts"];

export const schedulerBugs: readonly PlantedBug[] = [
  {
    id: "position-before-analysts-records",
    breaks: "What analysts read is lost when a scheduler is killed behind its position.",
    edits: [
      {
        file: "services/scheduler/partition/take-over.ts",
        find: "await Promise.all([ledgers.write(), analysts.send()])",
        put: "await Promise.all([ledgers.write(), void analysts.send().catch(() => {})])",
      },
    ],
    nearest: ["services/scheduler/scenarios/leaderless-output.test.ts"],
  },
  {
    id: "snapshot-of-earlier-lease-reported",
    breaks: "An old snapshot that lands behind another owner's newer one stays the last one.",
    edits: [
      {
        file: "services/scheduler/partition/analysts/waiting-records.ts",
        find: "this.#ofLease.clear();",
        put: "",
      },
    ],
    nearest: ["services/scheduler/partition/analysts/waiting-records.test.ts"],
  },
  {
    id: "analysts-records-unbounded",
    breaks: "While a topic of analysts is away a partition keeps more and more of what waits for it.",
    edits: [
      {
        file: "services/scheduler/partition/worker.ts",
        find: "if (this.#analysts.isFull) await this.#analysts.send();",
        put: "",
      },
    ],
    nearest: ["services/scheduler/partition/analysts/analytics-records.test.ts"],
  },
  {
    id: "outputs-not-awaited",
    breaks: "The position may pass records whose outputs are not in the log.",
    edits: [
      {
        file: batch,
        find: "      await produce(handled, working, ports);",
        put: "      void produce(handled, working, ports).catch(() => {});",
      },
    ],
    nearest: ["services/scheduler/service.test.ts", `${scenarios}/restored-store.test.ts`],
  },
  {
    id: "ledger-is-no-witness",
    breaks: "A store that lost a ledger in a restore, and nothing else, is not noticed (I11).",
    edits: [
      {
        file: "services/scheduler/partition/worker.ts",
        find: 'onWritten: (day, version) => this.#witness.wrote({ kind: "ledger", id: day, version }),',
        put: "",
      },
    ],
    nearest: ["services/scheduler/scenarios/live-restore.test.ts"],
  },
  {
    id: "position-names-no-witness",
    breaks: "A position that landed in a restored store counts, though the store lacks what lies behind it (I1, I11).",
    edits: [
      {
        file: "services/scheduler/partition/worker.ts",
        find: "findProven: ({ unproven }) => findProven(unproven, this.#readVersions),",
        put: "",
      },
    ],
    nearest: ["services/scheduler/scenarios/live-restore.test.ts"],
  },
  {
    id: "newest-witness-hides-the-others",
    breaks: "What was written behind a restore hides what the store lacks (I1).",
    edits: [
      {
        file: storeWitness,
        find: "expected = [...expected, document].slice(-witnessesMax);",
        put: "expected = [document];",
      },
    ],
    nearest: ["services/scheduler/partition/stored/store-witness.test.ts"],
  },
  {
    id: "proof-of-a-later-position",
    breaks: "A read proves a position that was acknowledged after the read began.",
    edits: [{ file: storeWitness, find: "if (position > proven) proven = position;", put: "proven = written.position;" }],
    nearest: ["services/scheduler/partition/stored/store-witness.test.ts"],
  },
  {
    id: "outputs-before-states",
    breaks: "Outputs are produced before the states that they follow from are written.",
    edits: [
      {
        file: batch,
        find: "    const written = await commit(loaded, working, ports);\n    if (written !== null) {\n      await produce(handled, working, ports);",
        put: "    await produce(handled, working, ports);\n    const written = await commit(loaded, working, ports);\n    if (written !== null) {",
      },
    ],
    nearest: ["services/scheduler/partition/batch.test.ts", `${scenarios}/restored-store.test.ts`],
  },
  {
    id: "lost-write-keeps-stale-snapshot",
    breaks: "After a lost write the stale snapshot stays in the cache, and the partition repeats the same write for ever.",
    edits: [{ file: batch, find: "  cache.drop(changed.map(({ transaction }) => transaction.uetr));\n", put: "" }],
    nearest: ["services/scheduler/partition/batch.test.ts"],
  },
  {
    id: "lost-day-write-not-noticed",
    breaks: "A day's write that lost against another owner counts as written.",
    edits: [
      {
        file: batch,
        find: "isLost = !(await days.write(day, loaded.days.get(day.key)?.version ?? 0)) || isLost;",
        put: "await days.write(day, loaded.days.get(day.key)?.version ?? 0);",
      },
    ],
    nearest: ["services/scheduler/partition/batch.test.ts", `${scenarios}/windows.test.ts`],
  },
  {
    id: "lost-bank-write-not-noticed",
    breaks: "A bank's write that lost against another owner counts as written.",
    edits: [
      {
        file: batch,
        find: "isLost = !(await banks.write(one, loaded.banks.get(key)?.version ?? 0)) || isLost;",
        put: "await banks.write(one, loaded.banks.get(key)?.version ?? 0);",
      },
    ],
    nearest: ["services/scheduler/partition/batch.test.ts"],
  },
  {
    id: "conflict-of-first-bulk-forgotten",
    breaks: "Of a batch that is written in several bulks only the last bulk's conflicts count.",
    edits: [{ file: batch, find: "    isLost ||= conflicts.length > 0;", put: "    isLost = conflicts.length > 0;" }],
    nearest: ["services/scheduler/partition/batch.test.ts"],
  },
  {
    id: "snapshots-shared-by-owners",
    breaks: "A new owner finds the snapshots of an earlier lease.",
    edits: [
      {
        file: "services/scheduler/partition/snapshot-cache.ts",
        find: "return one?.owner === owner ? one.document : undefined;",
        put: "return one?.document;",
      },
    ],
    nearest: ["services/scheduler/partition/snapshot-cache.test.ts"],
  },
  {
    id: "stale-owner-not-noticed",
    breaks: "A batch whose epoch was lost while it ran moves the position on.",
    edits: [
      {
        file: worker,
        find: "    // The epoch was lost during the batch. The next owner repeats it, with the same outputs.\n    this.#requireCurrent(owned);\n",
        put: "",
      },
    ],
    nearest: workerTests,
  },
  {
    id: "retaken-partition-repeats-work-between",
    breaks: "A process that takes a partition again does not skip what the owner in between has done.",
    edits: [
      {
        file: worker,
        find: "if (isRebuilt || hasGoneBack || startAt > this.#nextOffset) this.#nextOffset = startAt;",
        put: "if (isRebuilt || hasGoneBack) this.#nextOffset = startAt;",
      },
    ],
    nearest: workerTests,
  },
  {
    id: "retaken-partition-forgets-markers-between",
    breaks: "A process that takes a partition again forgets the markers that the owner in between has applied.",
    edits: [
      {
        file: takeOver,
        find: "    ofDays: [...kept.ofDays, ...history.ofDays],",
        put: "    ofDays: before === null ? kept.ofDays : history.ofDays,",
      },
    ],
    nearest: workerTests,
  },
  {
    id: "retaken-partition-forgets-own-markers",
    breaks: "A process that takes a partition again forgets the markers that it applied after its last position write.",
    edits: [{ file: takeOver, find: "    ofDays: [...kept.ofDays, ...history.ofDays],", put: "    ofDays: kept.ofDays," }],
    nearest: workerTests,
  },
  {
    id: "rebuilt-partition-keeps-old-markers",
    breaks: "After a rebuild the markers of the earlier build still count.",
    edits: [
      {
        file: takeOver,
        find: "const history = before === null || isFresh ? emptyMarkerHistory : before.markers.history();",
        put: "const history = before === null ? emptyMarkerHistory : before.markers.history();",
      },
    ],
    nearest: [...workerTests, "services/scheduler/rebuild/rebuild.test.ts"],
  },
  {
    id: "markers-sorted-as-text",
    breaks: "After a take-over a marker at offset 10 counts as before one at offset 9.",
    edits: [
      {
        file: markers,
        find: "  return a.position.offset < b.position.offset ? -1 : 1;",
        put: "  return String(a.position.offset) < String(b.position.offset) ? -1 : 1;",
      },
    ],
    nearest: ["services/scheduler/partition/applied-markers.test.ts"],
  },
  {
    id: "forgotten-day-is-not-closed",
    breaks: "A transaction that returns after its day was forgotten is held for ever.",
    edits: [
      {
        file: markers,
        find: "return byDay.get(day) ?? (isForgotten(day) ? [closedLongAgo(day)] : []);",
        put: "return byDay.get(day) ?? [];",
      },
    ],
    nearest: ["services/scheduler/partition/applied-markers.test.ts"],
  },
  {
    id: "marker-applied-twice",
    breaks: "A marker that comes again is applied again, at its later offset.",
    edits: [{ file: markers, find: "    if (ids.has(marker.id)) return false;\n", put: "" }],
    nearest: ["services/scheduler/partition/applied-markers.test.ts"],
  },
  {
    id: "pauses-not-in-document",
    breaks: "A new owner does not know which banks are paused.",
    edits: [{ file: markers, find: "ofBanks: all().ofBanks.map(toPlainMarker) })", put: "ofBanks: [] })" }],
    nearest: ["services/scheduler/partition/applied-markers.test.ts"],
  },
  {
    id: "ledger-written-after-position",
    breaks: "A crash between position and ledger leaves a day that does not add up.",
    edits: [{ file: position, find: "      await options.beforeWrite?.();\n", put: "" }],
    nearest: ["services/scheduler/partition/day-ledgers.test.ts", "services/scheduler/partition/stored/position.test.ts"],
  },
  {
    id: "state-lost-with-failed-position-write",
    breaks: "Markers whose position write failed are not in the next one.",
    edits: [{ file: position, find: "      isStateNew ||= state !== undefined;\n", put: "" }],
    nearest: ["services/scheduler/partition/stored/position.test.ts"],
  },
  {
    id: "replay-counted-again",
    breaks: "A record that is replayed is counted again in the day's ledger.",
    edits: [
      { file: ledgers, find: "if (one === undefined || offset < countedBelow(one)) continue;", put: "if (one === undefined) continue;" },
    ],
    nearest: ["services/scheduler/partition/day-ledgers.test.ts"],
  },
  {
    id: "ledger-of-other-owner-not-adopted",
    breaks: "A retaken partition writes its old counts over those of the owner in between.",
    edits: [{ file: ledgers, find: "      for (const [day, one] of days) await adopt(day, one);\n", put: "" }],
    nearest: ["services/scheduler/partition/day-ledgers.test.ts"],
  },
  {
    id: "foreign-partition-record-judged",
    breaks: "A record in a partition that is not its key's is judged there, beside the key's own partition.",
    edits: [
      {
        file: "services/scheduler/partition/read-journal.ts",
        find: 'const isInOwnPartition = handler.aggregate === "partition" || partitionFor(record.key, reader.partitionCount) === record.partition;',
        put: "const isInOwnPartition = true;",
      },
    ],
    nearest: ["services/scheduler/partition/read-journal.test.ts"],
  },
  {
    id: "dead-letter-without-letter",
    breaks: "A record that cannot be read leaves a mark, but no letter with its bytes.",
    edits: [
      {
        file: "services/scheduler/handlers/dead-letter-record.ts",
        find: "const outgoing = [...(marked?.outgoing ?? []), letter];",
        put: "const outgoing = letter.key === undefined ? [letter] : [...(marked?.outgoing ?? [])];",
      },
    ],
    nearest: [`${scenarios}/dead-letters.test.ts`],
  },
  {
    id: "newer-rules-decided-by-older",
    breaks: "A scheduler writes over a transaction that newer rules decided.",
    edits: [{ file: batch, find: "if (newest <= known) return;", put: "if (newest <= known + 1_000) return;" }],
    nearest: ["services/scheduler/partition/batch.test.ts"],
  },
  {
    id: "rules-blamed-for-a-wrong-store",
    breaks: "A rebuild calls every difference one of the rules, also where today's rules alone made the document.",
    edits: [
      {
        file: "services/scheduler/rebuild/compare-partition.ts",
        find: "return rules.oldest === version && rules.newest === version;",
        put: "return rules.oldest === version && rules.newest === version + 1;",
      },
    ],
    nearest: ["services/scheduler/rebuild/rebuild.test.ts"],
  },
  {
    id: "rules-changed-under-the-same-version",
    breaks: "A recorded journal is decided in another way, and the version of the rules is the same.",
    edits: [
      {
        file: "packages/domain/debit-and-credit/markers/carry-over.ts",
        find: "countCarryOvers(debit) < debit.carryOversMax);",
        put: "countCarryOvers(debit) <= debit.carryOversMax);",
      },
    ],
    nearest: ["services/scheduler/recorded/recorded-journals.test.ts"],
  },
  {
    id: "owner-that-was-handed-nothing-reads-nothing-again",
    breaks: "An owner that was handed no record yet leaves out what a restored store has not, until another record comes.",
    edits: [{ file: worker, find: "    this.#handedTo = this.#nextOffset;\n    return {", put: "    return {" }],
    nearest: [`${scenarios}/live-restore.test.ts`],
  },
  {
    id: "build-of-another-builder-dropped",
    breaks: "A rebuild drops the collection that another builder is filling.",
    edits: [
      {
        file: "services/scheduler/rebuild/rebuild.ts",
        find: "build === one || (lastBuild === one && !isEnded(partition, one));",
        put: "build === one || (lastBuild === -1 && !isEnded(partition, one));",
      },
    ],
    nearest: ["services/scheduler/rebuild/rebuild.test.ts"],
  },
  {
    id: "rules-asked-of-the-oldest",
    breaks: "A process of an older release goes on with transactions that it began and that a newer one has decided since.",
    edits: [
      {
        file: batch,
        find: "Math.max(most, document?.rules.newest ?? 0), 0)",
        put: "Math.max(most, document?.rules.oldest ?? 0), 0)",
      },
    ],
    nearest: ["services/scheduler/partition/batch.test.ts"],
    isCaughtLate: true,
  },
  {
    id: "ledger-that-counts-less-replaces",
    breaks: "A stale owner's ledger replaces one that counts further, because a restored store gave its version again (I11).",
    edits: [
      {
        file: "packages/store/memory/memory-store.ts",
        find: "        if (before !== undefined && before.through > stored.through) return false;\n",
        put: "",
      },
    ],
    nearest: ["services/scheduler/partition/day-ledgers.test.ts", "packages/store/memory/memory-store.test.ts"],
  },
  {
    id: "unsigned-operator",
    breaks: "An operator's record counts without the console's signature, so that each service that writes the journal is an operator.",
    edits: [
      {
        file: "packages/signatures/operator-records.ts",
        find: 'if (keyId === undefined || signature === undefined) return "not-signed";',
        put: "if (keyId === undefined || signature === undefined) return null;",
      },
    ],
    nearest: ["packages/signatures/operator-records.test.ts", "services/scheduler/scenarios/operator-signatures.test.ts"],
  },
  {
    id: "rebuild-believes-operators",
    breaks: "A rebuild lets operators' records count that were refused for their signature.",
    edits: [
      {
        file: "services/scheduler/rebuild/partition-fold.ts",
        find: "judge: createRecordJudge(() => this.#ports.configuration.operatorSignatures)",
        put: "judge: createRecordJudge(() => null)",
      },
    ],
    nearest: ["services/scheduler/scenarios/operator-signatures.test.ts"],
  },
  {
    id: "replayed-letter-signed",
    breaks: "The console signs what it replays, so that a stranger's dead letter becomes an operator's decision.",
    edits: [{ file: "services/console/decisions/sign-records.ts", find: "isReplay || !judgedTopics", put: "!judgedTopics" }],
    nearest: ["services/console/decisions/sign-records.test.ts"],
  },
];
