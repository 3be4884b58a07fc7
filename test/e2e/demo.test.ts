// Runs the demo as a newcomer does, but smaller, and kills a service during it.

import { dirname } from "node:path";
import { expect, test } from "vitest";
import { runSluice } from "./command-line.ts";

test("I1, I3, I5: ./sluice demo --kill scheduler plays its day, checks it, and prints the result as JSON", async () => {
  const { code, stdout, stderr } = await runSluice(["demo", "--json", "--debits", "20", "--kill", "scheduler"]);
  expect({ code, stderr: code === 0 ? "" : stderr.slice(-4_000) }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ problems: [], outage: { bank: "acacia", firstTakenAtMs: expect.any(Number) } });
  expect(stderr).toContain("SIGKILL");
});

test("I1, I3, I5: where Java is missing ./sluice demo plays the same day in one process, checks it, and says so", async () => {
  const bare = { PATH: dirname(process.execPath), JAVA_HOME: "" };
  const { code, stdout, stderr } = await runSluice(["demo", "--json", "--debits", "20"], bare);
  expect({ code, stderr: code === 0 ? "" : stderr.slice(-4_000) }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ problems: [], outage: { bank: "acacia", firstTakenAtMs: expect.any(Number) } });
  expect(stderr).toContain("Java is not installed");
  expect(stderr).toContain("in one process, over a log and a store in memory");
});
