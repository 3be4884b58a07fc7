import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeMissingGolden } from "./golden.ts";

test("missing files are written, existing ones are never rewritten", () => {
  const root = mkdtempSync(join(tmpdir(), "sluice-golden-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync(join(import.meta.dirname, "../../..", "avro", "versions", "release"), join(root, "avro", "versions", "release"), {
    recursive: true,
  });
  const golden = join("avro", "golden", "release", "1.json");
  const body = join("packages", "contracts", "golden", "on-us-inbound-debit-released.json");
  expect(writeMissingGolden(root, true)).toContain(golden);
  expect(writeMissingGolden(root)).toEqual(expect.arrayContaining([golden, body]));
  expect(readFileSync(join(root, golden), "utf8")).toBe(readFileSync(join(import.meta.dirname, "../../..", golden), "utf8"));
  for (const path of [golden, body]) writeFileSync(join(root, path), "old");
  expect(writeMissingGolden(root)).toEqual([]);
  expect(readFileSync(join(root, golden), "utf8")).toBe("old");
});
