// All verbs of `./sluice`, in the order in which a newcomer needs them. Each verb's code is loaded only when it is called.

import type { ParseArgsOptionsConfig } from "node:util";

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
    line: "the timeline of one debit: states, messages both ways, attempts, events, offsets, times",
    details: ["Of what is up. No account number and no name is shown."],
    options: { json: { type: "boolean" } },
    arguments: [1, 1],
    load: async () => (await import("./tx.ts")).tx,
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
    usage: "[PART…]",
    line: "everything CI checks, on real servers; ends with the line: N passed, N failed",
    details: ["PART  check, servers, simulation or e2e; all of them if none is named"],
    options: {},
    arguments: [0, 4],
    load: async () => (await import("./test.ts")).test,
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
];
