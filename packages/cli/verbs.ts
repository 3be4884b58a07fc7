// All verbs of `./sluice` in the groups of `./sluice --help`. Each verb's file has its entry and its code.

import { operatorGroups, shellRows, txRow } from "./operator-verbs.ts";
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
      txRow,
      {
        name: "status",
        line: "what runs, and what a person should look at",
        load: async () => (await import("./verbs/local/status.ts")).statusVerb,
      },
      { name: "down", line: "stops what up has started", load: async () => (await import("./verbs/local/down.ts")).downVerb },
    ],
  },
  ...operatorGroups,
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
    title: "Ask the lake",
    rows: [
      {
        name: "analytics up",
        line: "copies the topics of analysts into Iceberg tables",
        load: async () => (await import("./verbs/analytics/up.ts")).analyticsUpVerb,
      },
      {
        name: "analytics ask",
        line: "answers ten questions of an analyst from the tables",
        load: async () => (await import("./verbs/analytics/ask.ts")).analyticsAskVerb,
      },
      {
        name: "analytics down",
        line: "stops the worker that copies topics into tables",
        load: async () => (await import("./verbs/analytics/down.ts")).analyticsDownVerb,
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
        line: "plays Sluice against a bank's endpoints: what fails",
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
      ...shellRows,
    ],
  },
  {
    title: "Develop Sluice",
    rows: [
      {
        name: "docs",
        line: "builds the documentation site, with search",
        load: async () => (await import("./verbs/documentation/docs.ts")).docsVerb,
      },
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
        name: "trial trace",
        line: "one debit's trace, from its POST to its last event",
        load: async () => (await import("./verbs/trials/trial-trace.ts")).trialTraceVerb,
      },
      {
        name: "bench all",
        line: "every bench with a goal, and the table of goals",
        load: async () => (await import("./verbs/trials/bench-all.ts")).benchAllVerb,
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
      {
        name: "bench questions",
        line: "how long each answer to an operator's question takes",
        load: async () => (await import("./verbs/trials/bench-questions.ts")).benchQuestionsVerb,
      },
      {
        name: "bench console",
        line: "how long the console's pages take over a large store",
        load: async () => (await import("./verbs/trials/bench-console.ts")).benchConsoleVerb,
      },
      {
        name: "bench tasks",
        line: "the demo's three tasks in Chromium: clicks, seconds",
        load: async () => (await import("./verbs/trials/bench-tasks.ts")).benchTasksVerb,
      },
      {
        name: "bench ingress",
        line: "debits a second of ingress against bare HTTP",
        load: async () => (await import("./verbs/trials/bench-limits.ts")).benchIngressVerb,
      },
      {
        name: "bench scheduler",
        line: "records a second against consume and bulk write",
        load: async () => (await import("./verbs/trials/bench-limits.ts")).benchSchedulerVerb,
      },
      {
        name: "bench dead-bank",
        line: "others' latency while one bank never answers",
        load: async () => (await import("./verbs/trials/bench-limits.ts")).benchDeadBankVerb,
      },
      {
        name: "bench idle",
        line: "what each service costs while nothing happens",
        load: async () => (await import("./verbs/trials/bench-limits.ts")).benchIdleVerb,
      },
      {
        name: "bench opening",
        line: "how fast held debits leave when a window opens",
        load: async () => (await import("./verbs/trials/bench-limits.ts")).benchOpeningVerb,
      },
      {
        name: "bench starts",
        line: "how long each service takes to start",
        load: async () => (await import("./verbs/trials/bench-starts.ts")).benchStartsVerb,
      },
      {
        name: "bench compare",
        line: "two reports of one bench, figure by figure",
        load: async () => (await import("./verbs/trials/bench-compare.ts")).benchCompareVerb,
      },
      {
        name: "bench tracing",
        line: "what tracing costs a journey",
        load: async () => (await import("./verbs/trials/bench-tracing.ts")).benchTracingVerb,
      },
    ],
  },
];
