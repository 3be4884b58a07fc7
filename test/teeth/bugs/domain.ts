// Planted bugs of the rules: what a record does to a transaction, a day or a bank.

import type { PlantedBug } from "../planted-bug.ts";

const debits = "packages/domain/debit-and-credit";
const decideTests = [`${debits}/decide.test.ts`, `${debits}/decide.property.test.ts`];
const dayTests = ["packages/domain/day/decide-day.test.ts", "packages/domain/day/credits-final.test.ts"];

export const domainBugs: readonly PlantedBug[] = [
  {
    id: "release-ignores-gate",
    breaks: "A Release counts though the gate is closed.",
    edits: [
      {
        file: `${debits}/markers/release-gate.ts`,
        find: '  return isGateOpenFor(release.bank, markers, place.offset) ? null : "gate-closed";',
        put: "  return null;",
      },
    ],
    nearest: decideTests,
  },
  {
    id: "release-ignores-close",
    breaks: "A Release counts behind the close of its window.",
    edits: [{ file: `${debits}/markers/release-gate.ts`, find: '  if (has("WindowClosed")) return "window-closed";\n', put: "" }],
    nearest: decideTests,
  },
  {
    id: "release-ignores-pause",
    breaks: "A Release counts while its bank is paused.",
    edits: [
      {
        file: `${debits}/markers/release-gate.ts`,
        find: '  if (isPausedBelow(partition.bankMarkersOf(release.bank), place)) return "bank-paused";\n',
        put: "",
      },
    ],
    nearest: decideTests,
  },
  {
    id: "later-gate-counts",
    breaks: "A gate that opens behind a record counts for the record.",
    edits: [
      {
        file: `${debits}/markers/release-gate.ts`,
        find: 'marker.kind !== "GateOpened" || position.offset >= below) return false;',
        put: 'marker.kind !== "GateOpened") return false;',
      },
    ],
    nearest: [...decideTests, `${debits}/markers/reconciliation-close.test.ts`],
  },
  {
    id: "replay-decides-again",
    breaks: "A record that was applied before is applied again.",
    edits: [{ file: `${debits}/decide.ts`, find: "place.offset <= transaction.applied) {", put: "place.offset < transaction.applied) {" }],
    nearest: decideTests,
  },
  {
    id: "replay-without-outputs",
    breaks: "A replayed record does not give its first outputs again, so a crash before the produce loses them.",
    edits: [
      {
        file: `${debits}/decide.ts`,
        find: "    const outputs = replayOutputs(transaction, fact, place, digest);",
        put: "    const outputs = replayOutputs(transaction, fact, { ...place, offset: -1n }, digest);",
      },
    ],
    nearest: decideTests,
  },
  {
    id: "close-before-carry-over",
    breaks: "A debit that should be carried over is reconciled instead.",
    edits: [
      {
        file: `${debits}/decide.ts`,
        find: "  return takeClose(takeCarryOvers(transaction, place, partition, moment), place, partition, moment);",
        put: "  return takeCarryOvers(takeClose(transaction, place, partition, moment), place, partition, moment);",
      },
    ],
    nearest: [`${debits}/markers/carry-over.test.ts`],
  },
  {
    id: "carried-over-too-often",
    breaks: "A debit is carried over once more than its bank allows.",
    edits: [
      {
        file: `${debits}/markers/carry-over.ts`,
        find: "countCarryOvers(debit) < debit.carryOversMax",
        put: "countCarryOvers(debit) <= debit.carryOversMax",
      },
    ],
    nearest: [`${debits}/markers/carry-over.test.ts`],
  },
  {
    id: "repeat-of-any-sender",
    breaks: "A debit of another sender under the same identification counts as a repeat.",
    edits: [
      {
        file: `${debits}/facts/on-message.ts`,
        find: "const isSameSide = message.sender === first.sender && flowOf(fact) === transaction.flow;",
        put: "const isSameSide = flowOf(fact) === transaction.flow;",
      },
    ],
    nearest: [`${debits}/facts/further-message.test.ts`],
  },
  {
    id: "foreign-report-applied",
    breaks: "A report of a bank that the debit is not sent to ends it.",
    edits: [
      {
        file: `${debits}/facts/on-report.ts`,
        find: '  if (bank !== null && fact.message.sender !== bank) return recordReport(transaction, fact, place, "report-foreign");\n',
        put: "",
      },
    ],
    nearest: [`${debits}/decide.test.ts`, `${debits}/off-us.test.ts`],
  },
  {
    id: "one-person-confirms-alone",
    breaks: "The person who proposed a resolution may confirm it.",
    edits: [
      {
        file: `${debits}/facts/on-resolution.ts`,
        find: ' ? "same-person" : { item, proposal }',
        put: " ? { item, proposal } : { item, proposal }",
      },
    ],
    nearest: [`${debits}/facts/on-resolution.test.ts`],
  },
  {
    id: "rejected-resolution-stays",
    breaks: "A resolution that a second person rejected can still be confirmed.",
    edits: [{ file: `${debits}/facts/on-resolution.ts`, find: "? { ...other, resolution: null }", put: "? { ...other }" }],
    nearest: [`${debits}/facts/on-resolution.test.ts`],
  },
  {
    id: "late-confirmation-counts",
    breaks: "A resolution is confirmed at the end of its lifetime, when nobody may any more.",
    edits: [
      { file: `${debits}/facts/on-resolution.ts`, find: "place.appendedAtMs >= expiresAtMs", put: "place.appendedAtMs > expiresAtMs" },
    ],
    nearest: [`${debits}/facts/on-resolution.test.ts`],
  },
  {
    id: "one-person-confirms-a-proposal",
    breaks: "The person who proposed a decision that moves money may confirm it.",
    edits: [
      {
        file: "services/console/proposals/proposal.ts",
        find: 'if (isOwn && given.kind !== "retracted") return "same-person";',
        put: "",
      },
    ],
    nearest: ["services/console/proposals/second-person.test.ts"],
  },
  {
    id: "rejected-proposal-confirmed",
    breaks: "A decision that another person has rejected is sent when a further person confirms it.",
    edits: [
      {
        file: "services/console/proposals/proposal.ts",
        find: "if (proposal.end !== null) return explainEnd(proposal);",
        put: 'if (proposal.end?.kind === "confirmed") return explainEnd(proposal);',
      },
    ],
    nearest: ["services/console/proposals/end-proposal.test.ts"],
  },
  {
    id: "retracted-proposals-push-out-others",
    breaks: "Who proposes and retracts again and again pushes the proposals of others out of the book.",
    edits: [
      {
        file: "services/console/proposals/proposal-room.ts",
        find: '(end === null || end.kind === "retracted")',
        put: "end === null",
      },
    ],
    nearest: ["services/console/proposals/end-proposal.test.ts"],
  },
  {
    id: "outcome-number-not-raised",
    breaks: "The outcome of a resolution goes out under the identification of the report before it.",
    edits: [
      {
        file: `${debits}/facts/on-resolution.ts`,
        find: "const number = (outcome?.number ?? 0) + 1;",
        put: "const number = Math.max(1, outcome?.number ?? 0);",
      },
    ],
    nearest: [`${debits}/facts/on-resolution.test.ts`],
  },
  {
    id: "event-id-of-state",
    breaks: "Two entries of one state give one event id, so the bank drops the second event.",
    edits: [
      {
        file: `${debits}/outputs.ts`,
        find: "    id: eventId(transaction.uetr, entry.stageVersion, digest),",
        put: "    id: eventId(transaction.uetr, entry.state.length, digest),",
      },
    ],
    nearest: decideTests,
  },
  {
    id: "reconciliation-does-not-stop",
    breaks: "A debit in reconciliation is still sent to its bank.",
    edits: [
      {
        file: `${debits}/outputs.ts`,
        find: 'new Set<State>(["RECONCILIATION", "CREDIT_AUTH_RECONCILIATION", "CREDIT_AUTH_DELIVERY_FAILURE"])',
        put: "new Set<State>([])",
      },
    ],
    nearest: [`${debits}/markers/reconciliation-close.test.ts`],
  },
  {
    id: "dead-letters-overtaken",
    breaks: "A message behind a dead-lettered one of the same UETR is applied before it.",
    edits: [
      {
        file: `${debits}/decide.ts`,
        find: "  if (transaction.quarantined !== null && isFollowingFact(fact)) return deadLetterFollowing(transaction, fact, place, partition);\n",
        put: "",
      },
    ],
    nearest: [`${debits}/facts/on-dead-letters.test.ts`],
  },
  {
    id: "day-time-before-its-time",
    breaks: "A window opens before its time when a clock is ahead.",
    edits: [
      {
        file: "packages/domain/day/decide-day.ts",
        find: '  if (nowMs < (fact.time === "window-opens" ? window.opensAtMs : window.closesAtMs))\n    return { decision: "refused", reason: "too-early", day };\n',
        put: "",
      },
    ],
    nearest: dayTests,
  },
  {
    id: "reconciled-not-sent-to-dispatch",
    breaks: "The dispatcher does not learn that a day is over.",
    edits: [{ file: "packages/domain/day/decide-day.ts", find: ' || marker.kind === "DayReconciled" }));', put: " }));" }],
    nearest: dayTests,
  },
  {
    id: "gate-opens-at-first-answer",
    breaks: "A gate opens when the first partition has answered.",
    edits: [
      {
        file: "packages/domain/day/credits-final.ts",
        find: "const isBlocked = after.partitionsAwaited.length > 0 || isUnknownNamed(after);",
        put: "const isBlocked = isUnknownNamed(after);",
      },
    ],
    nearest: dayTests,
  },
  {
    id: "unread-credit-opens-gate",
    breaks: "A gate opens while a message that may be a credit lies unread in the dead letters.",
    edits: [
      {
        file: "packages/domain/day/credits-final.ts",
        find: "const isBlocked = after.partitionsAwaited.length > 0 || isUnknownNamed(after);",
        put: "const isBlocked = after.partitionsAwaited.length > 0;",
      },
    ],
    nearest: dayTests,
  },
  {
    id: "clear-in-one-partition-is-clear",
    breaks: "A bank's gate opens when one partition has no credit of it any more.",
    edits: [
      {
        file: "packages/domain/day/credits-final.ts",
        find: "after.partitionsAwaited.length === 0 && !after.unresolved.some(({ bank }) => bank === fact.bank);",
        put: "after.partitionsAwaited.length === 0;",
      },
    ],
    nearest: dayTests,
  },
  {
    id: "later-credits-close-gate",
    breaks: "A credit of a later date keeps the gate closed.",
    edits: [
      {
        file: "packages/domain/day/awaited-credit.ts",
        find: 'return credit.state === "CREDIT_AUTH_RECEIVED" || (credit.businessDate ?? "") <= declared.businessDate;',
        put: "return true;",
      },
    ],
    nearest: ["services/scheduler/tasks/gate-reporter.test.ts"],
  },
  {
    id: "extension-of-reached-close",
    breaks: "A close that was reached is extended, so a window is open again that counted as closed.",
    edits: [
      {
        file: "packages/domain/day/extend-close.ts",
        find: '  if (day.closed.includes(windowNumber) || inForceMs <= place.appendedAtMs) return { decision: "refused", reason: "close-reached", day };\n',
        put: "",
      },
    ],
    nearest: ["packages/domain/day/extend-close.test.ts"],
  },
  {
    id: "old-pause-counts-as-new",
    breaks: "A pause that comes again behind its resume pauses the bank again.",
    edits: [
      {
        file: "packages/domain/bank/pause-history.ts",
        find: "    if (last !== undefined && rank(marker) <= rank(last.marker)) return false;\n",
        put: "",
      },
    ],
    nearest: ["packages/domain/bank/decide-bank.test.ts", "services/scheduler/partition/applied-markers.test.ts"],
  },
  {
    id: "first-window-open-until-the-last-closes",
    breaks: "Between two windows of a date, debits are released as if the first one were still open.",
    edits: [
      {
        file: "packages/domain/debit-and-credit/markers/release-gate.ts",
        find: 'if (has("WindowClosed")) return "window-closed";',
        put: 'if (markers.some(({ marker }) => marker.kind === "WindowClosed" && marker.isLast)) return "window-closed";',
      },
      {
        file: "services/scheduler/partition/read-day-markers.ts",
        find: 'marker.kind === "WindowOpened" && !closed.has(marker.number)',
        put: 'marker.kind === "WindowOpened" && (!closed.has(marker.number) || windowsEndedBy(markers) === null)',
      },
    ],
    nearest: ["packages/domain/debit-and-credit/decide.property.test.ts", "services/scheduler/scenarios/windows.test.ts"],
  },
];
