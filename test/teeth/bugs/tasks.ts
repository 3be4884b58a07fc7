// Planted bugs of the scheduler's background tasks: releasing, closing, gates, deadlines, plans.

import type { PlantedBug } from "../planted-bug.ts";

const tasks = "services/scheduler/tasks";
const [releaser, outstanding, page] = [`${tasks}/release/releaser.ts`, `${tasks}/release/outstanding.ts`, `${tasks}/queues/queue-page.ts`];
const releaserTests = [`${tasks}/release/releaser.test.ts`];

export const taskBugs: readonly PlantedBug[] = [
  {
    id: "releases-before-caught-up",
    breaks: "A new owner releases before it has read what the owner before it has appended.",
    edits: [{ file: releaser, find: "  if (!work.isCaughtUp()) return [];\n", put: "" }],
    nearest: releaserTests,
  },
  {
    id: "releaser-ignores-gate",
    breaks: "Debits leave the queue though their bank's gate is closed.",
    edits: [
      {
        file: releaser,
        find: "if (windowNumber === null || !isGateOpenFor(group.bank, passed, everyOffset)) return [];",
        put: "if (windowNumber === null) return [];",
      },
    ],
    nearest: releaserTests,
  },
  {
    id: "unappended-release-not-returned",
    breaks: "A debit whose Release was not appended never gets its turn.",
    edits: [{ file: releaser, find: "    for (const one of chosen) returnToQueue(work, one);\n", put: "" }],
    nearest: releaserTests,
  },
  {
    id: "earlier-round-not-awaited",
    breaks: "Releases of a new window overtake those of the last one that are still undecided.",
    edits: [{ file: releaser, find: "    if (work.out.hasEarlierRound(group.bank, round)) return [];\n", put: "" }],
    nearest: releaserTests,
  },
  {
    id: "carried-over-debit-stays-in-old-queue",
    breaks: "A debit that was carried over is still in the queue of its old date.",
    edits: [
      {
        file: releaser,
        find: "    for (const date of datesBefore) if (date !== businessDate) held.remove(bank, dayKey(scheme, date), queueKey);\n",
        put: "",
      },
    ],
    nearest: releaserTests,
  },
  {
    id: "silent-debits-count-for-ever",
    breaks: "Debits of a bank that answers others, but never these, take up its share for ever.",
    edits: [
      {
        file: outstanding,
        find: "isReleased && nowMs - sinceMs >= silentAfterMs && lastMs > sinceMs;",
        put: "isReleased && nowMs - sinceMs >= silentAfterMs && lastMs > nowMs;",
      },
    ],
    nearest: releaserTests,
  },
  {
    id: "partition-share-of-whole",
    breaks: "Each partition gives a bank as many unacknowledged debits as all partitions together may.",
    edits: [
      {
        file: `${tasks}/release/partition-share.ts`,
        find: "const whole = Math.floor(maxUnacknowledged / partitionCount);",
        put: "const whole = maxUnacknowledged;",
      },
    ],
    nearest: [`${tasks}/release/partition-share.test.ts`],
  },
  {
    id: "arrivals-during-refill-lost",
    breaks: "A debit that is held while its queue's page is refilled is missing from the page.",
    edits: [{ file: page, find: "      for (const queueKey of arrived) insert(queueKey);\n", put: "" }],
    nearest: [`${tasks}/queues/queue-page.test.ts`],
  },
  {
    id: "cut-page-counts-as-complete",
    breaks: "A page that was cut forgets that the store has more.",
    edits: [{ file: page, find: "    completeTo = keys.at(-1) ?? null;\n", put: "" }],
    nearest: [`${tasks}/queues/queue-page.test.ts`],
  },
  {
    id: "close-during-closing-forgotten",
    breaks: "A day whose close comes while another is read is never closed.",
    edits: [
      {
        file: `${tasks}/day-closer.ts`,
        find: "    days.clear();\n    let isDone = false;\n    try {\n      isDone = await appendAll(closing);\n    } finally {\n",
        put: "    let isDone = false;\n    try {\n      isDone = await appendAll(closing);\n    } finally {\n      days.clear();\n",
      },
    ],
    nearest: [`${tasks}/day-closer.test.ts`],
  },
  {
    id: "closing-stops-at-first-page",
    breaks: "A close reaches the transactions of the first page of the store only.",
    edits: [
      {
        file: `${tasks}/day-closer.ts`,
        find: "      after = rows.length === pageRowsMax ? (rows.at(-1)?.uetr ?? null) : null;",
        put: "      after = null;",
      },
    ],
    nearest: [`${tasks}/day-closer.test.ts`],
  },
  {
    id: "reconciled-date-carries-over",
    breaks: "A debit of a reconciled date gets the close of its windows instead.",
    edits: [
      {
        file: `${tasks}/day-closer.ts`,
        find: "  if (reconciliationDay !== null && isReconciled(markers.markersOf(reconciliationDay))) return reconciliationDay;\n",
        put: "",
      },
    ],
    nearest: [`${tasks}/day-closer.test.ts`],
  },
  {
    id: "gate-answer-before-reading",
    breaks: "A partition answers a declaration of credits final without reading its credits.",
    edits: [
      {
        file: `${tasks}/gate-reporter.ts`,
        find: "        for (const row of credits) for (const { waiting } of found) waiting.add(row);\n",
        put: "        void credits;\n",
      },
    ],
    nearest: [`${tasks}/gate-reporter.test.ts`],
  },
  {
    id: "credit-ended-during-reading-awaited",
    breaks: "A credit that ends while the store is read keeps its bank's gate closed for ever.",
    edits: [{ file: `${tasks}/gate-reporter.ts`, find: "      for (const row of changes.values()) waiting.observe(row);\n", put: "" }],
    nearest: [`${tasks}/gate-reporter.test.ts`],
  },
  {
    id: "day-clock-by-own-clock",
    breaks: "A planned time is appended by the process's clock instead of the broker's.",
    edits: [
      {
        file: `${tasks}/day-clock.ts`,
        find: "    const nowMs = options.brokerNowMs();\n    if (nowMs === null) return repeatAfterMs;",
        put: "    const nowMs = time.nowMs();",
      },
    ],
    nearest: [`${tasks}/day-clock.test.ts`],
  },
  {
    id: "planning-by-own-clock",
    breaks: "Days are planned by the process's clock instead of the broker's.",
    edits: [
      {
        file: `${tasks}/day-planner.ts`,
        find: "    const nowMs = options.brokerNowMs();\n    if (nowMs === null) return askAgainMs;",
        put: "    const nowMs = time.nowMs();",
      },
    ],
    nearest: [`${tasks}/day-planner.test.ts`],
  },
  {
    id: "deadlines-before-caught-up",
    breaks: "A new owner passes deadlines of credits whose reports it has not read yet.",
    edits: [{ file: `${tasks}/deadlines.ts`, find: "    if (!options.isCaughtUp()) return null;\n", put: "" }],
    nearest: [`${tasks}/deadlines.test.ts`],
  },
  {
    id: "signal-during-run-lost",
    breaks: "A background task that is woken while it runs does not run again.",
    edits: [
      {
        file: `${tasks}/background-task.ts`,
        find: "    if (!this.#isRunning) void this.#run();",
        put: "    if (this.#isRunning) this.#isWoken = false;\n    else void this.#run();",
      },
    ],
    nearest: [`${tasks}/day-closer.test.ts`, `${tasks}/gate-reporter.test.ts`],
  },
  {
    id: "undated-unread-never-woken",
    breaks: "A message that lay unread before its partition knew a day never becomes an item, and keeps the gates closed.",
    edits: [
      {
        file: `${tasks}/day-closer.ts`,
        find: "  if (row.flow === null && reconciliationDay === null) return findNewestReconciled(markers);\n",
        put: "",
      },
    ],
    nearest: [`${tasks}/day-closer.test.ts`],
  },
  {
    id: "late-snapshot-stays-last",
    breaks: "A snapshot that lands late stays the last one of its key.",
    edits: [
      {
        file: `${tasks}/snapshot-keeper.ts`,
        find: "      if (offset > this.#tail) this.#addForeign(this.#tail, offset);\n",
        put: "",
      },
    ],
    nearest: [`${tasks}/snapshot-keeper.test.ts`],
  },
  {
    id: "rebuilt-into-a-restored-store",
    breaks: "A rebuild switches to a build that the restored store no longer has.",
    edits: [{ file: "services/scheduler/rebuild/rebuild-partition.ts", find: "    await fold.requireStored();\n", put: "" }],
    nearest: ["services/scheduler/rebuild/rebuild.test.ts"],
  },
  {
    id: "planned-with-todays-offset",
    breaks: "Days after a change of the clocks are planned with the offset of the day on which they are planned.",
    edits: [
      {
        file: `${tasks}/day-planner.ts`,
        find: "  const plan = (date: string): DayPlanned => buildDayPlan(scheme, partitionCount, date);",
        put: [
          "  const { offset: zone } = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(times.calendar.zone);",
          "  const dated = { ...scheme, times: { ...times, calendar: { ...times.calendar, zone } } };",
          "  const plan = (date: string): DayPlanned => buildDayPlan(dated, partitionCount, date);",
        ].join("\n"),
      },
    ],
    nearest: [`${tasks}/day-planner.test.ts`],
    isCaughtLate: true,
  },
  {
    id: "restored-ledger-trusted",
    breaks: "A ledger that a restored store answers in the middle of a batch is counted on, and lacks what was counted before.",
    edits: [{ file: "services/scheduler/partition/day-ledgers.ts", find: "    await requireLease();\n", put: "" }],
    nearest: ["services/scheduler/scenarios/live-restore.test.ts"],
  },
  {
    id: "replay-loses-the-last-record",
    breaks: "Of a transaction's dead letters the newest one does not go back, and its quarantine ends all the same.",
    edits: [
      {
        file: "services/console/dead-letters/replay-dead-letters.ts",
        find: "!isLeft);\n  const value = { action,",
        put: "!isLeft).slice(0, -1);\n  const value = { action,",
      },
    ],
    nearest: ["services/console/dead-letters/replay-dead-letters.test.ts"],
  },
  {
    id: "take-over-fills-one-page",
    breaks: "An owner that has more open transactions than one page releases and closes only those of the first page.",
    edits: [
      {
        file: "services/scheduler/partition/take-over.ts",
        find: "    if (last === undefined || rows.length < limit) return count;\n",
        put: "    return count;\n",
      },
    ],
    nearest: ["services/scheduler/partition/take-over.test.ts"],
  },
  {
    id: "closer-reads-one-page",
    breaks: "A day with more open transactions than one page leaves those of further pages unresolved.",
    edits: [
      {
        file: `${tasks}/day-closer.ts`,
        find: "      after = rows.length === pageRowsMax ? (rows.at(-1)?.uetr ?? null) : null;\n",
        put: "",
      },
    ],
    nearest: [`${tasks}/day-closer.test.ts`],
  },
  {
    id: "gate-counts-one-page",
    breaks: "Credits beyond the first page of open transactions do not keep the gate closed.",
    edits: [
      {
        file: `${tasks}/gate-reporter.ts`,
        find: "        after = rows.length === pageRowsMax ? (rows.at(-1)?.uetr ?? null) : null;\n",
        put: "",
      },
    ],
    nearest: [`${tasks}/gate-reporter.test.ts`],
  },
  {
    id: "cut-queue-not-read-on",
    breaks: "Held debits beyond a queue's page are never released.",
    edits: [
      {
        file: `${tasks}/queues/held-queue.ts`,
        find: "        page.finishRefill(queueKeys, rows.length === limit);",
        put: "        page.finishRefill(queueKeys, false);",
      },
    ],
    nearest: [`${tasks}/release/releaser.test.ts`],
  },
  {
    id: "replay-of-a-full-record-tried-for-ever",
    breaks: "A replay with a record that has no room for its letter's name is answered 503 each time, and never applied.",
    edits: [
      {
        file: "services/console/dead-letters/replay-dead-letters.ts",
        find: "isTooLarge(buildReplay(one)) ? { ...one, isLeft: true } : one",
        put: "one",
      },
    ],
    nearest: ["services/console/dead-letters/leave-letters.test.ts"],
  },
];
