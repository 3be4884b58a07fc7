// Planted bugs of messaging: producers, positions, leases, the order of keys.

import type { PlantedBug } from "../planted-bug.ts";

const [producer, leaderQueue, queue] = [
  "packages/messaging/kafka/producer.ts",
  "packages/messaging/kafka/leader-queue.ts",
  "packages/messaging/send-queue.ts",
];
const lease = "packages/messaging/partitions/lease/lease-state.ts";
const consumers = ["packages/messaging/memory/conformance.test.ts", "packages/messaging/partitions/partition-consumer.test.ts"];

export const messagingBugs: readonly PlantedBug[] = [
  {
    id: "heartbeat-of-a-stuck-partition",
    breaks: "A partition that finishes nothing has a heartbeat at each scrape.",
    edits: [
      {
        file: "packages/messaging/partitions/partition-consumer.ts",
        find: "if (oldest !== null) return time.nowMs() - (time.monotonicMs() - oldest.sinceMs);",
        put: "if (oldest !== null) return time.nowMs();",
      },
    ],
    nearest: ["packages/messaging/partitions/scrape/partition-offsets.test.ts"],
  },
  {
    id: "missing-partitions-not-sent-again",
    breaks: "A produce answer that lacks partitions counts as an acknowledgement of all.",
    edits: [
      {
        file: leaderQueue,
        find: "left = left.filter((record) => !isPlaced(answers.bases, record) && refusalOf(answers, record) === null);",
        put: "left = left.filter((record) => !isPlaced(answers.bases, record) && answers.bases.size === 0);",
      },
    ],
    nearest: ["packages/messaging/kafka/producer.test.ts"],
  },
  {
    id: "refused-record-sent-again",
    breaks: "A record that a live leader refuses is sent again, and holds up the records of other partitions.",
    edits: [{ file: leaderQueue, find: " && refusalOf(answers, record) === null);", put: ");" }],
    nearest: ["packages/messaging/kafka/producer.test.ts"],
  },
  {
    id: "refusal-fails-whole-request",
    breaks: "A leader that refuses one partition fails all that its broker leads.",
    edits: [
      {
        file: "packages/messaging/kafka/protocol/produce-answer.ts",
        find: "await response.parse(movedOf(answer));",
        put: "await response.parse(answer);",
      },
    ],
    nearest: ["packages/messaging/kafka/protocol/produce-answer.test.ts"],
  },
  {
    id: "troubled-partition-not-named",
    breaks: "A service that works on some of its partitions does not say which ones make no progress.",
    edits: [
      {
        file: "packages/messaging/partitions/partition-consumer.ts",
        find: "this.#troubled.set(texts.length === 0 ? 0 : 1, this.#labels(partition));",
        put: "this.#troubled.set(0, this.#labels(partition));",
      },
    ],
    nearest: ["packages/messaging/partitions/readiness.test.ts"],
  },
  {
    id: "ready-before-its-partitions-open",
    breaks: "A process calls itself ready before it has opened a partition, so that a rollout ends the one before it too early.",
    edits: [
      {
        file: "packages/messaging/partitions/partition-consumer.ts",
        find: "const hasNone = troubles.length === 0 && assigned !== 0;",
        put: "const hasNone = assigned === Infinity;",
      },
    ],
    nearest: ["packages/messaging/partitions/readiness.test.ts"],
  },
  {
    id: "join-waits-for-its-fetch",
    breaks: "A member that is asked to join again waits for its fetch, and all others stand still meanwhile.",
    edits: [
      {
        file: "packages/messaging/kafka/kafkajs/heartbeats.ts",
        find: "if (beating.end === null) fetch().then(fetched.resolve, fetched.reject);",
        put: "if (beating.end === null) return await fetch();",
      },
    ],
    nearest: ["packages/messaging/kafka/kafkajs/kafkajs-repairs.test.ts"],
  },
  {
    id: "second-place-of-double-append",
    breaks: "Of a batch that was appended twice the second place is answered.",
    edits: [
      {
        file: leaderQueue,
        find: "if (before === undefined || nextOffset < before.nextOffset)",
        put: "if (before === undefined || nextOffset > before.nextOffset)",
      },
    ],
    nearest: ["packages/messaging/kafka/producer.test.ts"],
  },
  {
    id: "producer-kept-after-error",
    breaks: "A producer whose sequence is in doubt is used again.",
    edits: [{ file: leaderQueue, find: "    void this.#discardSender();\n", put: "" }],
    nearest: ["packages/messaging/kafka/producer.test.ts"],
  },
  {
    id: "sends-behind-failure-go-on",
    breaks: "Sends behind a failed one are appended before it is repeated.",
    edits: [
      {
        file: queue,
        find: "[...batch, ...waiting.splice(0)]",
        put: "batch",
      },
    ],
    nearest: ["packages/messaging/send-queue.test.ts"],
  },
  {
    id: "part-of-send-counts-as-refused",
    breaks: "A send of which a part was appended is answered as refused.",
    edits: [
      {
        file: "packages/messaging/faults.ts",
        find: "return appended.some((one) => one !== null) ? new PartlyAppendedFault(appended, cause) : cause;",
        put: "return appended.length < 0 ? new PartlyAppendedFault(appended, cause) : cause;",
      },
    ],
    nearest: ["packages/messaging/send-queue.test.ts"],
  },
  {
    id: "sends-behind-failed-record-go-on",
    breaks: "Records behind a failed one of their partition are appended before it is repeated.",
    edits: [{ file: queue, find: "      if (faults === null) return;", put: "      return;" }],
    nearest: ["packages/messaging/send-queue.test.ts"],
  },
  {
    id: "moved-leader-reorders",
    breaks: "A record goes to the new leader of its partition while earlier ones wait at the old one.",
    edits: [{ file: producer, find: "known.waitingCount > 0) return known;", put: "known.waitingCount < 0) return known;" }],
    nearest: ["packages/messaging/kafka/producer.test.ts"],
  },
  {
    id: "leaderless-partition-repeats-elsewhere",
    breaks: "While one partition has no leader, the others get the same records again at each retry.",
    edits: [
      {
        file: "packages/messaging/resend-memory.ts",
        find: "if (error instanceof PartlyAppendedFault) this.#keep(left, error.appended);",
        put: "if (error instanceof PartlyAppendedFault) this.#keep(left, []);",
      },
    ],
    nearest: ["packages/messaging/resend-memory.test.ts"],
  },
  {
    id: "repeated-end-sends-all",
    breaks: "While one partition has no leader, a delivery that ends sends its other records again at each retry.",
    edits: [
      {
        file: "packages/messaging/repeated-send.ts",
        find: "if (failedWith instanceof PartlyAppendedFault) this.#keep(failedWith.appended);",
        put: "if (failedWith instanceof PartlyAppendedFault) this.#keep([]);",
      },
    ],
    nearest: ["packages/messaging/repeated-send.test.ts"],
  },
  {
    id: "watermark-of-highest",
    breaks: "A position passes records that are still in progress.",
    edits: [
      {
        file: "packages/messaging/partitions/positions/watermark.ts",
        find: "    return this.#places[this.#head]?.offset ?? this.#nextOffset;",
        put: "    return (this.#places.findLast(({ isDone }) => isDone)?.offset ?? this.#nextOffset - 1n) + 1n;",
      },
    ],
    nearest: consumers,
  },
  {
    id: "keys-overtake-each-other",
    breaks: "Two records of one key are handled at the same time.",
    edits: [
      {
        file: "packages/messaging/partitions/keyed-consumer.ts",
        find: "      if (last === undefined) return entry;\n      last.next = entry;",
        put: "      return entry;",
      },
    ],
    nearest: consumers,
  },
  {
    id: "hand-over-leaves-holes",
    breaks: "A planned stop leaves a record open before others that are done, so that the next owner does those again (I3).",
    edits: [
      {
        file: "packages/messaging/partitions/keyed-consumer.ts",
        find: "    this.#drainTo ??= this.#startedTo;",
        put: "    this.#drainTo ??= -1n;",
      },
    ],
    nearest: ["services/event-publisher/hand-over.test.ts"],
  },
  {
    id: "hand-over-writes-once",
    breaks: "A position write that fails in a hand-over is not repeated, so that the next owner does again what it covers (I3).",
    edits: [
      {
        file: "packages/messaging/partitions/positions/flush-position.ts",
        find: "    await sleep(time, retryPauseMs);",
        put: "    return;",
      },
    ],
    nearest: consumers,
  },
  {
    id: "witness-read-before-a-standstill",
    breaks: "A process that stood still relies on a witness that it read before the store was restored.",
    edits: [
      {
        file: "packages/messaging/partitions/lease/partition-lease.ts",
        find: "if (time.monotonicMs() - fromMs <= witnessAgeMaxMs) return false;",
        put: "return false;",
      },
    ],
    nearest: ["packages/messaging/partitions/lease/partition-lease.test.ts"],
  },
  {
    id: "lease-taken-without-confirmation",
    breaks: "A lost partition is taken again though the coordinator has not confirmed the assignment.",
    edits: [
      {
        file: lease,
        find: 'if (event.kind !== "waited" || event.heartbeatAgeMs >= event.nowMs - state.lostAtMs) return state;',
        put: 'if (event.kind !== "waited") return state;',
      },
    ],
    nearest: ["packages/messaging/partitions/lease/lease-state.test.ts", "packages/messaging/partitions/lease/partition-lease.test.ts"],
  },
  {
    id: "refusal-of-older-epoch-counts",
    breaks: "A refused write of an older epoch takes the partition from its present owner.",
    edits: [
      { file: lease, find: 'return event.kind === "refused" && event.epoch === state.epoch ?', put: 'return event.kind === "refused" ?' },
    ],
    nearest: ["packages/messaging/partitions/lease/lease-state.test.ts"],
  },
  {
    id: "note-of-letters-of-another-topic",
    breaks: "An owner reads on in a topic of dead letters that is not the one that was noted, and misses skips in it.",
    edits: [
      {
        file: "packages/messaging/dead-letters/skips-memory.ts",
        find: "memory.log.topicId !== log.topicId) return null;",
        put: "memory.log.topicId === null) return null;",
      },
    ],
    nearest: ["packages/messaging/dead-letters/operator-skips.test.ts"],
  },
  {
    id: "letters-read-and-not-noted",
    breaks: "A take-over reads all dead letters of its partition each time.",
    edits: [
      {
        file: "services/scheduler/partition/take-over.ts",
        find: "letters: context.operatorSkips.note(partition) }),",
        put: "letters: null }),",
      },
    ],
    nearest: ["services/scheduler/partition/take-over.test.ts"],
  },
  {
    id: "gathered-answers-mixed",
    breaks: "A partition whose write was refused takes the answer of another one, and goes on under a lost epoch.",
    edits: [{ file: "packages/kernel/gathered-calls.ts", find: "resolve(answers[index]!);", put: "resolve(answers[0]!);" }],
    nearest: ["packages/kernel/gathered-calls.test.ts"],
  },
  {
    id: "gathered-call-fails-for-all",
    breaks: "A transaction that cannot be read stops every partition that reads at the same moment.",
    edits: [
      {
        file: "packages/kernel/gathered-calls.ts",
        find: "if (!isRepeatedAlone || all.length === 1)",
        put: "if (isRepeatedAlone || all.length > 0)",
      },
    ],
    nearest: ["packages/store/shared-calls.test.ts"],
  },
  {
    id: "slow-call-holds-up-all",
    breaks: "One call that the store does not answer holds up the calls of all partitions.",
    edits: [{ file: "packages/store/shared-calls.ts", find: "const behindMaxMs = 10;", put: "const behindMaxMs = 60_000;" }],
    nearest: ["packages/store/shared-calls.test.ts"],
  },
  {
    id: "ledger-of-another-partition",
    breaks: "Of ledgers that are read together a partition is given another's.",
    edits: [
      {
        file: "packages/store/documents/ledger-document.ts",
        find: "found.get(ledgerId(partition, day))",
        put: "found.get(ledgerId(reads[0]?.partition ?? partition, day))",
      },
    ],
    nearest: ["packages/store/shared-calls.test.ts"],
  },
  {
    id: "transaction-twice-in-one-bulk",
    breaks: "Of two writes of one transaction in one call both are taken for written.",
    edits: [{ file: "packages/store/shared-calls.ts", find: "uetrs.isDisjointFrom(own)", put: "uetrs.size > 0" }],
    nearest: ["packages/store/shared-calls.test.ts"],
  },
  {
    id: "text-of-another-with-its-length",
    breaks: "A header of a fetched record is read as another text that has the same place.",
    edits: [
      {
        file: "packages/messaging/kafka/protocol/repeated-texts.ts",
        find: "known.bytes.length === length && isEqual(known.bytes, source, from)) return",
        put: "known.bytes.length === length) return",
      },
    ],
    nearest: ["packages/messaging/kafka/protocol/repeated-texts.test.ts"],
  },
  {
    id: "range-ends-anywhere",
    breaks: "A reading of a range that the broker ends early counts as whole.",
    edits: [
      {
        file: "packages/messaging/require-covered.ts",
        find: "    yield record;\n  }\n  if (next < to) throw readIncomplete(place, next, to);\n}\n\n/**",
        put: "    yield record;\n  }\n  void next;\n}\n\n/**",
      },
    ],
    nearest: ["packages/messaging/require-covered.test.ts"],
  },
  {
    id: "zombie-raises-the-epoch",
    breaks: "A process that stood still takes its partition over although it may be another's by then.",
    edits: [
      {
        file: "packages/messaging/partitions/lease/partition-lease.ts",
        find: "while (!isOver() && this.#options.heartbeatAgeMs() >= heartbeatAgeMaxMs)",
        put: "while (!isOver() && this.#options.heartbeatAgeMs() < 0)",
      },
    ],
    nearest: ["packages/messaging/partitions/lease/partition-lease.test.ts"],
  },
  {
    id: "taken-after-its-assignment",
    breaks: "A process that stood still takes a partition over for an assignment that ended while nobody had confirmed it (I4).",
    edits: [
      {
        file: "packages/messaging/partitions/lease/partition-lease.ts",
        find: 'assignmentOver.aborted || this.#state.kind === "over"',
        put: 'this.#state.kind === "over"',
      },
      {
        file: "packages/messaging/partitions/lease/partition-lease.ts",
        find: "await sleep(time, unconfirmedWaitMs, assignmentOver)",
        put: "await sleep(time, unconfirmedWaitMs)",
      },
    ],
    nearest: ["packages/messaging/partitions/lease/partition-lease.test.ts"],
  },
  ...(["keyed", "batch"] as const).map((kind) => ({
    id: `${kind}-opening-hears-no-end`,
    breaks: "An opening that waits for the coordinator does not hear that its assignment is over, so that a stop never ends.",
    edits: [
      {
        file: `packages/messaging/partitions/${kind}-consumer.ts`,
        find: "log, this.#over.signal)",
        put: "log, new AbortController().signal)",
      },
    ],
    nearest: ["packages/messaging/partitions/partition-consumer.test.ts"],
  })),
  {
    id: "late-socket-connects",
    breaks: "A socket that connects after its time makes the connection one that nothing can be written to.",
    edits: [
      {
        file: "packages/messaging/kafka/kafkajs/sockets.ts",
        find: "if (link.isOver) return void socket.destroy();",
        put: "",
      },
    ],
    nearest: ["packages/messaging/kafka/kafkajs/sockets.test.ts"],
  },
  {
    id: "ended-socket-refuses-nothing",
    breaks: "A request on a socket that ends is never answered nor refused, so that a consumer stands still for ever.",
    edits: [
      {
        file: "packages/messaging/kafka/kafkajs/sockets.ts",
        find: "for (const request of [...findCarried(connection, link), ...unsent]) {",
        put: "for (const request of unsent) {",
      },
    ],
    nearest: ["packages/messaging/kafka/kafkajs/sockets.test.ts"],
  },
  {
    id: "old-answer-counts-as-fresh",
    breaks: "A process that stood still takes an answer that waited for it for a sign that it still has its partitions.",
    edits: [
      {
        file: "packages/messaging/kafka/protocol/asked-times.ts",
        find: "return performance.now() - atMs;",
        put: "return Math.min(0, performance.now() - atMs);",
      },
    ],
    nearest: ["packages/messaging/kafka/protocol/asked-times.test.ts"],
  },
];
