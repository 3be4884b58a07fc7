// Planted bugs of messages and of the wire: hashes, amounts, partitions.

import type { PlantedBug } from "../planted-bug.ts";

export const contractBugs: readonly PlantedBug[] = [
  {
    id: "amount-form-is-content",
    breaks: "1250.50 and 1250.5 are two contents, so a repeat counts as a conflict.",
    edits: [
      {
        file: "packages/contracts/messages/json/canonical-json.ts",
        find: 'const short = text.includes(".") ? text.replace(/0+$/, "").replace(/\\.$/, "") : text;',
        put: "const short = text;",
      },
    ],
    nearest: ["packages/contracts/messages/json/json.test.ts"],
  },
  {
    id: "order-of-members-is-content",
    breaks: "The same message with its members in another order is another content.",
    edits: [{ file: "packages/contracts/messages/json/canonical-json.ts", find: "at < names.length; at += 1", put: "at < 1; at += 1" }],
    nearest: ["packages/contracts/messages/json/json.test.ts"],
  },
  {
    id: "other-partition-than-kafka",
    breaks: "A key goes to another partition than Kafka's own clients choose.",
    edits: [
      { file: "packages/contracts/wire/partition.ts", find: "& 0x7fffffff) % partitionCount;", put: "& 0x3fffffff) % partitionCount;" },
    ],
    nearest: ["packages/contracts/wire/partition.test.ts"],
  },
  {
    id: "changed-member-with-kept-text",
    breaks: "A message that is sent shows members of the received one that were changed in it.",
    edits: [
      {
        file: "packages/contracts/messages/json/write-json.ts",
        find: "if (member === Reflect.get(base, name)) continue;",
        put: "if (name in base) continue;",
      },
    ],
    nearest: ["packages/contracts/messages/json/write-json.test.ts"],
  },
  {
    id: "kept-message-of-another-date",
    breaks: "A message that was made for one business date is sent again for another.",
    edits: [
      {
        file: "packages/contracts/messages/render/render-message.ts",
        find: "    newest.madeAtMs === madeAtMs &&\n    newest.businessDate === businessDate;",
        put: "    newest.madeAtMs === madeAtMs;",
      },
    ],
    nearest: ["packages/contracts/messages/render/render.test.ts"],
  },
  {
    id: "scheme-data-in-a-report",
    breaks: "A status report with scheme data is taken (D6.27).",
    edits: [
      {
        file: "packages/contracts/messages/read/payment-scheme.ts",
        find: "object({ schema: z.enum(schemeIds) })",
        put: "z.object({ schema: z.enum(schemeIds) })",
      },
    ],
    nearest: ["packages/contracts/messages/read/read-status-report.test.ts"],
  },
  {
    id: "original-without-collection-date",
    breaks: "A report that names the collection date of the original is refused (D6.28).",
    edits: [
      {
        file: "packages/contracts/messages/read/read-status-report.ts",
        find: "  requestedCollectionDate: optional(isoDate),\n",
        put: "",
      },
    ],
    nearest: ["packages/contracts/messages/read/decided-shapes.test.ts"],
  },
  {
    id: "four-agents-between",
    breaks: "Four intermediary agents are taken (D5.41).",
    edits: [
      {
        file: "packages/contracts/messages/read/message-parts.ts",
        find: "boundedList(institutionSchema, 3)",
        put: "boundedList(institutionSchema, 4)",
      },
    ],
    nearest: ["packages/contracts/messages/read/decided-shapes.test.ts"],
  },
  {
    id: "bic-by-its-first-eight",
    breaks: "A bank is found by the first eight characters of another BIC (D10.20).",
    edits: [
      {
        file: "packages/config/configuration-index.ts",
        find: "byBicfi.get(bicfi)",
        put: "byBicfi.get(bicfi.slice(0, 8))",
      },
    ],
    nearest: ["packages/config/configuration-index.test.ts"],
  },
  {
    id: "report-names-a-person",
    breaks: "The account in a report of ours names its holder (D6.29).",
    edits: [
      {
        file: "packages/contracts/messages/render/render-report.ts",
        find: "proxy: account.proxy, currency: null, name: null, type: null }",
        put: "proxy: account.proxy, currency: null, name: account.name, type: null }",
      },
    ],
    nearest: ["packages/contracts/messages/render/render.test.ts"],
  },
];
