// Planted bugs of delivery: order, attempts, breakers, the backlog.

import type { PlantedBug } from "../planted-bug.ts";

const delivery = "packages/delivery";
const [fastPath, end, stop] = [`${delivery}/attempt/fast-path.ts`, `${delivery}/attempt/end.ts`, `${delivery}/attempt/stop.ts`];
const order = ["services/dispatcher/order/order.test.ts", "services/dispatcher/order/crash.test.ts"];
const breaker = ["packages/delivery/endpoint/breaker.test.ts", "services/dispatcher/endpoint/breaker.test.ts"];

export const deliveryBugs: readonly PlantedBug[] = [
  {
    id: "message-overtakes-parked-one",
    breaks: "A message is sent before an earlier one of its UETR that waits.",
    edits: [
      {
        file: fastPath,
        find: 'if (this.#queue.page.containsKey(deliveryKey) || this.#partition.locks.isLocked(receiverId, deliveryKey)) return "held";',
        put: 'if (this.#partition.locks.isLocked(receiverId, deliveryKey)) return "held";',
      },
    ],
    nearest: order,
  },
  {
    id: "message-overtakes-running-attempt",
    breaks: "A message is sent while an attempt on an earlier one of its UETR still runs.",
    edits: [
      {
        file: fastPath,
        find: "this.#queue.page.containsKey(deliveryKey) || this.#partition.locks.isLocked(receiverId, deliveryKey)",
        put: "this.#queue.page.containsKey(deliveryKey)",
      },
    ],
    nearest: [...order, "services/dispatcher/deadlines/late-changes.test.ts"],
  },
  {
    id: "spilling-not-respected",
    breaks: "New messages overtake a backlog that lies in the store.",
    edits: [{ file: fastPath, find: '    if (this.#queue.isSpilling) return "spilling";\n', put: "" }],
    nearest: ["services/dispatcher/endpoint/breaker.test.ts"],
  },
  {
    id: "sent-while-paused",
    breaks: "A paused bank gets messages.",
    edits: [{ file: fastPath, find: 'return partition.pauses.isPaused(delivery.receiverId) ? "paused" : this', put: "return this" }],
    nearest: ["services/dispatcher/operators/pause.test.ts"],
  },
  {
    id: "sent-after-close",
    breaks: "A debit is sent after the reconciliation of its day.",
    edits: [
      {
        file: fastPath,
        find: 'if (areAttemptsOver(context, partition, delivery) || isExpired(context, delivery)) return "over";',
        put: "",
      },
    ],
    nearest: ["services/dispatcher/deadlines/own-deadlines.test.ts", "services/dispatcher/deadlines/replayed-days.test.ts"],
  },
  {
    id: "sent-before-lease-confirmed",
    breaks: "A process that lost its partition sends what the new owner sends too.",
    edits: [
      {
        file: fastPath,
        find: "return this.#partition.lease.isConfirmed ? this.#try(slot) : this.#tryOnceKnown(slot);",
        put: "return this.#try(slot);",
      },
    ],
    nearest: order,
  },
  {
    id: "end-with-a-stale-copy",
    breaks: "A message that expires during its attempt ends as one that was never tried.",
    edits: [
      {
        file: "packages/delivery/backlog/drain.ts",
        find: "if (entry.attempts === parked.attempts) return parked;",
        put: "if (entry.attempts >= 0) return parked;",
      },
    ],
    nearest: ["services/dispatcher/deadlines/own-deadlines.test.ts"],
  },
  {
    id: "unparked-before-end-is-known",
    breaks: "A crash between the two leaves a message that is sent again after its acknowledgement was lost.",
    edits: [
      {
        file: end,
        find: "  return isParked ? ended.then(() => unpark(context, partition, delivery)) : ended;",
        put: "  return isParked ? unpark(context, partition, delivery).then(() => ended) : ended;",
      },
    ],
    nearest: order,
  },
  {
    id: "acknowledged-row-stays",
    breaks: "A delivered message stays in the backlog and is sent again.",
    edits: [
      { file: end, find: "  return isParked ? ended.then(() => unpark(context, partition, delivery)) : ended;", put: "  return ended;" },
    ],
    nearest: order,
  },
  {
    id: "position-passes-waiting-receipts",
    breaks: "The receipts that wait when a process is killed never come.",
    edits: [{ file: `${delivery}/partition/leased-partition.ts`, find: "    await sendReceipts(partition);\n", put: "" }],
    nearest: ["services/event-publisher/receipts.test.ts"],
  },
  {
    id: "waiting-receipts-unbounded",
    breaks: "While the topic of receipts is away a partition keeps more and more of them.",
    edits: [{ file: end, find: "receipts.count < context.bounds.receiptsWaitingMax", put: "receipts.count >= 0" }],
    nearest: ["services/event-publisher/receipts.test.ts"],
  },
  {
    id: "failed-often-is-evidence",
    breaks: "A few messages that fail for ever keep a healthy bank's breaker open.",
    edits: [
      { file: `${delivery}/endpoint/breaker.ts`, find: "  return failedBefore < evidenceAttempts;", put: "  return failedBefore >= 0;" },
    ],
    nearest: [...breaker, "services/dispatcher/isolation/poison.test.ts"],
  },
  {
    id: "one-message-opens-breaker",
    breaks: "One message that fails again and again keeps all others of its bank out.",
    edits: [
      {
        file: `${delivery}/endpoint/breaker.ts`,
        find: "rows[reason].count >= needed && rows[reason].isOfSeveral",
        put: "rows[reason].count >= needed",
      },
    ],
    nearest: breaker,
  },
  {
    id: "older-stop-stops-redriven",
    breaks: "A stop from before a redrive ends the redriven message.",
    edits: [
      {
        file: stop,
        find: "  if (partition.recentEnds.isOlder(subject.id, causedByOffset)) {",
        put: "  if (partition.recentEnds.isOlder(subject.id, -1n)) {",
      },
    ],
    nearest: ["services/dispatcher/operators/redrive.test.ts", "services/dispatcher/evidence/stop.test.ts"],
  },
  {
    id: "stopped-message-tried-again",
    breaks: "A message that an operator stopped is tried again.",
    edits: [
      {
        file: `${delivery}/attempt/give-up.ts`,
        find: '{ progress, ended: "refused" }',
        put: "{ progress, ended: null as never }",
      },
    ],
    nearest: ["services/dispatcher/operators/give-up.test.ts"],
  },
  {
    id: "newer-row-replaced-by-older",
    breaks: "An older write of the same owner replaces a newer one.",
    edits: [
      {
        file: `${delivery}/backlog/row-version.ts`,
        find: '  if (version > storedVersion) return "replaces";',
        put: '  if (version !== storedVersion) return "replaces";',
      },
    ],
    nearest: ["packages/delivery/backlog/row-version.test.ts"],
  },
  {
    id: "retry-place-not-given-back",
    breaks: "Each retried message takes a place for ever, until no retry is made any more.",
    edits: [{ file: `${delivery}/endpoint/retry-places.ts`, find: "        this.#taken[use] -= 1;\n", put: "" }],
    nearest: ["services/dispatcher/isolation/poison.test.ts", "services/dispatcher/isolation/backlogs.test.ts"],
  },
  {
    id: "due-while-draining-forgotten",
    breaks: "A message that becomes due while its timer, which fired a moment early, is handled waits for ever.",
    edits: [{ file: `${delivery}/backlog/backlog-page.ts`, find: "    if (this.#ripenedMs > nowMs) return nowMs;\n", put: "" }],
    nearest: ["packages/delivery/backlog/backlog-page.test.ts"],
  },
  {
    id: "posting-ends-in-the-journal",
    breaks: "What a bank answers to an event becomes a fact of its transaction.",
    edits: [
      {
        file: "services/event-publisher/rules.ts",
        find: "      return [outgoingRecord(serde, topics.receipts, uetr,",
        put: [
          "      const { messageIdentification, operation } = { messageIdentification: end.subject.id, operation: end.subject.operation };",
          '      const facts = { outcome: "REFUSED", httpStatusCode: null, attempts: 1, anyAnswer: true, mayHaveBeenTaken: true } as const;',
          "      const more = { recentAttempts: [], isBreakerOpen: false, isReceiverPaused: false, stopOffset: null };",
          '      const fact = { name: "DeliveryEnded", value: { messageIdentification, operation, ...facts, ...more } } as const;',
          "      return [outgoingRecord(serde, topics.journal, uetr, fact, options), outgoingRecord(serde, topics.receipts, uetr,",
        ].join("\n"),
      },
    ],
    nearest: ["services/event-publisher/service.test.ts"],
  },
  {
    id: "cover-not-moved-on",
    breaks: "A backlog that is larger than a page is never read on.",
    edits: [{ file: `${delivery}/backlog/scan.ts`, find: "    moveCover(partition, page, endpoint, nextCover(rows, limit));\n", put: "" }],
    nearest: ["packages/delivery/backlog/scan.test.ts", "services/dispatcher/isolation/backlogs.test.ts"],
  },
  {
    id: "arrivals-during-scan-lost",
    breaks: "A message that is parked while the store is read waits for the next restart.",
    edits: [
      {
        file: `${delivery}/backlog/scan.ts`,
        find: "  for (const entry of scan.arrivals) getQueue(context, partition, entry.endpoint.receiverId).page.offer(entry);\n",
        put: "",
      },
    ],
    nearest: ["packages/delivery/backlog/scan.test.ts", "services/dispatcher/isolation/backlogs.test.ts"],
  },
  {
    id: "place-kept-until-removed",
    breaks: "An acknowledged message keeps its place until its row is removed: log and store set the pace of a drain.",
    edits: [{ file: "packages/delivery/backlog/drain.ts", find: 'if (result.class === "acknowledged") place.markEnding();', put: "" }],
    nearest: ["services/dispatcher/isolation/backlogs.test.ts"],
  },
  {
    id: "oldest-failing-takes-every-turn",
    breaks: "Of messages that fail often the oldest is tried again and again, and the others never (I7).",
    edits: [
      {
        file: "packages/delivery/backlog/page-section.ts",
        find: "failing: new PriorityQueue<Ticket>(waitsLonger)",
        put: "failing: new PriorityQueue<Ticket>(isOlder)",
      },
    ],
    nearest: ["packages/delivery/backlog/backlog-page.test.ts"],
  },
  {
    id: "removed-row-becomes-a-witness",
    breaks: "The late answer to an update makes a removed row a witness: a healthy store counts as restored (I16).",
    edits: [
      {
        file: "packages/delivery/backlog/row-witnesses.ts",
        find: "    if (this.#removals.has(id)) return;\n",
        put: "",
      },
    ],
    nearest: ["packages/delivery/backlog/row-witnesses.test.ts"],
  },
  {
    id: "removed-row-is-no-witness",
    breaks: "A restore that brings ended messages back stays unnoticed until the next take-over delivers them once more.",
    edits: [
      {
        file: "packages/delivery/backlog/row-witnesses.ts",
        find: "if (found.length === 0) return false;",
        put: "if (found.length >= 0) return false;",
      },
    ],
    nearest: ["services/dispatcher/order/restored-store.test.ts"],
  },
  {
    id: "late-insert-taken-for-a-restore",
    breaks: "A late insert of a dead owner, of a message that was delivered meanwhile, ends the process as a restored store would.",
    edits: [
      {
        file: "packages/delivery/backlog/row-witnesses.ts",
        find: "return row !== undefined && kept.has(one) && ownerEpochIn(row.version) === owner.ownerEpoch;",
        put: "return row !== undefined && kept.has(one);",
      },
    ],
    nearest: ["packages/delivery/backlog/row-witnesses.test.ts"],
  },
  {
    id: "late-row-removed-unseen",
    breaks: "A take-over of before a restore removes a row of the restored store's next owner (I1).",
    edits: [{ file: "packages/delivery/backlog/parked-calls.ts", find: "      await owner.lookAtStore();\n", put: "" }],
    nearest: ["services/dispatcher/order/restored-store.test.ts"],
  },
  {
    id: "late-row-judged-by-a-lost-epoch",
    breaks: "A look during the take-over finds another owner, and the row is removed all the same (I1).",
    edits: [
      {
        file: "packages/delivery/partition/leased-partition.ts",
        find: 'if (this.#lease.epoch !== ownerEpoch) throw partitionClosed(this.number, "the store no longer names this owner");',
        put: "void ownerEpoch;",
      },
    ],
    nearest: ["services/dispatcher/order/restored-store.test.ts"],
  },
  {
    id: "hand-over-leaves-old-attempts",
    breaks: "A hand-over leaves attempts that began two seconds before it, so that the next owner sends them again (I3).",
    edits: [
      {
        file: "packages/delivery/partition/attempts-under-way.ts",
        find: "isProbe ? startedMs : Math.max(startedMs, handOverMs)",
        put: "isProbe ? startedMs : Math.min(startedMs, handOverMs)",
      },
    ],
    nearest: ["services/event-publisher/hand-over.test.ts"],
  },
  {
    id: "hand-over-waits-for-a-silent-probe",
    breaks: "A hand-over waits two seconds for a probe of a receiver that is silent anyway, and holds up all others (I16).",
    edits: [
      {
        file: "packages/delivery/partition/attempts-under-way.ts",
        find: "isProbe ? startedMs : Math.max(startedMs, handOverMs)",
        put: "Math.max(startedMs, handOverMs)",
      },
    ],
    nearest: ["packages/delivery/partition/attempts-under-way.test.ts"],
  },
];
