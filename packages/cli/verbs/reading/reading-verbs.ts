// The verbs by which operators query, over the console's control API. Each verb's code is loaded only when it is
// called.

import type { ParseArgsOptionsConfig } from "node:util";
import { searchTerms } from "@sluice/contracts/search-terms";
import { optionName, type Verb } from "../../terminal/verb.ts";

const consoleDetail = "--console URL  the console (SLUICE_CONTROL_URL; else what is up); the token is read from SLUICE_OPERATOR_TOKEN";
const console = { console: { type: "string" }, json: { type: "boolean" } } as const satisfies ParseArgsOptionsConfig;
const pageDetails = ["--limit N, --after CURSOR  a page, and the next one", "--all          every page", consoleDetail] as const;
const pages = { limit: { type: "string" }, after: { type: "string" }, all: { type: "boolean" }, ...console } as const;

const termWidth = Math.max(...searchTerms.map(({ name, example }) => `--${optionName(name)} ${example}`.length));

const windowsVerb: Verb = {
  name: "windows",
  usage: "[--scheme SCHEME] [--from DATE] [--to DATE] [--json]",
  line: "business days, their windows and each bank's gate, with the reason why it is closed",
  details: ["--from DATE, --to DATE  both included (today, a week later)", consoleDetail],
  options: { scheme: { type: "string" }, from: { type: "string" }, to: { type: "string" }, ...console },
  arguments: [0, 0],
  load: async () => (await import("./windows.ts")).windows,
};

export const readingVerbs: readonly Verb[] = [
  {
    name: "search",
    usage: "[--identification ID] [--bank BANK] [--state STATE] [--account LAST4] [--amount SUM] … [--json]",
    line: "finds transactions by any identification, bank, state, account's end, amount, date or reason",
    details: [
      ...searchTerms.map(({ name, text, example }) => `${`--${optionName(name)} ${example}`.padEnd(termWidth)}  ${text}`),
      "All given terms must match.",
      ...pageDetails,
    ],
    options: {
      ...Object.fromEntries(searchTerms.map(({ name }) => [optionName(name), { type: "string" } as const])),
      ...pages,
    },
    arguments: [0, 0],
    load: async () => (await import("./search.ts")).search,
  },
  windowsVerb,
  { ...windowsVerb, name: "window list" },
  {
    name: "held",
    usage: "[--bank BANK] [--day DAY] [--json]",
    line: "held debits by bank: how much, how old, how long until they can be released, and why they wait",
    details: ["--day DAY      for example ZA_EFT:2026-11-20", ...pageDetails],
    options: { bank: { type: "string" }, day: { type: "string" }, ...pages },
    arguments: [0, 0],
    load: async () => (await import("./held.ts")).held,
  },
  {
    name: "undelivered",
    usage: "[--bank BANK] [--json]",
    line: "what receivers have not acknowledged, since when and why, and the time to the close",
    details: ["--bank BANK    each message to that bank or connector", ...pageDetails],
    options: { bank: { type: "string" }, ...pages },
    arguments: [0, 0],
    load: async () => (await import("./undelivered.ts")).undelivered,
  },
  {
    name: "reconciliation list",
    usage: "[--day DAY] [--bank BANK] [--row ROW] [--open true|false] [--json]",
    line: "reconciliation items; without a day the open ones",
    details: [
      "--day DAY      for example ZA_EFT:2026-11-20",
      "--row ROW      row of docs/spec/interface.md, 1 to 10; 0: our own; unknown: not known yet",
      ...pageDetails,
    ],
    options: { day: { type: "string" }, bank: { type: "string" }, row: { type: "string" }, open: { type: "string" }, ...pages },
    arguments: [0, 0],
    load: async () => (await import("./reconciliation-list.ts")).reconciliationList,
  },
  {
    name: "reconciliation summary",
    usage: "--day DAY [--json]",
    line: "counts and sums of a day's items by bank, currency, row and cause",
    details: [consoleDetail],
    options: { day: { type: "string" }, ...console },
    arguments: [0, 0],
    load: async () => (await import("./reconciliation-list.ts")).reconciliationSummary,
  },
  {
    name: "reconciliation show",
    usage: "UETR [--json]",
    line: "the items of one transaction: evidence, later answers, resolution",
    details: [consoleDetail],
    options: console,
    arguments: [1, 1],
    load: async () => (await import("./reconciliation-show.ts")).reconciliationShow,
  },
  {
    name: "reconciliation export",
    usage: "--day DAY [--format csv|json|iso20022] [--out FILE]",
    line: "a day's items as a file: CSV, JSON, or an ISO 20022 payment status report (pacs.002)",
    details: ["--out FILE     appears when it is complete; without it: standard output", consoleDetail],
    options: { day: { type: "string" }, format: { type: "string" }, out: { type: "string" }, console: { type: "string" } },
    arguments: [0, 0],
    load: async () => (await import("./reconciliation-export.ts")).reconciliationExport,
  },
  {
    name: "bank list",
    usage: "[--json]",
    line: "banks and connectors: their status and its reason, what waits, and the day's totals against the alarms",
    details: [
      "STATE          active; throttled (it asked to wait, or sustains fewer requests); breaker-open (one message at a time is tried);",
      "               paused; maintenance (paused until a time)",
      consoleDetail,
    ],
    options: console,
    arguments: [0, 0],
    load: async () => (await import("./bank-list.ts")).bankList,
  },
  {
    name: "conservation",
    usage: "--day DAY [--json]",
    line: "whether everything that was accepted on a day is accounted for",
    details: ["Exit 0 only if it is.", consoleDetail],
    options: { day: { type: "string" }, ...console },
    arguments: [0, 0],
    load: async () => (await import("./conservation.ts")).conservation,
  },
];
