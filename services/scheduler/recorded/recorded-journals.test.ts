// Recorded journals, folded by today's rules. What they once gave is in `golden/`, record for record: a change of the
// rules that changes what a journal means is a diff there. `vitest run --project pure services/scheduler/recorded -u`
// writes the outputs of today; the journals stay as they are, and so does what each version of the rules decided.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rulesVersion } from "@sluice/domain";
import { expect, test } from "vitest";
import { addDecisions, foldJournal, type RulesRecord } from "./fold-journal.fixture.ts";
import { formatJournal, parseJournal } from "./journal-file.fixture.ts";
import { recordedFolder, recordedOptions, recordedScenarios } from "./record-journals.fixture.ts";

function readRecorded(name: string): string {
  return readFileSync(join(recordedFolder, `${name}.journal.jsonl`), "utf8");
}

test("I3: a recorded journal gives the same outputs and the same states as it once gave", async () => {
  for (const name of Object.keys(recordedScenarios)) {
    const { text } = await foldJournal(parseJournal(readRecorded(name)), recordedOptions);
    expect(text.split("\n").length).toBeGreaterThan(10);
    await expect(text).toMatchFileSnapshot(join(recordedFolder, `${name}.outputs.jsonl`));
  }
});

test("rules that decide a recorded journal in another way have a new version [D11 rules]", async () => {
  const recorded: RulesRecord = JSON.parse(readFileSync(join(recordedFolder, "rules.json"), "utf8"));
  const versions = Object.keys(recorded).map(Number);
  expect(rulesVersion).toBe(Math.max(...versions));
  for (const name of Object.keys(recordedScenarios)) {
    const { decisions } = await foldJournal(parseJournal(readRecorded(name)), recordedOptions);
    // Otherwise raise rulesVersion of the domain, and run record-journals.fixture.ts.
    expect({ name, decisions }).toEqual({ name, decisions: recorded[rulesVersion]?.[name] });
  }
});

test("what a version of the rules decided is written once", () => {
  const recorded = { [rulesVersion - 1]: { a: "1" }, [rulesVersion]: { a: "2" } };
  expect(addDecisions(recorded, { a: "3", b: "4" })).toEqual({ [rulesVersion - 1]: { a: "1" }, [rulesVersion]: { a: "2", b: "4" } });
  expect(addDecisions({}, { a: "3" })).toEqual({ [rulesVersion]: { a: "3" } });
});

test("every recorded journal is folded, and is read as it was written", () => {
  const recorded = readdirSync(recordedFolder).filter((file) => file.endsWith(".journal.jsonl"));
  expect(recorded.toSorted()).toEqual(
    Object.keys(recordedScenarios)
      .map((name) => `${name}.journal.jsonl`)
      .toSorted(),
  );
  for (const name of Object.keys(recordedScenarios)) expect(formatJournal(parseJournal(readRecorded(name)))).toBe(readRecorded(name));
});

test("the recorded journals have each flow, an operator's decision, a debit that is carried over, and a close", () => {
  const texts = Object.keys(recordedScenarios).map((name) => readFileSync(join(recordedFolder, `${name}.outputs.jsonl`), "utf8"));
  const all = texts.join("");
  for (const flow of ["on-us", "off-us", "credit"]) expect(all).toContain(`"flow":"${flow}"`);
  for (const state of ["COMPLETED", "UNPAID", "REJECTED", "RECONCILIATION", "CREDIT_AUTH_RECONCILIATION"])
    expect(all).toContain(`"${state}"`);
  expect(all).toContain('"kind":"WithdrawalRequested"');
  expect(all).toContain('"businessDate":"2026-11-21"');
  expect(all).toContain('"type":"DayReconciled"');
});
