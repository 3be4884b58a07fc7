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
    edits: [{ file: "packages/contracts/messages/json/canonical-json.ts", find: "    .sort()\n", put: "" }],
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
        find: "base !== null && Reflect.get(base, name) === member;",
        put: "base !== null;",
      },
    ],
    nearest: ["packages/contracts/messages/json/write-json.test.ts"],
  },
];
