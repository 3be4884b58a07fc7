// The verbs that need nothing but a console. They are a part of `./sluice`, and a package of their own
// (`operators.ts`), which runs without the repository.

import type { VerbIndex, VerbRow } from "./terminal/verb-index.ts";

export const txRow: VerbRow = {
  name: "tx",
  line: "what happened to a transaction, and what comes next",
  load: async () => (await import("./verbs/reading/tx.ts")).txVerb,
};

export const operatorGroups: VerbIndex = [
  {
    title: "Look",
    rows: [
      {
        name: "search",
        line: "finds transactions by identification, bank, state…",
        load: async () => (await import("./verbs/reading/search.ts")).searchVerb,
      },
      {
        name: "counts",
        line: "how many are in each state now, by bank, with sums",
        load: async () => (await import("./verbs/reading/counts.ts")).countsVerb,
      },
      {
        name: "rates",
        line: "accepted, delivered, held and waiting a minute",
        load: async () => (await import("./verbs/reading/rates.ts")).ratesVerb,
      },
      {
        name: "request",
        line: "what the attempts of one message send, masked",
        load: async () => (await import("./verbs/reading/request.ts")).txRequestVerb,
      },
      {
        name: "held",
        line: "held debits by bank, and why they wait",
        load: async () => (await import("./verbs/reading/held.ts")).heldVerb,
      },
      {
        name: "windows",
        line: "business days, their windows, and each bank's gate",
        load: async () => (await import("./verbs/reading/windows.ts")).windowsVerb,
      },
      { name: "window list", line: "the same as windows", load: async () => (await import("./verbs/reading/windows.ts")).windowListVerb },
      {
        name: "window outlook",
        line: "when a day's held debits are through, at this rate",
        load: async () => (await import("./verbs/reading/window-outlook.ts")).windowOutlookVerb,
      },
      {
        name: "undelivered",
        line: "what receivers have not acknowledged, and why",
        load: async () => (await import("./verbs/reading/undelivered.ts")).undeliveredVerb,
      },
      {
        name: "failing",
        line: "messages that fail often: answers and next attempt",
        load: async () => (await import("./verbs/reading/failing.ts")).failingVerb,
      },
      {
        name: "bank list",
        line: "banks and connectors: status, what waits, totals",
        load: async () => (await import("./verbs/reading/bank-list.ts")).bankListVerb,
      },
      {
        name: "bank history",
        line: "24 h of its addresses: p50, p99, limits, breaker",
        load: async () => (await import("./verbs/banks/bank-history.ts")).bankHistoryVerb,
      },
      {
        name: "bank own",
        line: "a bank's own transactions, as its person sees them",
        load: async () => (await import("./verbs/reading/bank-own.ts")).bankOwnVerb,
      },
      {
        name: "bank deliveries",
        line: "what a bank has not taken, as its person sees it",
        load: async () => (await import("./verbs/reading/bank-own.ts")).bankDeliveriesVerb,
      },
      {
        name: "bank events",
        line: "events of a time: how each was posted; as a file",
        load: async () => (await import("./verbs/banks/bank-events.ts")).bankEventsVerb,
      },
      {
        name: "services",
        line: "each process: version, readiness, partitions, lag",
        load: async () => (await import("./verbs/reading/services.ts")).servicesVerb,
      },
      {
        name: "topics list",
        line: "the topics: what each is, how long it keeps records",
        load: async () => (await import("./verbs/reading/topics.ts")).topicsListVerb,
      },
      {
        name: "topics show",
        line: "a topic's records: writers, readers, key, fields",
        load: async () => (await import("./verbs/reading/topics.ts")).topicsShowVerb,
      },
      {
        name: "alarms",
        line: "alarms that fire, with the runbook of each",
        load: async () => (await import("./verbs/reading/alarms.ts")).alarmsVerb,
      },
      {
        name: "conservation",
        line: "whether all that was accepted is accounted for",
        load: async () => (await import("./verbs/reading/conservation.ts")).conservationVerb,
      },
      {
        name: "decisions",
        line: "what operators decided, why, and what became of it",
        load: async () => (await import("./verbs/reading/decisions.ts")).decisionsVerb,
      },
      {
        name: "audit export",
        line: "what operators decided, as a file",
        load: async () => (await import("./verbs/audit/export.ts")).auditExportVerb,
      },
      {
        name: "proposals",
        line: "decisions that wait for a second person",
        load: async () => (await import("./verbs/deciding/proposals.ts")).proposalsVerb,
      },
    ],
  },
  {
    title: "Decide",
    rows: [
      {
        name: "withdraw",
        line: "takes back a debit that has not been released",
        load: async () => (await import("./verbs/deciding/transaction-decisions.ts")).withdrawVerb,
      },
      {
        name: "redrive",
        line: "has a refused delivery or posting tried again",
        load: async () => (await import("./verbs/deciding/transaction-decisions.ts")).redriveVerb,
      },
      {
        name: "bank redrive",
        line: "has all that a bank refused tried again, at once",
        load: async () => (await import("./verbs/deciding/bank-redrive.ts")).bankRedriveVerb,
      },
      {
        name: "stop",
        line: "has a delivery or posting that fails tried no more",
        load: async () => (await import("./verbs/deciding/transaction-decisions.ts")).stopVerb,
      },
      {
        name: "window extend",
        line: "extends a close that has not been reached",
        load: async () => (await import("./verbs/deciding/day-decisions.ts")).windowExtendVerb,
      },
      {
        name: "window credits-final",
        line: "declares the credits of a day final",
        load: async () => (await import("./verbs/deciding/day-decisions.ts")).windowCreditsFinalVerb,
      },
      {
        name: "window open-gate",
        line: "opens a bank's gate over unresolved credits",
        load: async () => (await import("./verbs/deciding/day-decisions.ts")).windowOpenGateVerb,
      },
      {
        name: "bank check",
        line: "calls a bank's addresses, to see that they work",
        load: async () => (await import("./verbs/deciding/bank-check.ts")).bankCheckVerb,
      },
      {
        name: "bank test",
        line: "the same, as the bank's own person asks for it",
        load: async () => (await import("./verbs/deciding/bank-check.ts")).bankTestVerb,
      },
      {
        name: "bank pause",
        line: "pauses a bank or connector, also for a maintenance",
        load: async () => (await import("./verbs/deciding/day-decisions.ts")).bankPauseVerb,
      },
      {
        name: "bank resume",
        line: "ends the pause of a bank or connector",
        load: async () => (await import("./verbs/deciding/day-decisions.ts")).bankResumeVerb,
      },
      {
        name: "bank pause-all",
        line: "pauses every bank and connector: everything stops",
        load: async () => (await import("./verbs/deciding/several.ts")).bankPauseAllVerb,
      },
      {
        name: "bank resume-all",
        line: "ends every pause",
        load: async () => (await import("./verbs/deciding/several.ts")).bankResumeAllVerb,
      },
      {
        name: "bulk withdraw",
        line: "takes back all debits that a search finds, at once",
        load: async () => (await import("./verbs/deciding/several.ts")).bulkWithdrawVerb,
      },
      {
        name: "confirm",
        line: "confirms, as a second person, what another proposed",
        load: async () => (await import("./verbs/deciding/proposals.ts")).confirmVerb,
      },
      {
        name: "reject",
        line: "rejects, as a second person, what another proposed",
        load: async () => (await import("./verbs/deciding/proposals.ts")).rejectVerb,
      },
      {
        name: "retract",
        line: "takes back one's own proposal",
        load: async () => (await import("./verbs/deciding/proposals.ts")).retractVerb,
      },
    ],
  },
  {
    title: "Reconcile",
    rows: [
      {
        name: "reconciliation list",
        line: "reconciliation items; without a day the open ones",
        load: async () => (await import("./verbs/reading/reconciliation-list.ts")).reconciliationListVerb,
      },
      {
        name: "reconciliation summary",
        line: "counts and sums of a day's items",
        load: async () => (await import("./verbs/reading/reconciliation-list.ts")).reconciliationSummaryVerb,
      },
      {
        name: "reconciliation show",
        line: "a transaction's items: evidence, answers, resolution",
        load: async () => (await import("./verbs/reading/reconciliation-show.ts")).reconciliationShowVerb,
      },
      {
        name: "reconciliation evidence",
        line: "everything about one item as a file",
        load: async () => (await import("./verbs/reading/reconciliation-evidence.ts")).reconciliationEvidenceVerb,
      },
      {
        name: "reconciliation export",
        line: "a day's items as CSV, JSON or pacs.002",
        load: async () => (await import("./verbs/reading/reconciliation-export.ts")).reconciliationExportVerb,
      },
      {
        name: "reconciliation resolve",
        line: "records what people found out about an item",
        load: async () => (await import("./verbs/deciding/transaction-decisions.ts")).reconciliationResolveVerb,
      },
      {
        name: "reconciliation confirm",
        line: "confirms that, as a second person",
        load: async () => (await import("./verbs/deciding/transaction-decisions.ts")).reconciliationConfirmVerb,
      },
      {
        name: "reconciliation reject",
        line: "rejects that, as a second person",
        load: async () => (await import("./verbs/deciding/transaction-decisions.ts")).reconciliationRejectVerb,
      },
      {
        name: "reconciliation note",
        line: "notes something at an item, and who sees to it",
        load: async () => (await import("./verbs/deciding/transaction-decisions.ts")).reconciliationNoteVerb,
      },
      {
        name: "bulk resolve",
        line: "records the same about all open items of a day",
        load: async () => (await import("./verbs/deciding/several.ts")).bulkResolveVerb,
      },
      {
        name: "bulk confirm",
        line: "confirms all of them, as a second person",
        load: async () => (await import("./verbs/deciding/several.ts")).bulkConfirmVerb,
      },
      {
        name: "bulk reject",
        line: "rejects all of them, as a second person",
        load: async () => (await import("./verbs/deciding/several.ts")).bulkRejectVerb,
      },
    ],
  },
  {
    title: "Personal data",
    rows: [
      {
        name: "erase",
        line: "makes a bank's month of personal data unreadable",
        load: async () => (await import("./verbs/deciding/erase.ts")).eraseVerb,
      },
    ],
  },
  {
    title: "Dead letters",
    rows: [
      {
        name: "dead-letters list",
        line: "dead-lettered records: where they were, and why",
        load: async () => (await import("./verbs/dead-letters/list.ts")).deadLettersListVerb,
      },
      {
        name: "dead-letters show",
        line: "one of them, and whether it could be read now",
        load: async () => (await import("./verbs/dead-letters/show.ts")).deadLettersShowVerb,
      },
      {
        name: "dead-letters skip",
        line: "skips the record at which a partition is stopped",
        load: async () => (await import("./verbs/dead-letters/skip.ts")).deadLettersSkipVerb,
      },
      {
        name: "dead-letters replay",
        line: "appends dead-lettered records again",
        load: async () => (await import("./verbs/dead-letters/replay.ts")).deadLettersReplayVerb,
      },
    ],
  },
];

export const shellRows: readonly VerbRow[] = [
  {
    name: "profile add",
    line: "names a console, so that --profile NAME reaches it",
    load: async () => (await import("./verbs/shell/profile.ts")).profileAddVerb,
  },
  {
    name: "login",
    line: "signs a person in at the operators' provider",
    load: async () => (await import("./verbs/shell/login.ts")).loginVerb,
  },
  {
    name: "logout",
    line: "forgets and revokes the tokens of a sign-in",
    load: async () => (await import("./verbs/shell/login.ts")).logoutVerb,
  },
  {
    name: "profile list",
    line: "the profiles, their consoles and files",
    load: async () => (await import("./verbs/shell/profile.ts")).profileListVerb,
  },
  {
    name: "profile remove",
    line: "forgets a profile",
    load: async () => (await import("./verbs/shell/profile.ts")).profileRemoveVerb,
  },
  {
    name: "completion",
    line: "prints a script that completes verbs in a shell",
    load: async () => (await import("./verbs/shell/completion.ts")).completionVerb,
  },
  { name: "man", line: "prints the manual page of all verbs", load: async () => (await import("./verbs/shell/man.ts")).manVerb },
];
