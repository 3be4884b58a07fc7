import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AccountQuestion, checkAccount, explainAccount, shippedRules } from "@sluice/account-validation";
import { afterEach, expect, test } from "vitest";
import { readRulesFolder } from "./rules-folder.ts";
import { importTable, type TableImport } from "./import-table.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-rules-"));
  folders.push(folder);
  return folder;
}

function given(folder: string, format: TableImport["format"], text: string, over: Partial<TableImport> = {}): TableImport {
  return {
    format,
    sourceName: "a-table.txt",
    bytes: Buffer.from(text, "latin1"),
    effectiveFrom: "2026-12-01",
    importedAt: "2026-11-20T10:00:00Z",
    folder,
    isDryRun: false,
    ...over,
  };
}

/** One branch whose current accounts are valid if the sum of their digits is a multiple of the modulus. */
function cim900(branch: string, modulus: number): string {
  const group = `1${"01".repeat(11)}00${modulus}0000004  A`;
  return `01${branch}`.padEnd(38) + "MEMBER É".padEnd(686) + group.padEnd(333);
}

const table = "107000 107999 MOD11 0 0 0 0 0 0 8 7 6 5 4 3 2 1\n938000 938696 MOD11 7 6 5 4 3 2 7 6 5 4 3 2 0 0 5\n";
const question: AccountQuestion = {
  rule: "za-cdv",
  branch: "470010",
  account: "19",
  accountTypeCode: "CACC",
  direction: "debit",
  refuseOn: "high",
  onDate: "2026-12-24",
};

test("no folder, or an empty one, gives the shipped rules alone", () => {
  expect(readRulesFolder(null)).toBe(shippedRules);
  expect(readRulesFolder(emptyFolder())).toEqual(shippedRules);
});

test("an imported table decides from its date on, is named, and refuses with high confidence", () => {
  const folder = emptyFolder();
  const report = importTable(given(folder, "cim900", cim900("470010", 10)));
  expect(report).toMatchObject({ outcome: "imported", rule: "za-cdv", linesRead: 1, rowsRead: 1, refused: [] });
  expect(report.version).toMatch(/^2026-12-01-[0-9a-f]{12}$/);
  const book = readRulesFolder(folder);
  expect(checkAccount(question, book)).toEqual({ result: "valid", rule: "za-cdv", version: report.version, reason: null });
  expect(checkAccount({ ...question, account: "18" }, book)).toMatchObject({ result: "invalid", reason: "check-digit" });
  expect(checkAccount({ ...question, onDate: "2026-11-30" }, book).version).toBe("1");
});

test("the same table and date give the same version, which is never overwritten", () => {
  const folder = emptyFolder();
  const first = importTable(given(folder, "cim900", cim900("470010", 10)));
  const before = readFileSync(join(folder, first.file), "utf8");
  const again = importTable(given(folder, "cim900", cim900("470010", 10), { importedAt: "2026-11-21T10:00:00Z" }));
  expect([again.outcome, again.version]).toEqual(["already-there", first.version]);
  expect(readFileSync(join(folder, first.file), "utf8")).toBe(before);
  const later = importTable(given(folder, "cim900", cim900("470010", 10), { effectiveFrom: "2027-01-01" }));
  expect(later.outcome).toBe("imported");
  expect(readdirSync(folder).sort()).toEqual([first.file, later.file].sort());
});

test("a correction from the same date is in force at once, and the corrected version can still be asked for", () => {
  const folder = emptyFolder();
  const wrong = importTable(given(folder, "cim900", cim900("470010", 11)));
  const right = importTable(given(folder, "cim900", cim900("470010", 10)));
  const book = readRulesFolder(folder);
  expect(checkAccount(question, book)).toMatchObject({ result: "valid", version: right.version });
  const then = explainAccount({ ...question, version: wrong.version, accountType: null }, book);
  expect(then.answer).toMatchObject({ result: "invalid", version: wrong.version });
});

test("of two versions from one date the later import counts, whatever their names", () => {
  const cdv = [cim900("470010", 10), cim900("470010", 11)];
  const uk = [table, `${table}\n`];
  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    const folder = emptyFolder();
    const [, lastCdv] = order.map((one) => importTable(given(folder, "cim900", cdv[one]!)));
    const [, lastUk] = order.map((one) => importTable(given(folder, "valacdos", uk[one]!)));
    const book = readRulesFolder(folder);
    expect(checkAccount(question, book).version).toBe(lastCdv?.version);
    expect(checkAccount({ ...question, rule: "uk-modulus", branch: "107999" }, book).version).toBe(lastUk?.version);
  }
});

test("a dry run reports and writes nothing", () => {
  const folder = emptyFolder();
  expect(importTable(given(folder, "cim900", cim900("470010", 10), { isDryRun: true })).outcome).toBe("would-import");
  expect(readdirSync(folder)).toEqual([]);
});

test("understood branches of CIM900 are imported; a sort code table with a refused line is refused as a whole", () => {
  const folder = emptyFolder();
  const partly = importTable(given(folder, "cim900", `HEADER\n${cim900("470010", 10)}`));
  expect(partly).toMatchObject({ outcome: "imported", refused: [{ line: 1 }] });
  expect(importTable(given(folder, "cim900", "HEADER\n")).outcome).toBe("refused");
  expect(importTable(given(folder, "valacdos", `${table}nonsense\n`))).toMatchObject({ outcome: "refused", refused: [{ line: 3 }] });
  expect(importTable(given(folder, "scsubtab", "")).outcome).toBe("refused");
  expect(readdirSync(folder)).toEqual([partly.file]);
});

test("a sort code table decides with the substitutions of its day, and every pair has a name", () => {
  const folder = emptyFolder();
  const first = importTable(given(folder, "valacdos", table));
  const uk = { ...question, rule: "uk-modulus", branch: "107999", account: "88837493" } as const;
  expect(checkAccount(uk, readRulesFolder(folder))).toMatchObject({ result: "invalid", version: first.version });
  const later = importTable(given(folder, "scsubtab", "938600 938611\n", { effectiveFrom: "2026-12-15" }));
  const book = readRulesFolder(folder);
  const pair = `${first.version}+${later.version}`;
  expect(checkAccount({ ...uk, onDate: "2026-12-14" }, book).version).toBe(first.version);
  expect(checkAccount({ ...uk, onDate: "2026-12-15" }, book).version).toBe(pair);
  const second = importTable(given(folder, "valacdos", `${table}\n`, { effectiveFrom: "2026-12-10" }));
  const now = readRulesFolder(folder);
  expect(checkAccount({ ...uk, onDate: "2026-12-15" }, now).version).toBe(`${second.version}+${later.version}`);
  const again = explainAccount({ ...uk, version: pair, accountType: null, onDate: "2026-12-15" }, now);
  expect(again.answer).toMatchObject({ version: pair, result: "invalid" });
});

test("on every day at most one version of each rule is in force", () => {
  const folder = emptyFolder();
  for (const [day, text] of [
    ["05", table],
    ["10", `${table}\n`],
    ["05", `\n${table}`],
  ] as const)
    importTable(given(folder, "valacdos", text, { effectiveFrom: `2026-12-${day}` }));
  importTable(given(folder, "scsubtab", "938600 938611", { effectiveFrom: "2026-12-07" }));
  const versions = readRulesFolder(folder)["uk-modulus"];
  for (let day = 1; day < 20; day += 1) {
    const date = `2026-12-${String(day).padStart(2, "0")}`;
    const inForce = versions.filter(
      ({ effectiveFrom, effectiveTo }) => effectiveFrom <= date && (effectiveTo === null || date < effectiveTo),
    );
    expect([date, inForce.length]).toEqual([date, day < 5 ? 0 : 1]);
  }
  expect(new Set(versions.map(({ version }) => version)).size).toBe(versions.length);
});

test("a file that was edited, renamed or is no rule data ends the reading with an error that names it", () => {
  const folder = emptyFolder();
  const { file } = importTable(given(folder, "cim900", cim900("470010", 10)));
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace('"modulus":10', '"modulus":11'));
  expect(() => readRulesFolder(folder)).toThrow(/content was changed/);
  writeFileSync(path, text.replace("2026-12-01", "2026-12-02"));
  expect(() => readRulesFolder(folder)).toThrow(file);
  writeFileSync(path, text);
  expect(() => readRulesFolder(folder)).not.toThrow();
  cpSync(path, join(folder, "copy.json"));
  expect(() => readRulesFolder(folder)).toThrow(/its name is not/);
  writeFileSync(join(folder, "copy.json"), "{");
  expect(() => readRulesFolder(folder)).toThrow(/not rule data/);
  rmSync(join(folder, "copy.json"));
  writeFileSync(join(folder, "README.md"), "ours");
  expect(() => readRulesFolder(folder)).not.toThrow();
});

test("a missing folder is an error, not an empty folder", () => {
  expect(() => readRulesFolder(join(emptyFolder(), "missing"))).toThrow(/cannot be read/);
});

test("a table beyond the bounds is refused before it is read", () => {
  const folder = emptyFolder();
  expect(() => importTable(given(folder, "valacdos", "\n".repeat(200_001)))).toThrow(/200000 lines/);
  expect(() => importTable({ ...given(folder, "valacdos", ""), bytes: new Uint8Array(64 * 1_048_576 + 1) })).toThrow(/bytes/);
});
