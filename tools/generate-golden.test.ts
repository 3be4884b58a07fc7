import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeMissing } from "./generate-golden.ts";

test("what is missing is written, what is there is never rewritten", () => {
  const root = mkdtempSync(join(tmpdir(), "sluice-golden-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync(join(import.meta.dirname, "..", "avro", "versions", "release"), join(root, "avro", "versions", "release"), { recursive: true });
  const golden = join("avro", "golden", "release", "1.json");
  const body = join("packages", "contracts", "golden", "on-us-inbound-debit-released.json");
  expect(writeMissing(root)).toEqual(expect.arrayContaining([golden, body]));
  expect(readFileSync(join(root, golden), "utf8")).toBe(readFileSync(join(import.meta.dirname, "..", golden), "utf8"));
  for (const path of [golden, body]) writeFileSync(join(root, path), "old");
  expect(writeMissing(root)).toEqual([]);
  expect(readFileSync(join(root, golden), "utf8")).toBe("old");
});
