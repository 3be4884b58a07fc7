// The verbs for dead letters. Each makes one call of the control API, `replay` makes many.

import type { Verb } from "../../terminal/verb.ts";

const consoleDetail = "--console URL  the console (SLUICE_CONTROL_URL; else what is up); the token is read from SLUICE_OPERATOR_TOKEN";
const console = { console: { type: "string" }, json: { type: "boolean" } } as const;
const filters = {
  service: { type: "string" },
  topic: { type: "string" },
  key: { type: "string" },
  why: { type: "string" },
  since: { type: "string" },
} as const;
const filterDetails = [
  "--service NAME  who dead-lettered it: scheduler, validator, dispatcher or event-publisher; --topic TOPIC: where it was",
  "--key KEY       a UETR, scheme:date or bank:ID; --why WORDS: words of the reason; --since INSTANT: dead-lettered then or later",
] as const;

export const deadLetterVerbs: readonly Verb[] = [
  {
    name: "dead-letters list",
    usage: "[--service NAME] [--topic TOPIC] [--key KEY] [--why WORDS] [--since INSTANT] [--json]",
    line: "dead-lettered records: where they were, why, and which operator skipped them; never their content",
    details: [...filterDetails, "--limit N, --after CURSOR  a page, and the next one; --all: every page", consoleDetail],
    options: { ...filters, limit: { type: "string" }, after: { type: "string" }, all: { type: "boolean" }, ...console },
    arguments: [0, 0],
    load: async () => (await import("./list.ts")).deadLettersList,
  },
  {
    name: "dead-letters show",
    usage: "LETTER [--json]",
    line: "one dead letter: whether it could be read now and as what, and whether its transaction is quarantined",
    details: ["LETTER  its place, partition:offset, as list shows it", consoleDetail],
    options: console,
    arguments: [1, 1],
    load: async () => (await import("./show.ts")).deadLettersShow,
  },
  {
    name: "dead-letters put",
    usage: "--service NAME --partition N --offset N --reason TEXT [--json]",
    line: "skips the record at which a partition is stopped, such as one whose schema no registry has",
    details: [
      "--service NAME  whose partition: scheduler, validator, dispatcher or event-publisher",
      "--partition N, --offset N  the record at which it is stopped (./sluice status, the log event partition.retry)",
      "--reason TEXT   why; kept with the letter",
      "--id ID         the request's id (one is made): sent again under the same id it is one request",
      "--no-wait       do not wait until the partition has skipped the record",
      consoleDetail,
      "Exit 0 if the partition has skipped it, 1 if not within 30 s.",
    ],
    options: {
      service: { type: "string" },
      partition: { type: "string" },
      offset: { type: "string" },
      reason: { type: "string" },
      id: { type: "string" },
      "no-wait": { type: "boolean" },
      ...console,
    },
    arguments: [0, 0],
    load: async () => (await import("./put.ts")).deadLettersPut,
  },
  {
    name: "dead-letters replay",
    usage: "[UETR|LETTER…] [--service NAME] [--key KEY] … --reason TEXT [--dry-run] [--rate N] [--json]",
    line: "appends dead-lettered records again: all of a transaction in order, others letter by letter",
    details: [
      "UETR, LETTER    what to replay; none: everything that the filters find",
      ...filterDetails,
      "--dry-run       only shows what would be appended",
      "--rate N        transactions or letters a second (10)",
      "--after CURSOR  continues after a letter, as printed by an earlier run that stopped",
      "--id ID         first part of the decisions' ids (one is made), 27 characters at most",
      "--reason TEXT   why; kept with each decision",
      consoleDetail,
      "Exit 0 if everything found was replayed.",
    ],
    options: {
      ...filters,
      "dry-run": { type: "boolean" },
      rate: { type: "string" },
      after: { type: "string" },
      id: { type: "string" },
      reason: { type: "string" },
      ...console,
    },
    arguments: [0, 1_000],
    load: async () => (await import("./replay.ts")).deadLettersReplay,
  },
];
