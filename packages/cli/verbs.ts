// All verbs of `./sluice`, in the order in which a newcomer needs them. Each verb's code is loaded only when it is called.

import type { ParseArgsOptionsConfig } from "node:util";
import { deadLetterVerbs } from "./dead-letter-verbs.ts";
import { decisionVerbs } from "./decision-verbs.ts";
import { readingVerbs } from "./reading-verbs.ts";

/** What a verb is called with, checked against its entry in the table. */
export interface Call {
  readonly positionals: readonly string[];
  flag(name: string): boolean;
  value(name: string): string | null;
  /** Everything after the verb, as given. */
  readonly raw: readonly string[];
}

export type RunVerb = (call: Call) => Promise<number>;

export interface Verb {
  readonly name: string;
  /** Arguments and options as a person writes them. */
  readonly usage: string;
  readonly line: string;
  readonly details: readonly string[];
  readonly options: ParseArgsOptionsConfig;
  /** How many arguments it takes, least and most. */
  readonly arguments: readonly [number, number];
  /** It reads its options itself; this is its help. */
  readonly ownHelp?: () => Promise<string>;
  load(): Promise<RunVerb>;
}

const many = 1_000;

const rulesFolderDetails = ["--config FILE, --folder DIR  where imported data lies: the file's rulesFolder, or the folder itself"] as const;

const rulesQuestionDetails = [
  "--rule RULE             za-cdv, iban or uk-modulus",
  "--branch CODE           branch or sort code, six digits",
  "--account NUMBER        account number, or the IBAN",
  "--type TYPE             1, 2, 3, 4, 6, or CACC, SVGS, TRAN, LOAN; none: any type that the bank has",
  "--direction DIRECTION   debit (default) or credit",
  "--date DATE             the day of the decision, YYYY-MM-DD (today)",
  "--rule-version VERSION  data of that version (what is in force on the day)",
  "--refuse-on CONFIDENCE  high or medium (as in the configuration file; else high)",
  ...rulesFolderDetails,
  "Exit 0 whatever the result is.",
] as const;

const rulesQuestionOptions = {
  rule: { type: "string" },
  branch: { type: "string" },
  account: { type: "string" },
  type: { type: "string" },
  direction: { type: "string" },
  date: { type: "string" },
  "rule-version": { type: "string" },
  "refuse-on": { type: "string" },
  config: { type: "string" },
  folder: { type: "string" },
  json: { type: "boolean" },
} as const satisfies ParseArgsOptionsConfig;

export const verbs: readonly Verb[] = [
  {
    name: "demo",
    usage: "[--json] [--kill SERVICE]",
    line: "plays a whole business day with simulated banks on real servers, and checks it",
    details: [],
    options: {},
    arguments: [0, 0],
    ownHelp: async () => (await import("./demo/demo-options.ts")).demoUsage,
    load: async () => (await import("./demo-verb.ts")).demo,
  },
  {
    name: "up",
    usage: "[--config FILE]",
    line: "starts servers and services in the background; data is kept between runs",
    details: [
      "--config FILE  configuration of banks, schemes and windows (infra/local/sluice.yaml)",
      "Logs and data lie in .sluice/up; addresses are printed. Called again it says what is up.",
    ],
    options: { config: { type: "string" } },
    arguments: [0, 0],
    load: async () => (await import("./up.ts")).up,
  },
  {
    name: "down",
    usage: "",
    line: "stops what up has started",
    details: ["Data stays in .sluice/up; remove that folder to begin anew."],
    options: {},
    arguments: [0, 0],
    load: async () => (await import("./down.ts")).down,
  },
  {
    name: "status",
    usage: "[--json]",
    line: "what runs, what is ready, how far its clock is off, and what a person should look at",
    details: ["Of what ./sluice up has started.", "Exit 0 if all of it is well, else 1."],
    options: { json: { type: "boolean" } },
    arguments: [0, 0],
    load: async () => (await import("./status.ts")).status,
  },
  {
    name: "logs",
    usage: "[SERVICE…] [--follow] [--level LEVEL] [--uetr UETR] [--event EVENT] [--since DURATION] [--json]",
    line: "what the services of up wrote, in the order of time",
    details: [
      "--follow          goes on with what is written from now on; Ctrl-C ends it",
      "--level LEVEL     this and worse: debug, info (default), warn, error",
      "--uetr UETR       lines that name it",
      "--event EVENT     an event, or its first words: gate, delivery.failed",
      "--since DURATION  for example 30s, 10m, 2h",
      "--json            the lines as they were written",
    ],
    options: {
      follow: { type: "boolean" },
      level: { type: "string" },
      uetr: { type: "string" },
      event: { type: "string" },
      since: { type: "string" },
      json: { type: "boolean" },
    },
    arguments: [0, 6],
    load: async () => (await import("./logs.ts")).logs,
  },
  {
    name: "send",
    usage: "FILE… [--as BANK]",
    line: "posts messages (DirectDebit or PaymentStatusReport, JSON) to what is up, as a bank",
    details: [
      "--as BANK  the bank's id in the configuration (sample)",
      "The bank's token is read from SLUICE_BANK_TOKEN; the sample bank has one of its own.",
      "Exit 0 if every message was answered 202.",
    ],
    options: { as: { type: "string" } },
    arguments: [1, many],
    load: async () => (await import("./send.ts")).send,
  },
  {
    name: "tx",
    usage: "UETR [--json]",
    line: "the timeline of one transaction: states, messages both ways, attempts, events, offsets, times",
    details: ["Of what is up. No account number and no name is shown."],
    options: { json: { type: "boolean" } },
    arguments: [1, 1],
    load: async () => (await import("./tx.ts")).tx,
  },
  ...decisionVerbs,
  ...deadLetterVerbs,
  {
    name: "rebuild",
    usage: "[--lane N] [--dry-run] [--accept-differences] [--drop-old] [--json]",
    line: "the store's snapshots made anew from the journal, compared with what is there, and used from then on",
    details: [
      "--lane N              that lane alone (all, one after another)",
      "--dry-run             only compares",
      "--accept-differences  the journal is right: goes on in the new build whatever differs",
      "--drop-old            only removes what builds that were left have behind",
      "While all runs: a lane stops only for its last records. Exit 0 if everything is equal; else 1, and nothing is switched.",
    ],
    options: {
      lane: { type: "string" },
      "dry-run": { type: "boolean" },
      "accept-differences": { type: "boolean" },
      "drop-old": { type: "boolean" },
      json: { type: "boolean" },
    },
    arguments: [0, 0],
    load: async () => (await import("./rebuild.ts")).rebuild,
  },
  {
    name: "check",
    usage: "",
    line: "format, lint, types, tidy and pure tests: before each commit",
    details: ["Steps whose inputs are unchanged are not run again."],
    options: {},
    arguments: [0, 0],
    load: async () => (await import("./check.ts")).check,
  },
  {
    name: "test",
    usage: "[PART…] [--long] [--fuzz]",
    line: "everything CI checks, on real servers; ends with the line: N passed, N failed",
    details: [
      "PART    check, interface, servers, simulation, e2e or chaos; all of them if none is named",
      "--long  10,000 drawn runs of the delivery engine's model for 500, and 1,000 seeds of the simulation for 200; most of an hour",
      "--fuzz  a fuzz run of the OpenAPI document against running services, alone or after the parts named; needs python3",
      "--seed  of the fuzz run (1)",
    ],
    options: { long: { type: "boolean" }, fuzz: { type: "boolean" }, seed: { type: "string" } },
    arguments: [0, 6],
    load: async () => (await import("./test.ts")).test,
  },
  {
    name: "trial windows",
    usage: "[--seed N] [--windows N] [--json] [--keep]",
    line: "three schedulers over many short windows, with kills, stops and wrong clocks; judges what the topics hold",
    details: [
      "--seed N     the same seed gives the same plan of faults (one is drawn and printed)",
      "--windows N  in rounds of up to 24, each a business day on fresh servers (200: about half an hour)",
      "--keep       keeps histories and logs of good rounds too; those of bad ones are kept anyway, in .sluice/trial",
      "Wrong clocks need libfaketime; without it the run says so and goes on.",
    ],
    options: { seed: { type: "string" }, windows: { type: "string" }, json: { type: "boolean" }, keep: { type: "boolean" } },
    arguments: [0, 0],
    load: async () => (await import("./trial-windows.ts")).trialWindows,
  },
  {
    name: "trial release",
    usage: "[--held N] [--json]",
    line: "holds many debits, opens their window, and looks at the scheduler's memory while they go out in order",
    details: [
      "--held N  how many (200000)",
      "With MONGO_URL in that store, else in a local one; broker and registry are always its own. Figures are printed, not asserted;",
      "asserted are order, once each, all of them, and at most 300 MiB of the scheduler's memory.",
    ],
    options: { held: { type: "string" }, json: { type: "boolean" } },
    arguments: [0, 0],
    load: async () => (await import("./trial-release.ts")).trialRelease,
  },
  {
    name: "trial delivery",
    usage: "[--seed N] [--messages N [--keep] | --outage [--waiting N]] [--json]",
    line: "twenty banks, some dead, slow or hostile, and kills of dispatcher and event-publisher; judges every delivery",
    details: [
      "--seed N      the same seed gives the same messages, tempers and times of kills (one is drawn and printed)",
      "--messages N  from 1000 on, five a UETR (100000: about ten minutes)",
      "--keep        keeps history and logs of a good one too; those of a bad one are kept anyway, in .sluice/trial",
      "--outage      another question: one bank is down and many messages wait for it; memory, probes, and the drain when it is back",
      "--waiting N   how many (100000; a million wants a store of its own, by MONGO_URL)",
      "With MONGO_URL in that store, else in a local one; broker and registry are always its own. Asserted: every message acknowledged,",
      "repeats identical, no inversion, nothing lost. Printed: a table of the banks, and the healthy ones' p99 with the sick and without.",
    ],
    options: {
      seed: { type: "string" },
      messages: { type: "string" },
      keep: { type: "boolean" },
      outage: { type: "boolean" },
      waiting: { type: "string" },
      json: { type: "boolean" },
    },
    arguments: [0, 0],
    load: async () => (await import("./trial-delivery.ts")).trialDelivery,
  },
  {
    name: "bench delivery",
    usage: "[--messages N] [--rounds N] [--service NAME] [--profile DIR] [--json]",
    line: "deliveries a second of dispatcher and event-publisher from a full topic, against a bare loop of requests in the same run",
    details: [
      "--messages N    of each round (500000)",
      "--rounds N      service between two bare loops (3)",
      "--service NAME  dispatcher or event-publisher (both)",
      "--profile DIR   services leave a profile of their processor time there (*.cpuprofile)",
      "With MONGO_URL in that store, else in a local one; the broker is always its own. Speeds are printed, not asserted;",
      "asserted is that every message arrived, in order. docs/benchmarks.md says what is measured.",
    ],
    options: {
      messages: { type: "string" },
      rounds: { type: "string" },
      service: { type: "string" },
      profile: { type: "string" },
      json: { type: "boolean" },
    },
    arguments: [0, 0],
    load: async () => (await import("./bench-delivery.ts")).benchDelivery,
  },
  {
    name: "bench journeys",
    usage: "[--rate N] [--seconds S] [--profile DIR] [--json]",
    line: "whole on-us journeys through all services: the highest rate that is sustained, latencies, processor time",
    details: [
      "--rate N       debits a second (the highest that is sustained is looked for)",
      "--seconds S    at each rate (20)",
      "--profile DIR  services leave a profile of their processor time there (*.cpuprofile)",
      "Debits are posted at times fixed beforehand; latency counts from those. Servers as for bench delivery.",
      "Exit 0 if all journeys ended. docs/benchmarks.md says what is measured.",
    ],
    options: { rate: { type: "string" }, seconds: { type: "string" }, profile: { type: "string" }, json: { type: "boolean" } },
    arguments: [0, 0],
    load: async () => (await import("./bench-journeys.ts")).benchJourneys,
  },
  {
    name: "config check",
    usage: "FILE [--json]",
    line: "says everything that is wrong with a configuration file, with the path of each",
    details: ["${NAME} in the file is taken from the environment, as the services do."],
    options: { json: { type: "boolean" } },
    arguments: [1, 1],
    load: async () => (await import("./config-check.ts")).configCheck,
  },
  {
    name: "calendar show",
    usage: "[--scheme ID] [--from DATE] [--to DATE] [--config FILE] [--json]",
    line: "each date of a scheme with its windows in local time and UTC, or the reason it has none",
    details: [
      "--scheme ID    as in the configuration (ZA_EFT)",
      "--from DATE    YYYY-MM-DD (today; then also what is open now and comes next)",
      "--to DATE      included (30 days later; at most 740 dates)",
      "--config FILE  configuration (of what is up; else infra/local/sluice.yaml)",
    ],
    options: {
      scheme: { type: "string" },
      from: { type: "string" },
      to: { type: "string" },
      config: { type: "string" },
      json: { type: "boolean" },
    },
    arguments: [0, 0],
    load: async () => (await import("./calendar-show.ts")).calendarShow,
  },
  {
    name: "calendar diff",
    usage: "OLD NEW [--from DATE] [--to DATE] [--json]",
    line: "what another configuration file would change, by scheme and date, and which held debits move",
    details: [
      "OLD, NEW     two configuration files; nothing is written",
      "--from DATE  YYYY-MM-DD (today)",
      "--to DATE    included (366 days later; at most 740 dates)",
      "Held debits are counted in what is up, on every date; if nothing is up that is said.",
    ],
    options: { from: { type: "string" }, to: { type: "string" }, json: { type: "boolean" } },
    arguments: [2, 2],
    load: async () => (await import("./calendar-diff.ts")).calendarDiff,
  },
  {
    name: "rules check",
    usage: "--rule RULE --account NUMBER [--branch CODE] [--type TYPE] [--json]",
    line: "what a rule says of an account: valid, invalid, not-verifiable or warning",
    details: rulesQuestionDetails,
    options: rulesQuestionOptions,
    arguments: [0, 0],
    load: async () => (await import("./rules-check.ts")).rulesCheck,
  },
  {
    name: "rules explain",
    usage: "--rule RULE --account NUMBER [--branch CODE] [--rule-version VERSION] [--json]",
    line: "computes a decision again, step by step: digits, weights, products, remainder",
    details: [
      ...rulesQuestionDetails,
      "An old decision: give what the timeline names (./sluice tx): rule, version, branch, type, direction, date of receipt.",
    ],
    options: rulesQuestionOptions,
    arguments: [0, 0],
    load: async () => (await import("./rules-explain.ts")).rulesExplain,
  },
  {
    name: "rules list",
    usage: "[--config FILE | --folder DIR] [--date DATE] [--json]",
    line: "the rules for accounts, the versions of their data, and which is in force",
    details: ["--date DATE  in force on that day (today)", ...rulesFolderDetails],
    options: { config: { type: "string" }, folder: { type: "string" }, date: { type: "string" }, json: { type: "boolean" } },
    arguments: [0, 0],
    load: async () => (await import("./rules-list.ts")).rulesList,
  },
  {
    name: "rules import",
    usage: "--format FORMAT FILE (--config FILE | --folder DIR) [--effective-from DATE]",
    line: "imports a table of a clearing house as a new version of a rule's data",
    details: [
      "--format FORMAT        cim900, valacdos or scsubtab",
      "--effective-from DATE  first day that it decides on, YYYY-MM-DD (today)",
      "--dry-run              only the report",
      "--json                 the report with every refused line",
      ...rulesFolderDetails,
      "Exit 0 if it is imported or was before; 1 if it is refused. Services read the folder when they start.",
    ],
    options: {
      format: { type: "string" },
      "effective-from": { type: "string" },
      "dry-run": { type: "boolean" },
      config: { type: "string" },
      folder: { type: "string" },
      json: { type: "boolean" },
    },
    arguments: [1, 1],
    load: async () => (await import("./rules-import.ts")).rulesImport,
  },
  ...readingVerbs,
];
