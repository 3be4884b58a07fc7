import { expect, test } from "vitest";
import { createProofMemory, proofsMax, proofsOfClientMax, proofsReserved, proofWindowMs } from "./proof-memory.ts";

test("a proof counts once, for as long as it would be accepted, and the same id of another key is another proof", () => {
  let nowMs = 0;
  const proofs = createProofMemory(() => nowMs);
  expect([proofs.use("a", "k", "1"), proofs.use("a", "k", "1"), proofs.use("a", "other", "1")]).toEqual(["first", "again", "first"]);
  nowMs += proofWindowMs;
  expect(proofs.use("a", "k", "1")).toBe("again");
  nowMs += 2 * proofWindowMs;
  expect(proofs.use("a", "k", "1")).toBe("first");
});

test("I14, I15: one client fills its own share alone, and each other one still has its reserved share", () => {
  const proofs = createProofMemory(() => 0);
  const send = (client: string, count: number) => {
    let accepted = 0;
    for (let index = 0; index < count; index += 1) accepted += proofs.use(client, "k", `${index}`) === "first" ? 1 : 0;
    return accepted;
  };
  expect(send("loud", proofsOfClientMax + 10)).toBe(proofsOfClientMax);
  for (let index = 1; index < proofsMax / proofsOfClientMax; index += 1) send(`loud-${index}`, proofsOfClientMax);
  expect(send("quiet", proofsReserved + 10)).toBe(proofsReserved);
});
