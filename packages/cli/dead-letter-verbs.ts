// The verbs for what was put aside. Each is a call of the control API, `replay` many.

import type { Verb } from "./verbs.ts";

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
  "--service NAME  who put it aside: scheduler, validator, dispatcher or event-publisher; --topic TOPIC: where it lay",
  "--key KEY       a UETR, scheme:date or bank:ID; --why WORDS: of the reason; --since INSTANT: put aside then or later",
] as const;

export const deadLetterVerbs: readonly Verb[] = [
  {
    name: "dead-letters list",
    usage: "[--service NAME] [--topic TOPIC] [--key KEY] [--why WORDS] [--since INSTANT] [--json]",
    line: "records that were put aside: where they lay, why, and by whom if by hand; never what they say",
    details: [...filterDetails, "--limit N, --after CURSOR  a page, and the one behind it; --all: every page", consoleDetail],
    options: { ...filters, limit: { type: "string" }, after: { type: "string" }, all: { type: "boolean" }, ...console },
    arguments: [0, 0],
    load: async () => (await import("./dead-letters-list.ts")).deadLettersList,
  },
  {
    name: "dead-letters show",
    usage: "LETTER [--json]",
    line: "one of them: whether it could be read now and as what, and whether its transaction is marked",
    details: ["LETTER  its place, partition:offset, as list shows it", consoleDetail],
    options: console,
    arguments: [1, 1],
    load: async () => (await import("./dead-letters-show.ts")).deadLettersShow,
  },
  {
    name: "dead-letters put",
    usage: "--service NAME --partition N --offset N --reason TEXT [--json]",
    line: "puts the record aside at which a lane stands, such as one whose schema no registry has",
    details: [
      "--service NAME  whose lane: scheduler, validator, dispatcher or event-publisher",
      "--partition N, --offset N  where it stands (./sluice status, the log event lane.retry)",
      "--reason TEXT   why; kept with the letter",
      "--id ID         the request's id (one is made): sent again under the same id it is one letter",
      "--no-wait       do not wait until the lane has passed the record",
      consoleDetail,
      "Exit 0 if the lane has passed it, 1 if not within 30 s.",
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
    load: async () => (await import("./dead-letters-put.ts")).deadLettersPut,
  },
  {
    name: "dead-letters replay",
    usage: "[UETR|LETTER…] [--service NAME] [--key KEY] … --reason TEXT [--dry-run] [--rate N] [--json]",
    line: "appends again what was put aside: all of a transaction in its order, anything else letter by letter",
    details: [
      "UETR, LETTER    what to replay; none: all that the filters find",
      ...filterDetails,
      "--dry-run       only says what would be appended",
      "--rate N        transactions or letters a second (10)",
      "--after CURSOR  goes on behind a letter, as an earlier run says where it stopped",
      "--id ID         first part of the decisions' ids (one is made), 27 characters at most",
      "--reason TEXT   why; kept with each decision",
      consoleDetail,
      "Exit 0 if everything that was found was replayed.",
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
    load: async () => (await import("./dead-letters-replay.ts")).deadLettersReplay,
  },
];
