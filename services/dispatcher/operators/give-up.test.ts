// A delivery that an operator stops: the end of its attempts, what follows under its key, and a later redrive.

import { deliveryStartMs } from "@sluice/delivery/delivery-environment";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, buildStop, dispatchMessageId, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const debit = dispatchMessageId(1, "D");
const stopped = { messageIdentification: debit };
const readReceipts = (environment: DispatcherEnvironment) =>
  environment.receipts().map(({ outcome, attempts, stoppedBy, confirmedBy }) => [outcome, attempts, stoppedBy, confirmedBy]);
const ignored = (environment: DispatcherEnvironment) =>
  environment.logged.flatMap(({ event, fields }) => (event === "delivery.give-up-ignored" && "why" in fields ? [fields.why] : []));

/** Sends a debit that its bank answers with 500, until it has been tried `attempts` times. */
async function failing(attempts = 4) {
  const environment = createDispatcherEnvironment();
  const process = await environment.start();
  environment.answers(({ id }) => (id === debit ? 500 : 202));
  await environment.dispatch({ messageIdentification: debit });
  await environment.until(() => environment.received.length === attempts, 10 * minuteMs);
  return { environment, process };
}

describe("a delivery that an operator stops", { timeout: 30_000 }, () => {
  it("I12: is tried no more; its receipt names both persons, and no fact follows [D3 operator-stop]", async () => {
    const { environment } = await failing();
    await environment.giveUp(stopped);
    await environment.until(() => environment.receipts().length === 1, minuteMs);
    const attempts = environment.received.length;
    expect(readReceipts(environment)).toEqual([["STOPPED", attempts, "thandi", "sipho"]]);
    await environment.time.advance(120 * minuteMs);
    expect(environment.received).toHaveLength(attempts);
    expect(environment.ended()).toEqual([]);
    expect(await environment.parked("deliveries")).toMatchObject([{ id: debit, ended: "refused", stop: { operator: "thandi" } }]);
  });

  it("I4: lets what follows under its UETR pass; what comes after a redrive waits behind it [D3 operator-stop]", async () => {
    const { environment } = await failing();
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "S") });
    await environment.time.advance(10 * minuteMs);
    expect(environment.endedIds().size).toBe(0);
    await environment.giveUp(stopped);
    await environment.until(() => environment.endedIds().has(dispatchMessageId(1, "S")), minuteMs);
    const before = environment.attemptsOf(debit).length;
    await environment.redrive(stopped);
    await environment.until(() => environment.attemptsOf(debit).length > before, minuteMs);
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "A") });
    await environment.time.advance(minuteMs);
    expect(environment.attemptsOf(dispatchMessageId(1, "A"))).toEqual([]);
    environment.answers(() => 202);
    await environment.until(() => environment.endedIds().size === 3, 2 * minuteMs);
    expect(environment.ended().at(-2)).toMatchObject({ messageIdentification: debit, outcome: "ACKNOWLEDGED" });
  });

  it("I10: is answered at its close with all attempts, as one that the bank may have taken [D3 operator-stop]", async () => {
    const { environment } = await failing();
    await environment.giveUp(stopped);
    await environment.until(() => environment.receipts().length === 1, minuteMs);
    const attempts = environment.received.length;
    await environment.stop({ ...buildStop(1, "D"), causedByOffset: 90n });
    await environment.until(() => environment.ended().length === 1, minuteMs);
    expect(environment.ended()).toMatchObject([{ outcome: "STOPPED", attempts, anyAnswer: true, mayHaveBeenTaken: true, stopOffset: 90n }]);
    await environment.redrive({ ...stopped, causedByOffset: 91n });
    await environment.time.advance(20 * minuteMs);
    expect(environment.received).toHaveLength(attempts);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("I1: stays stopped for the next owner, and when its record and the stop are read again", async () => {
    const { environment, process } = await failing();
    await environment.giveUp(stopped);
    await environment.until(() => environment.receipts().length === 1, minuteMs);
    const attempts = environment.received.length;
    await process.stop();
    await environment.restoreTo(0n);
    await environment.start();
    await environment.time.advance(120 * minuteMs);
    expect(environment.received).toHaveLength(attempts);
    expect(new Set(readReceipts(environment).map(String))).toEqual(new Set([`STOPPED,${attempts},thandi,sipho`]));
  });

  it("a stop waits for the attempt under way, and an acknowledgement wins", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ attempt }) => (attempt < 3 ? 500 : { status: 202, afterMs: 3_000 }));
    await environment.dispatch(stopped);
    await environment.until(() => environment.received.length === 3, minuteMs);
    await environment.giveUp(stopped);
    await environment.time.advance(minuteMs);
    expect(environment.ended()).toMatchObject([{ outcome: "ACKNOWLEDGED", attempts: 3 }]);
    expect(ignored(environment)).toEqual(["not-parked"]);
  });
});

describe("a stop without effect", { timeout: 30_000 }, () => {
  it("is older than the redrive after it, or stops what is stopped, refused, over or unknown; the partition continues", async () => {
    const { environment } = await failing();
    await environment.redrive({ ...stopped, causedByOffset: 40n });
    await environment.giveUp({ ...stopped, causedByOffset: 50n });
    await environment.giveUp({ ...stopped, causedByOffset: 51n });
    await environment.redrive({ ...stopped, causedByOffset: 60n });
    await environment.giveUp({ ...stopped, causedByOffset: 55n });
    await environment.giveUp({ messageIdentification: dispatchMessageId(9) });
    environment.answers(() => 422);
    await environment.until(() => environment.ended().length === 1, 2 * minuteMs);
    await environment.giveUp({ ...stopped, causedByOffset: 70n });
    await environment.time.advance(minuteMs);
    expect(ignored(environment)).toEqual(["not-tried", "older", "not-parked", "not-tried"]);
  });

  it("comes after its day has closed: the stop of the close follows", async () => {
    const { environment } = await failing();
    await environment.dayTimes(1, deliveryStartMs + 30 * minuteMs);
    await environment.time.advance(31 * minuteMs);
    await environment.giveUp(stopped);
    await environment.time.advance(minuteMs);
    expect(ignored(environment)).toEqual(["attempts-over"]);
    expect(environment.receipts()).toEqual([]);
  });
});
