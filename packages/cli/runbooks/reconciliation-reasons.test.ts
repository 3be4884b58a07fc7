import { readFileSync } from "node:fs";
import { reconciliationReasons } from "@sluice/domain";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../../../docs/runbooks/reconciliation-reasons.md", import.meta.url), "utf8");
const lines = new Map(
  [...page.matchAll(/^\| `([A-Z_]+)` \| ([\d, ]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, code, ...cells]) => [code, cells]),
);

test.each(Object.entries(reconciliationReasons))(
  "the runbook has a line for %s with its rows, its meaning and what to do",
  (code, reason) => {
    const [rows, meaning, action = ""] = lines.get(code) ?? [];
    expect([rows, meaning]).toEqual([reason.rows.join(", "), reason.text]);
    expect(action).not.toBe("");
  },
);

test("the runbook has no line for a reason that does not exist", () => {
  expect([...lines.keys()].filter((code = "") => !Object.hasOwn(reconciliationReasons, code))).toEqual([]);
});
