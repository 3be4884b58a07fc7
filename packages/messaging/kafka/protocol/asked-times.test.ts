import { setTimeout as delay } from "node:timers/promises";
import broker from "kafkajs/src/broker/index.js";
import { expect, test } from "vitest";
import { sinceAskedMs } from "./asked-times.ts";
import "../kafkajs/kafkajs-repairs.ts";

test.each(["heartbeat", "syncGroup"] as const)("W: the answer to a %s is as old as its question", async (name) => {
  const sendRequest = Object.getOwnPropertySymbols(broker.prototype).find(
    ({ description }) => description?.includes("sendRequest") === true,
  );
  const answeredAfterMs = 50;
  const slow = Object.assign(Object.create(broker.prototype), {
    lookupRequest: () => () => ({}),
    [sendRequest ?? ""]: () => delay(answeredAfterMs),
  });
  const event = { memberId: "m" };
  await slow[name](event);
  // The platform's timer may be a millisecond early.
  expect(sinceAskedMs(event)).toBeGreaterThanOrEqual(answeredAfterMs - 1);
  expect(sinceAskedMs({ memberId: "another" })).toBe(Number.POSITIVE_INFINITY);
});
