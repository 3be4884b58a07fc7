import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createSignInFlows, flowLifeMs, flowsMax, flowsOfOneMax } from "./sign-in-flows.ts";

function open() {
  const time = createVirtualTime({ startAtMs: 0 });
  const flows = createSignInFlows({ time, random: seededRandom("flows") });
  return { time, flows, begin: (address: string | null) => flows.begin("/", "provider", address) };
}

test("a flow is taken once, and within its time", async () => {
  const { time, flows, begin } = open();
  const [first, second] = [begin("a"), begin("a")];
  expect(new Set([first, second].flatMap(({ id, state, nonce, verifier }) => [id, state, nonce, verifier])).size).toBe(8);
  expect(flows.take(first.id)).toEqual(first);
  expect(flows.take(first.id)).toBeNull();
  expect(flows.take(second.state)).toBeNull();
  await time.advance(flowLifeMs);
  expect(flows.take(second.id)).toBeNull();
});

test("I15: one address has a bounded number of flows, and ends its own first", () => {
  const { flows, begin } = open();
  const other = begin("b");
  const begun = Array.from({ length: flowsOfOneMax + 1 }, () => begin("a"));
  expect(flows.take(begun[0]!.id)).toBeNull();
  expect(begun.slice(1).every(({ id }) => flows.take(id) !== null)).toBe(true);
  expect(flows.take(other.id)).toEqual(other);
});

test("I15: all addresses together have a bounded number of flows, and the oldest ends", () => {
  const { flows } = open();
  const begun = Array.from({ length: flowsMax + 1 }, (_, index) => flows.begin("/", "provider", `${index % 50}`));
  expect([flows.take(begun[0]!.id), flows.take(begun[1]!.id)]).toEqual([null, begun[1]]);
});
