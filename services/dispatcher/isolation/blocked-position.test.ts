// What operators see of a record that holds a partition's position back.

import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, dispatchUetr } from "../dispatcher.fixture.ts";

describe("a record that holds the position of its partition back", { timeout: 30_000 }, () => {
  it("I16: is shown with its offset, UETR, receiver and since when, as long as the store is down; the service says why", async () => {
    const environment = createDispatcherEnvironment();
    const { running } = await environment.start();
    environment.answers(({ receiverId }) => (receiverId === "first" ? 503 : 202));
    await environment.dispatch({ messageIdentification: dispatchMessageId(1), bank: "second" });
    await environment.time.advance(30_000);
    expect(running.readiness().blocked).toEqual([]);
    environment.hooks.store.fault = ({ isWrite }) => (isWrite ? "down" : "none");
    const receivedAtMs = environment.time.nowMs();
    await environment.dispatch({ messageIdentification: dispatchMessageId(2) });
    await environment.dispatch({ messageIdentification: dispatchMessageId(3), bank: "second" });
    await environment.time.advance(5_000);
    expect(running.readiness().blocked).toEqual([]);
    await environment.time.advance(60_000);
    const [blocked, ...others] = running.readiness().blocked ?? [];
    expect(others).toEqual([]);
    expect(blocked).toMatchObject({ partition: 0, offset: 1n, key: dispatchUetr(2), receiver: "first", why: "in progress" });
    expect(Math.abs((blocked?.sinceMs ?? 0) - receivedAtMs)).toBeLessThan(1_000);
    environment.hooks.store.fault = () => "none";
    await environment.time.advance(30_000);
    expect(running.readiness()).toMatchObject({ isReady: true, blocked: [] });
  });
});
