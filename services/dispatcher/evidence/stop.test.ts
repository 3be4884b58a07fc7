// What the answer to a stop says of a message that this owner has not tried itself: operators resolve the item by it.

import { deliveryStartMs } from "@sluice/delivery/delivery-environment";
import { describe, expect, it } from "vitest";
import { buildCreditDispatch, createDispatcherEnvironment, dispatchMessageId, buildStop } from "../dispatcher.fixture.ts";

describe("evidence of a stop", { timeout: 30_000 }, () => {
  it("a credit that only an earlier owner may have tried may have been taken", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(() => ({ status: 202, afterMs: 4_000 }));
    await environment.dispatch(buildCreditDispatch(1, deliveryStartMs + 3_000));
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(2_000);
    first.kill();
    await environment.time.advance(3_000);
    await environment.start();
    await environment.stop(buildStop(1, "C"));
    await environment.until(() => environment.ended().length === 1);
    expect(environment.ended()).toMatchObject([{ outcome: "STOPPED", attempts: 0, anyAnswer: false, mayHaveBeenTaken: true }]);
    expect(environment.attemptsOf(dispatchMessageId(1, "C"))).toHaveLength(1);
  });

  it.each([
    ["A", "outboundDirectDebitResponse"],
    ["D", "inboundDirectDebit"],
    ["C", "inboundCreditTransferAuthorization"],
    ["O1", "inboundDirectDebitResponse"],
  ] as const)(
    "a stop that finds no delivery is answered, and a message with the letter %s has the operation %s",
    async (letter, operation) => {
      const environment = createDispatcherEnvironment();
      await environment.start();
      await environment.stop(buildStop(1, letter));
      await environment.until(() => environment.ended().length === 1);
      expect(environment.ended()).toMatchObject([
        { messageIdentification: dispatchMessageId(1, letter), outcome: "STOPPED", operation, attempts: 0 },
      ]);
      expect(environment.receipts()).toEqual([]);
    },
  );
});
