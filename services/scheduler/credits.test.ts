// Credits and off-us debits from end to end in the lane.

import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { bank, closesAtMs, connector, creditDeadlineMs, day, opensAtMs, World } from "./given.ts";

const numbered = (states: readonly string[]): readonly string[] => states.map((state, index) => `${index + 1} ${state}`);
const accepted = ["CREDIT_AUTH_RECEIVED", "CREDIT_AUTH_ACCEPTED", "CREDIT_AUTH_DELIVERY_PENDING"];

/** What was dispatched, in order: letter and number of its identification, and to whom. */
const dispatched = (world: World): readonly string[] => [
  ...new Set(
    world
      .named(topics.dispatch, "Dispatch")
      .map(({ decoded: { value } }) => `${value.messageIdentification.slice(32)} ${value.operation} ${value.bank}`),
  ),
];

test("a credit is sent to its bank at once, the connector is told the outcome, and its events go to the bank [3 CREDIT_AUTH_RECEIVED] [3 CREDIT_AUTH_ACCEPTED] [3 CREDIT_AUTH_DELIVERY_PENDING] [3 CREDIT_AUTH_DELIVERED] [3 CREDIT_AUTH_RESPONSE_ACCEPTED] [6 example-trigger]", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetr = world.uetr();
  await world.credit(uetr);
  await world.until("sent", () => dispatched(world).length === 1);
  expect(dispatched(world)).toEqual([`C inboundCreditTransferAuthorization ${bank}`]);
  const [sent] = world.named(topics.dispatch, "Dispatch");
  const [received] = world.named(topics.journal, "CreditTransferReceived");
  expect(sent!.decoded.value).toMatchObject({ stopsAtMs: received!.decoded.value.deadlineMs, closesWith: null, deadlineMs: null });
  await world.append(topics.journal, uetr, world.endedOf(uetr, "C"));
  await world.endCredit(uetr);
  await world.until("told", () => dispatched(world).length === 2);
  expect(dispatched(world)[1]).toBe(`O1 inboundCreditTransferAuthorizationResponse ${connector}`);
  expect(world.events(uetr)).toEqual(numbered([...accepted, "CREDIT_AUTH_DELIVERED", "CREDIT_AUTH_RESPONSE_ACCEPTED"]));
  const events = world.named(topics.events, "TransactionStateEvent").map(({ decoded }) => decoded.value);
  expect(new Set(events.map(({ bank: to, service }) => `${to} ${service}`))).toEqual(new Set([`${bank} EFT_CREDIT`]));
  const document = await world.document(uetr);
  expect(world.serde.decode(document!.acceptedMessage).name).toBe("CreditTransferReceived");
  expect(world.serde.decode(document!.verdict!).name).toBe("AccountVerified");
  expect(world.serde.decode(document!.finalReport!).name).toBe("StatusReportReceived");
});

test("a refused credit ends at once and the connector is told [3 CREDIT_AUTH_REJECTED]", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetr = world.uetr();
  const credit = world.creditOf(uetr);
  await world.append(topics.journal, uetr, credit);
  await world.append(topics.journal, uetr, world.verdictOf(credit, "REFUSED"));
  await world.until("told", () => dispatched(world).length === 1);
  expect(world.events(uetr)).toEqual(numbered(["CREDIT_AUTH_RECEIVED", "CREDIT_AUTH_REJECTED"]));
  expect(dispatched(world)).toEqual([`O1 inboundCreditTransferAuthorizationResponse ${connector}`]);
});

test("I5: a credit without a report ends at its deadline, not before and once; its delivery is stopped and the connector told [3 CREDIT_AUTH_RECONCILIATION]", async () => {
  const world = new World({ lanes: 2 });
  await world.scheduler();
  const uetr = world.uetr();
  await world.credit(uetr);
  await world.until("ended", () => world.events(uetr).length === 4);
  expect(world.events(uetr)[3]).toBe("4 CREDIT_AUTH_RECONCILIATION");
  const passed = world.named(topics.journal, "DeadlinePassed");
  const [received] = world.named(topics.journal, "CreditTransferReceived");
  const { deadlineMs } = received!.decoded.value;
  expect(passed).toHaveLength(1);
  expect(passed[0]!.appendedAtMs).toBeGreaterThanOrEqual(deadlineMs);
  expect(passed[0]!.appendedAtMs).toBeLessThan(deadlineMs + 2_000);
  expect(world.named(topics.dispatch, "DispatchChange")).toHaveLength(1);
  await world.append(topics.journal, uetr, world.endedOf(uetr, "C", "STOPPED"));
  await world.time.advance(300_000);
  const { transaction } = (await world.document(uetr))!;
  expect(transaction.items).toMatchObject([{ day, row: 7 }]);
  expect(transaction.outcome).toEqual({ number: 1, acknowledgedAtMs: null });
  expect(world.named(topics.journal, "DeadlinePassed")).toHaveLength(1);
  expect(world.named(topics.journal, "DayClosed")).toEqual([]);
});

test("a deadline that passed while no scheduler ran is met by the next one, once", async () => {
  const world = new World({ lanes: 2 });
  const first = await world.scheduler();
  const uetrs = Array.from({ length: 6 }, () => world.uetr());
  for (const uetr of uetrs) await world.credit(uetr);
  await world.until("sent", () => uetrs.every((uetr) => world.events(uetr).length === 3));
  // Their positions are written: nothing of the credits is replayed.
  await world.time.advance(1_000);
  first.kill();
  await world.time.advance(creditDeadlineMs + 60_000);
  // What lies in the log is handled first; nothing of it is about a credit.
  for (const lane of [0, 1]) await world.hold(world.uetrIn(lane));
  await world.scheduler();
  await world.until("ended", () => uetrs.every((uetr) => world.events(uetr).length === 4));
  await world.time.advance(60_000);
  expect(world.named(topics.journal, "DeadlinePassed")).toHaveLength(uetrs.length);
});

test("an outcome that the connector has not acknowledged by the credit's deadline is an item beside its state", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetr = world.uetr();
  await world.credit(uetr);
  await world.endCredit(uetr);
  await world.until("ended", () => world.events(uetr).length === 5);
  await world.time.advance(creditDeadlineMs + 50_000);
  expect((await world.document(uetr))!.transaction.items).toEqual([]);
  await world.time.advance(300_000);
  const [item] = (await world.document(uetr))!.transaction.items;
  expect(item).toMatchObject({ cause: "OUTCOME_UNDELIVERED", row: 5, settledAtMs: null });
  expect(world.named(topics.journal, "DeadlinePassed")).toHaveLength(1);
  await world.append(topics.journal, uetr, world.endedOf(uetr, "O1"));
  await world.time.advance(1_000);
  const { transaction } = (await world.document(uetr))!;
  expect(transaction.state).toBe("CREDIT_AUTH_RESPONSE_ACCEPTED");
  expect(transaction.items).toMatchObject([{ cause: "OUTCOME_UNDELIVERED", settledAtMs: expect.any(Number) as number }]);
});

test("a bank that asks for both classes gets the second right after the first of the same state, in one produce [2.3 class]", async () => {
  const batches: (readonly string[])[] = [];
  const world = new World({
    lanes: 1,
    bankOptions: { eventClasses: ["TRANSACTION_STATE", "ESM_STATE"] },
    logHooks: {
      produce(_client, batch) {
        const events = batch.filter(({ topic }) => topic === topics.events).map(({ headers }) => headers["sluice-type"] ?? "");
        if (events.length > 0) batches.push(events);
        return { kind: "append" };
      },
    },
  });
  await world.scheduler();
  const uetr = world.uetr();
  await world.credit(uetr);
  await world.until("events", () => world.events(uetr).length === 3);
  const kinds = world.records(topics.events).map(({ decoded }) => decoded.name);
  expect(kinds).toEqual(Array.from({ length: 3 }, () => ["TransactionStateEvent", "EsmStateEvent"]).flat());
  const keys = new Set(world.records(topics.events).map(({ key }) => Buffer.from(key!).toString()));
  expect(keys).toEqual(new Set([uetr]));
  expect(batches.every((batch) => batch.length % 2 === 0)).toBe(true);
});

test("a posting has the shape, the payload and the time to live that its own bank is configured with [D8 eventShape] [D8 eventPayload] [D3 deadlines]", async () => {
  const hourMs = 3_600_000;
  const bankOptions = { eventShape: "sample", eventPayload: "none", eventDeadlineMs: hourMs } as const;
  const world = new World({ lanes: 1, banks: ["second"], bankOptions });
  await world.scheduler();
  const [own, onUs, others] = [world.uetr(), world.uetr(), world.uetr()];
  await world.credit(own);
  await world.hold(onUs);
  await world.holdOffUs(others, "second");
  await world.until("events", () => [own, onUs, others].every((uetr) => world.events(uetr).length >= 3));
  const posted = world.named(topics.events, "TransactionStateEvent").map(({ decoded }) => decoded.value);
  const shown = ({ bank: to, body, enteredAtMs, deadlineMs }: (typeof posted)[number]): string => {
    const event = JSON.parse(new TextDecoder().decode(body)) as object;
    return `${to}: ${"state" in event ? "full" : "sample"}, ${"payload" in event ? "payload" : "none"}, ${(deadlineMs - enteredAtMs) / hourMs} h`;
  };
  expect(new Set(posted.map(shown))).toEqual(new Set([`${bank}: sample, none, 1 h`, "second: full, payload, 72 h"]));
});

test("I8: an off-us debit is held like an on-us one, goes in the window, and its outcome is told to the connector", async () => {
  const world = new World({ lanes: 1, banks: ["second"] });
  await world.scheduler();
  const uetr = world.uetr();
  await world.holdOffUs(uetr, "second");
  await world.until("released", () => dispatched(world).length === 1);
  expect(dispatched(world)).toEqual(["D inboundDirectDebit second"]);
  const [debit] = world.named(topics.dispatch, "Dispatch");
  expect(debit!.decoded.value.madeAtMs).toBeGreaterThanOrEqual(opensAtMs);
  await world.append(topics.journal, uetr, world.endedOf(uetr, "D"));
  await world.append(topics.journal, uetr, world.reportOf(uetr, "not-made", { bank: "second" }));
  await world.until("told", () => dispatched(world).length === 2);
  expect(dispatched(world)[1]).toBe(`O1 inboundDirectDebitResponse ${connector}`);
  expect(world.events(uetr)).toEqual(numbered(["RECEIVED", "ACCEPTED", "HELD", "RELEASED", "DELIVERED", "UNPAID"]));
  const events = world.named(topics.events, "TransactionStateEvent").map(({ decoded }) => decoded.value.bank);
  expect(new Set(events)).toEqual(new Set(["second"]));
});

test("I10: at the close an outcome not acknowledged is an item beside the terminal state, which the acknowledgement settles", async () => {
  const world = new World({ lanes: 2 });
  const first = await world.scheduler();
  const uetr = world.uetr();
  await world.holdOffUs(uetr);
  await world.until("released", () => dispatched(world).length === 1);
  await world.append(topics.journal, uetr, world.endedOf(uetr, "D"));
  await world.append(topics.journal, uetr, world.reportOf(uetr, "made"));
  await world.until("told", () => dispatched(world).length === 2);
  expect(world.time.nowMs()).toBeLessThan(closesAtMs);
  await world.until("closed", () => world.named(topics.journal, "DayClosed").length === 1);
  await world.time.advance(1_000);
  const items = async () => (await world.document(uetr))!.transaction.items;
  expect(await items()).toMatchObject([{ day, row: 5, cause: "OUTCOME_UNDELIVERED", state: "COMPLETED", settledAtMs: null }]);
  // Under a new owner it is woken again, and nothing more comes of it.
  first.kill();
  await world.scheduler();
  await world.until("woken", () => world.named(topics.journal, "DayClosed").length === 2);
  await world.append(topics.journal, uetr, world.endedOf(uetr, "O1"));
  await world.time.advance(1_000);
  expect(await items()).toMatchObject([{ cause: "OUTCOME_UNDELIVERED", settledAtMs: expect.any(Number) as number }]);
  expect((await world.document(uetr))!.transaction.state).toBe("COMPLETED");
});

test("a scheme of credits alone is not planned, and its credits are carried all the same", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetr = world.uetr();
  await world.credit(uetr, { scheme: "ZA_RTC", businessDate: "2026-11-22" });
  await world.until("sent", () => world.events(uetr).length === 3 && world.named(topics.journal, "DayPlanned").length > 0);
  const planned = world.named(topics.journal, "DayPlanned").map(({ decoded }) => decoded.value);
  expect(new Set(planned.map(({ scheme, creditsFinal }) => `${scheme} ${creditsFinal}`))).toEqual(new Set(["ZA_EFT clock"]));
  const [event] = world.named(topics.events, "TransactionStateEvent");
  expect(event!.decoded.value.service).toBe("RTC_CREDIT");
});
