// Planted bugs of the store's adapters.

import type { PlantedBug } from "../planted-bug.ts";

const memory = "packages/store/memory/memory-store.ts";
const memoryTests = ["packages/store/memory/memory-store.test.ts"];

const changedMembers = "packages/store/documents/changed-members.ts";

export const storeBugs: readonly PlantedBug[] = [
  {
    id: "changed-members-of-what-another-wrote",
    breaks: "Of a document that somebody else wrote, only what this process changed is set, and the rest is theirs.",
    edits: [{ file: changedMembers, find: " || !this.#written.has(before)", put: "" }],
    nearest: memoryTests,
  },
  {
    id: "refused-write-taken-for-stored",
    breaks: "What the store refused is the base of the next write, so that its members are never set.",
    edits: [{ file: changedMembers, find: "if (!refused.has(uetr)) this", put: "if (refused.size >= 0) this" }],
    nearest: memoryTests,
  },
  {
    id: "derived-members-not-set-again",
    breaks: "A query finds a transaction by what it was before its last change.",
    edits: [
      {
        file: "packages/store/documents/codec.ts",
        find: "if (name === null) made[key] = encode(value);",
        put: "if (name === null) continue;",
      },
    ],
    nearest: memoryTests,
  },
  {
    id: "transaction-written-whatever-version",
    breaks: "A stale owner overwrites what the new one has written.",
    edits: [
      {
        file: "packages/store/memory/transactions.ts",
        find: "if ((found?.version ?? 0) === expectedVersion) kept",
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
