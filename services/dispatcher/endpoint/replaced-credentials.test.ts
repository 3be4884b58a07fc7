import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId } from "../dispatcher.fixture.ts";

const [one, another] = [dispatchMessageId(1), dispatchMessageId(2)];

describe("when our credentials for a bank are replaced", () => {
  it("I7: messages that wait for it are tried at once, whatever the reason, and no other bank's are", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first" }), sampleBank({ id: "second" })] });
    await environment.start();
    environment.answers(() => 404);
    await environment.dispatch({ messageIdentification: one, bank: "first" }, { messageIdentification: another, bank: "second" });
    await environment.until(() => environment.attemptsOf(one).length === 1 && environment.attemptsOf(another).length === 1);
    await environment.time.advance(5_000);
    environment.answers(() => 202);
    environment.renewCredentials("first");
    await environment.time.advance(1_000);
    expect([environment.endedIds().has(one), environment.endedIds().has(another)]).toEqual([true, false]);
    await environment.until(() => environment.endedIds().has(another), 300_000);
  });

  it("a wait that the bank asked for still holds", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first" })] });
    await environment.start();
    environment.answers(() => ({ status: 503, retryAfter: "60" }));
    await environment.dispatch({ messageIdentification: one, bank: "first" });
    await environment.until(() => environment.attemptsOf(one).length === 1);
    environment.answers(() => 202);
    environment.renewCredentials("first");
    await environment.time.advance(50_000);
    expect(environment.attemptsOf(one).length).toBe(1);
    await environment.until(() => environment.endedIds().has(one), 15_000);
  });
});
