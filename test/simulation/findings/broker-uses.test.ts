import { brokerRightsOf, brokerServices } from "@sluice/contracts";
import { expect, test } from "vitest";
import { simulate } from "../simulate.ts";

/** Odd seeds have faults and foreign records, which the services dead-letter and the console replays. */
const lastSeed = 59;

/**
 * What a simulated day need not do; test/e2e/least-rights.test.ts does it on a broker that asks for rights, but for the
 * reading of state events, which services/console/own-transactions/list-events.test.ts shows.
 */
const notSimulated = new Set([
  "validator: read topic sluice.dead-letters.v1.dlq",
  "validator: write topic sluice.dead-letters.v1.dlq",
  "console: write topic sluice.dispatch.v1",
  "console: write topic sluice.events.v1",
  "console: write topic sluice.proposals.v1",
  "console: read topic sluice.audit.v1",
  "console: read topic sluice.state-events.v1",
  "console: describe group sluice.validator",
]);

test("each right at the broker is used, and nothing is done without one", async () => {
  const rights = brokerServices.flatMap((service) =>
    brokerRightsOf(service)
      .filter(({ operation }) => operation !== "describe-configs")
      .map(({ kind, name, operation }) => `${service}: ${operation} ${kind} ${name}`),
  );
  const forbidden = new Set<string>();
  const unused = new Set(rights.filter((right) => !notSimulated.has(right)));
  for (let seed = 5; seed <= lastSeed && unused.size > 0; seed += 2) {
    const { uses } = await simulate(seed);
    for (const use of uses.used) unused.delete(use);
    for (const use of uses.forbidden) forbidden.add(use);
  }
  expect({ unused: [...unused], forbidden: [...forbidden] }).toEqual({ unused: [], forbidden: [] });
});
