import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAuditKeys } from "@sluice/audit";
import { expect, test } from "vitest";
import { ensureKey, writeAuditKey } from "./audit-key-file.ts";
import { auditMakeKeyVerb } from "./make-key.ts";
import { formatReport } from "./verify.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-audit-"));

test("a key that was made is for its owner alone, seals, and is verified by the public key that was printed", () => {
  const path = join(folder, "one.pem");
  const publicKeys = readAuditKeys(writeAuditKey(path));
  const keys = readAuditKeys(readFileSync(path, "utf8"));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect([publicKeys.signer, [...publicKeys.verifiers.keys()]]).toEqual([null, [keys.signer?.keyId]]);
});

test("a key that exists is never replaced", async () => {
  const path = join(folder, "two.pem");
  writeAuditKey(path);
  const before = readFileSync(path, "utf8");
  const call = { positionals: [path], flag: () => false, value: () => null, raw: [] };
  await expect(auditMakeKeyVerb.run(call, () => Promise.resolve([]))).rejects.toThrow("cannot be written: EEXIST");
  ensureKey(path);
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("the report names each problem with its record, and the last seal to be kept", () => {
  const last = { sequence: 7n, sha256: "ab", sealedAtMs: Date.UTC(2026, 10, 20, 6) };
  const problem = { kind: "changed", chain: "console-ab", sequence: 5n, offset: 9n, text: "is not as it was sealed" } as const;
  const counts = { entries: 12, chains: 2, seals: 7, unsealed: 1, repeats: 0, last };
  expect(formatReport({ ...counts, problemCount: 2, problems: [problem] })).toBe(
    [
      "12 entries of 2 processes, 7 seals, 1 entries without one yet",
      "last seal 7:ab of 2026-11-20T06:00:00.000Z",
      "changed: console-ab 5 (offset 9) is not as it was sealed",
      "and 1 more",
      "2 problems\n",
    ].join("\n"),
  );
  expect(formatReport({ ...counts, problemCount: 0, problems: [] })).toMatch(/nothing is wrong\n$/);
});
