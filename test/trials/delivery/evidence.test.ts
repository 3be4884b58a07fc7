import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepEvidence } from "./evidence.ts";

test("the evidence of a failed trial holds every message, attempt, end and log, without the servers' data", async () => {
  const root = await mkdtemp(join(tmpdir(), "sluice-evidence-"));
  try {
    const directory = join(root, "run");
    await mkdir(join(directory, "kafka"), { recursive: true });
    await writeFile(join(directory, "dispatcher-1.log"), "a line\n");
    await writeFile(join(directory, "kafka", "data"), "much");
    const attempts = Array.from({ length: 5_000 }, (_, index) => ({
      id: `message-${index}`,
      bank: "healthy01",
      digest: "d",
      arrivedAt: index,
      acknowledgedAt: null,
    }));
    const ends = [{ id: "message-0", record: "Receipt", outcome: "ACKNOWLEDGED" }] as const;
    const folder = await keepEvidence(join(root, "kept"), { sent: [], attempts, ends, deadLetters: 0 }, directory);
    const lines = (await readFile(join(folder, "history.jsonl"), "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(attempts.length + 1);
    expect(JSON.parse(lines[0] ?? "")).toEqual({ kind: "attempts", ...attempts[0] });
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ kind: "ends", ...ends[0] });
    expect(await readFile(join(folder, "dispatcher-1.log"), "utf8")).toBe("a line\n");
    await expect(readFile(join(folder, "kafka", "data"))).rejects.toMatchObject({ code: "ENOENT" });
  } finally {
    await rm(root, { recursive: true });
  }
});
