// The demo as a newcomer runs it, only smaller, with a service killed in the middle.

import { expect, test } from "vitest";
import { runCommandLine } from "./command-line.ts";

test("I1, I3, I5: ./sluice demo --kill scheduler plays its day, checks it, and says so to machines", async () => {
  const { code, stdout, stderr } = await runCommandLine(["demo", "--json", "--debits", "20", "--kill", "scheduler"]);
  expect({ code, stderr: code === 0 ? "" : stderr.slice(-4_000) }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ problems: [], outage: { bank: "acacia", firstTakenAtMs: expect.any(Number) } });
  expect(stderr).toContain("SIGKILL");
});
