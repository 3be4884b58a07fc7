// What the answer to a stop says of a message that this owner has not tried itself: people resolve the item by it.

import { startAtMs } from "@sluice/delivery/delivery-world";
import { describe, expect, it } from "vitest";
import { credit, dispatcherWorld, messageId, stopOf } from "./dispatcher.fixture.ts";

describe("evidence of a stop", { timeout: 30_000 }, () => {
  it("a credit that an earlier owner may have tried, and this one no more, may have been taken", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    world.answers(() => ({ status: 202, afterMs: 4_000 }));
    await world.dispatch(credit(1, startAtMs + 3_000));
    await world.until(() => world.received.length === 1);
    await world.time.advance(2_000);
    first.kill();
    await world.time.advance(3_000);
    await world.start();
    await world.stop(stopOf(1, "C"));
    await world.until(() => world.ended().length === 1);
    expect(world.ended()).toMatchObject([{ outcome: "STOPPED", attempts: 0, anyAnswer: false, mayHaveBeenTaken: true }]);
    expect(world.attemptsOf(messageId(1, "C"))).toHaveLength(1);
  });

  it.each([
    ["A", "outboundDirectDebitResponse"],
    ["D", "inboundDirectDebit"],
    ["C", "inboundCreditTransferAuthorization"],
    ["O1", "inboundDirectDebitResponse"],
  ] as const)("a stop that meets nothing is answered, and a message with the letter %s is said to be of %s", async (letter, operation) => {
    const world = dispatcherWorld();
    await world.start();
    await world.stop(stopOf(1, letter));
    await world.until(() => world.ended().length === 1);
    expect(world.ended()).toMatchObject([{ messageIdentification: messageId(1, letter), outcome: "STOPPED", operation, attempts: 0 }]);
    expect(world.receipts()).toEqual([]);
  });
});
