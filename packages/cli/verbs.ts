// All verbs of `./sluice` in the groups of `./sluice --help`. Each verb's file has its entry and its code.

import type { VerbIndex } from "./terminal/verb-index.ts";

export const verbIndex: VerbIndex = [
  {
    title: "Start here",
    rows: [
      {
        name: "demo",
        line: "plays a business day with simulated banks; checks it",
        load: async () => (await import("./verbs/trials/demo.ts")).demoVerb,
      },
      { name: "up", line: "starts servers and services in the background", load: async () => (await import("./verbs/local/up.ts")).upVerb },
      { name: "send", line: "posts messages to what is up, as a bank", load: async () => (await import("./verbs/local/send.ts")).sendVerb },
      {
        name: "tx",
        line: "what happened to a transaction, and what comes next",
        load: async () => (await import("./verbs/reading/tx.ts")).txVerb,
      },
      {
        name: "status",
        line: "what runs, and what a person should look at",
        load: async () => (await import("./verbs/local/status.ts")).statusVerb,
      },
      { name: "down", line: "stops what up has started", load: async () => (await import("./verbs/local/down.ts")).downVerb },
    ],
  },
  {
    title: "Look",
    rows: [
      {
        name: "search",
        line: "finds transactions by identification, bank, state…",
        load: async () => (await import("./verbs/reading/search.ts")).searchVerb,
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
        name: "conservation",
        line: "whether all that was accepted is accounted for",
        load: async () => (await import("./verbs/reading/conservation.ts")).conservationVerb,
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
  {
    title: "Configuration, calendars and account rules",
    rows: [
      {
        name: "config check",
        line: "everything that is wrong with a configuration file",
        load: async () => (await import("./verbs/rules/config-check.ts")).configCheckVerb,
      },
      {
        name: "calendar show",
        line: "each date with its windows, or why it has none",
        load: async () => (await import("./verbs/calendar/calendar-show.ts")).calendarShowVerb,
      },
      {
        name: "calendar diff",
        line: "what another configuration file would change",
        load: async () => (await import("./verbs/calendar/calendar-diff.ts")).calendarDiffVerb,
      },
      {
        name: "rules check",
        line: "what a rule says about an account",
        load: async () => (await import("./verbs/rules/rules-check.ts")).rulesCheckVerb,
      },
      {
        name: "rules explain",
        line: "computes that again, step by step",
        load: async () => (await import("./verbs/rules/rules-explain.ts")).rulesExplainVerb,
      },
      {
        name: "rules list",
        line: "the account rules, and the versions of their data",
        load: async () => (await import("./verbs/rules/rules-list.ts")).rulesListVerb,
      },
      {
        name: "rules import",
        line: "imports a clearing house's table as a new version",
        load: async () => (await import("./verbs/rules/rules-import.ts")).rulesImportVerb,
      },
    ],
  },
  {
    title: "Audit and tokens",
    rows: [
      {
        name: "audit verify",
        line: "names each record of the audit that was tampered with",
        load: async () => (await import("./verbs/audit/verify.ts")).auditVerifyVerb,
      },
      {
        name: "audit make-key",
        line: "makes the key that seals the audit",
        load: async () => (await import("./verbs/audit/make-key.ts")).auditMakeKeyVerb,
      },
      {
        name: "token make",
        line: "makes a bearer token, and its hash for the file",
        load: async () => (await import("./verbs/token/make.ts")).tokenMakeVerb,
      },
    ],
  },
  {
    title: "Build a bank's side",
    rows: [
      {
        name: "sandbox",
        line: "Sluice in one process, with test data and a clock",
        load: async () => (await import("./verbs/banks/sandbox.ts")).sandboxVerb,
      },
      {
        name: "listen",
        line: "shows what a sandbox posts, or forwards it to a port",
        load: async () => (await import("./verbs/banks/listen.ts")).listenVerb,
      },
      {
        name: "trigger",
        line: "has a sandbox send a message with a known end",
        load: async () => (await import("./verbs/banks/trigger.ts")).triggerVerb,
      },
      {
        name: "conformance",
        line: "plays Sluice against a bank's endpoints: what is wrong",
        load: async () => (await import("./verbs/banks/conformance.ts")).conformanceVerb,
      },
    ],
  },
  {
    title: "Run",
    rows: [
      {
        name: "all",
        line: "all services in one process over memory, for tests",
        load: async () => (await import("./verbs/local/all.ts")).allVerb,
      },
      {
        name: "logs",
        line: "what the services of up logged, in the order of time",
        load: async () => (await import("./verbs/local/logs.ts")).logsVerb,
      },
      {
        name: "provision",
        line: "creates topics, schemas and indexes",
        load: async () => (await import("./verbs/local/provision.ts")).provisionVerb,
      },
      {
        name: "rebuild",
        line: "rebuilds the store's snapshots from the journal",
        load: async () => (await import("./verbs/local/rebuild.ts")).rebuildVerb,
      },
      {
        name: "profile add",
        line: "names a console, so that --profile NAME reaches it",
        load: async () => (await import("./verbs/shell/profile.ts")).profileAddVerb,
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
    ],
  },
  {
    title: "Develop Sluice",
    rows: [
      {
        name: "generate",
        line: "makes everything that is generated",
        load: async () => (await import("./verbs/checking/generate.ts")).generateVerb,
      },
      {
        name: "check",
        line: "format, lint, types, tidy and pure tests",
        load: async () => (await import("./verbs/checking/check.ts")).checkVerb,
      },
      {
        name: "test",
        line: "everything CI checks, on real servers",
        load: async () => (await import("./verbs/checking/test.ts")).testVerb,
      },
      {
        name: "teeth",
        line: "plants known bugs, and tells which check catches each",
        load: async () => (await import("./verbs/checking/teeth.ts")).teethVerb,
      },
      {
        name: "trial windows",
        line: "three schedulers over short windows, with kills",
        load: async () => (await import("./verbs/trials/trial-windows.ts")).trialWindowsVerb,
      },
      {
        name: "trial release",
        line: "releases many held debits, and watches the memory",
        load: async () => (await import("./verbs/trials/trial-release.ts")).trialReleaseVerb,
      },
      {
        name: "trial delivery",
        line: "banks that are dead, slow or hostile, with kills",
        load: async () => (await import("./verbs/trials/trial-delivery.ts")).trialDeliveryVerb,
      },
      {
        name: "bench delivery",
        line: "deliveries a second against a bare loop",
        load: async () => (await import("./verbs/trials/bench-delivery.ts")).benchDeliveryVerb,
      },
      {
        name: "bench journeys",
        line: "the highest rate of whole journeys that is sustained",
        load: async () => (await import("./verbs/trials/bench-journeys.ts")).benchJourneysVerb,
      },
    ],
  },
];
