// Planted bugs of the store's adapters.

import type { PlantedBug } from "../planted-bug.ts";

const memory = "packages/store/memory/memory-store.ts";
const memoryTests = ["packages/store/memory/memory-store.test.ts"];

export const storeBugs: readonly PlantedBug[] = [
  {
    id: "transaction-written-whatever-version",
    breaks: "A stale owner overwrites what the new one has written.",
    edits: [
      {
        file: "packages/store/memory/transactions.ts",
        find: "if ((kept.get(stored._id)?.version ?? 0) === expectedVersion) kept",
        put: "if (expectedVersion >= 0) kept",
      },
    ],
    nearest: memoryTests,
  },
  {
    id: "position-written-whatever-epoch",
    breaks: "A stale owner moves the position of the new one.",
    edits: [
      {
        file: memory,
        find: "    if (found?.epoch !== held.epoch || found.owners?.[0] !== held.owners[0]) return false;\n    if (found.position < held.position || found.position > position) return false;\n",
        put: "    if (found === undefined) return false;\n",
      },
    ],
    nearest: memoryTests,
  },
  {
    id: "take-over-keeps-epoch",
    breaks: "Two owners of a partition have the same epoch.",
    edits: [
      {
        file: memory,
        find: "raise(found);\n        kept.set(id, taken);",
        put: "found;\n        kept.set(id, taken);",
      },
    ],
    nearest: memoryTests,
  },
  {
    id: "position-written-under-another-name",
    breaks: "After a restore the owner of a repeated epoch moves the position of another owner.",
    edits: [
      {
        file: memory,
        find: " || found.owners?.[0] !== held.owners[0]) return false;\n    if (found.position < held.position",
        put: ") return false;\n    if (found.position < held.position",
      },
    ],
    nearest: memoryTests,
  },
  {
    id: "parked-row-written-whatever-version",
    breaks: "A late write of a dead owner replaces the attempts of the new one.",
    edits: [
      {
        file: "packages/store/memory/parked-messages.ts",
        find: "if (found?.version !== expectedVersion) return false;",
        put: "if (found === undefined) return false;",
      },
    ],
    nearest: ["packages/store/memory/memory-store.test.ts", "services/dispatcher/order/late-writes.test.ts"],
  },
];
