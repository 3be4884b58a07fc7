// Credits and off-us debits from end to end through the scheduler.

import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import {
  schedulerBank,
  closesAtMs,
  schedulerConnector,
  creditDeadlineMs,
  schedulerDay,
  opensAtMs,
  SchedulerEnvironment,
} from "../scheduler.fixture.ts";

const numbered = (states: readonly string[]): readonly string[] => states.map((state, index) => `${index + 1} ${state}`);
const accepted = ["CREDIT_AUTH_RECEIVED", "CREDIT_AUTH_ACCEPTED", "CREDIT_AUTH_DELIVERY_PENDING"];

/** Lists what was dispatched, in order: letter and number of its identification, and the receiver. */
const dispatched = (environment: SchedulerEnvironment): readonly string[] => [
  ...new Set(
    environment
      .named(topics.dispatch, "Dispatch")
      .map(({ decoded: { value } }) => `${value.messageIdentification.slice(32)} ${value.operation} ${value.bank}`),
  ),
];

test("a credit is sent to its bank at once, the connector gets the outcome report, and its events go to the bank [3 CREDIT_AUTH_RECEIVED] [3 CREDIT_AUTH_ACCEPTED] [3 CREDIT_AUTH_DELIVERY_PENDING] [3 CREDIT_AUTH_DELIVERED] [3 CREDIT_AUTH_RESPONSE_ACCEPTED] [6 example-trigger]", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.credit(uetr);
  await environment.until("sent", () => dispatched(environment).length === 1);
  expect(dispatched(environment)).toEqual([`C inboundCreditTransferAuthorization ${schedulerBank}`]);
  const [sent] = environment.named(topics.dispatch, "Dispatch");
  const [received] = environment.named(topics.journal, "CreditTransferReceived");
  expect(sent!.decoded.value).toMatchObject({ stopsAtMs: received!.decoded.value.deadlineMs, reconciliationDay: null, deadlineMs: null });
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "C"));
  await environment.endCredit(uetr);
  await environment.until("reported", () => dispatched(environment).length === 2);
  expect(dispatched(environment)[1]).toBe(`O1 inboundCreditTransferAuthorizationResponse ${schedulerConnector}`);
  expect(environment.events(uetr)).toEqual(numbered([...accepted, "CREDIT_AUTH_DELIVERED", "CREDIT_AUTH_RESPONSE_ACCEPTED"]));
  const events = environment.named(topics.events, "TransactionStateEvent").map(({ decoded }) => decoded.value);
  expect(new Set(events.map(({ bank: to, service }) => `${to} ${service}`))).toEqual(new Set([`${schedulerBank} EFT_CREDIT`]));
  const document = await environment.document(uetr);
  expect(environment.serde.decode(document!.acceptedMessage).name).toBe("CreditTransferReceived");
  expect(environment.serde.decode(document!.verdict!).name).toBe("AccountVerified");
  expect(environment.serde.decode(document!.finalReport!).name).toBe("StatusReportReceived");
});

test("a refused credit ends at once and the connector gets a report [3 CREDIT_AUTH_REJECTED]", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetr = environment.uetr();
  const credit = environment.creditReceived(uetr);
  await environment.append(topics.journal, uetr, credit);
  await environment.append(topics.journal, uetr, environment.verdict(credit, "REFUSED"));
  await environment.until("reported", () => dispatched(environment).length === 1);
  expect(environment.events(uetr)).toEqual(numbered(["CREDIT_AUTH_RECEIVED", "CREDIT_AUTH_REJECTED"]));
  expect(dispatched(environment)).toEqual([`O1 inboundCreditTransferAuthorizationResponse ${schedulerConnector}`]);
});

test("I5: a credit without a report ends once, at its deadline and not before; its delivery is stopped and the connector gets a report [3 CREDIT_AUTH_RECONCILIATION]", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 2 });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.credit(uetr);
  await environment.until("ended", () => environment.events(uetr).length === 4);
  expect(environment.events(uetr)[3]).toBe("4 CREDIT_AUTH_RECONCILIATION");
  const passed = environment.named(topics.journal, "DeadlinePassed");
  const [received] = environment.named(topics.journal, "CreditTransferReceived");
  const { deadlineMs } = received!.decoded.value;
  expect(passed).toHaveLength(1);
  expect(passed[0]!.appendedAtMs).toBeGreaterThanOrEqual(deadlineMs);
  expect(passed[0]!.appendedAtMs).toBeLessThan(deadlineMs + 2_000);
  expect(environment.named(topics.dispatch, "DispatchChange")).toHaveLength(1);
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "C", "STOPPED"));
  await environment.time.advance(300_000);
  const { transaction } = (await environment.document(uetr))!;
  expect(transaction.items).toMatchObject([{ day: schedulerDay, row: 7 }]);
  expect(transaction.outcomeReport).toEqual({ number: 1, acknowledgedAtMs: null });
  expect(environment.named(topics.journal, "DeadlinePassed")).toHaveLength(1);
  expect(environment.named(topics.journal, "DayClosed")).toEqual([]);
});

test("a deadline that passed while no scheduler ran is appended by the next one, once", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 2 });
  const first = await environment.scheduler();
  const uetrs = Array.from({ length: 6 }, () => environment.uetr());
  for (const uetr of uetrs) await environment.credit(uetr);
  await environment.until("sent", () => uetrs.every((uetr) => environment.events(uetr).length === 3));
  // Their positions are written: nothing of the credits is replayed.
  await environment.time.advance(1_000);
  first.kill();
  await environment.time.advance(creditDeadlineMs + 60_000);
  // The records of the journal are handled first; none of them is about a credit.
  for (const partition of [0, 1]) await environment.hold(environment.uetrInPartition(partition));
  await environment.scheduler();
  await environment.until("ended", () => uetrs.every((uetr) => environment.events(uetr).length === 4));
  await environment.time.advance(60_000);
  expect(environment.named(topics.journal, "DeadlinePassed")).toHaveLength(uetrs.length);
});

test("an outcome report that is not acknowledged by the credit's deadline is a detached item", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.credit(uetr);
  await environment.endCredit(uetr);
  await environment.until("ended", () => environment.events(uetr).length === 5);
  await environment.time.advance(creditDeadlineMs + 50_000);
  expect((await environment.document(uetr))!.transaction.items).toEqual([]);
  await environment.time.advance(300_000);
  const [item] = (await environment.document(uetr))!.transaction.items;
  expect(item).toMatchObject({ cause: "OUTCOME_UNDELIVERED", row: 5, settledAtMs: null });
  expect(environment.named(topics.journal, "DeadlinePassed")).toHaveLength(1);
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "O1"));
  await environment.time.advance(1_000);
  const { transaction } = (await environment.document(uetr))!;
  expect(transaction.state).toBe("CREDIT_AUTH_RESPONSE_ACCEPTED");
  expect(transaction.items).toMatchObject([{ cause: "OUTCOME_UNDELIVERED", settledAtMs: expect.any(Number) as number }]);
});

test("a bank that asks for both classes gets the second right after the first of the same state, in one produce [2.3 class]", async () => {
  const batches: (readonly string[])[] = [];
  const environment = new SchedulerEnvironment({
    partitionCount: 1,
    bankOptions: { eventClasses: ["TRANSACTION_STATE", "ESM_STATE"] },
    brokerHooks: {
      produce(_client, batch) {
        const events = batch.filter(({ topic }) => topic === topics.events).map(({ headers }) => headers["sluice-type"] ?? "");
        if (events.length > 0) batches.push(events);
        return { kind: "append" };
      },
    },
  });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.credit(uetr);
  await environment.until("events", () => environment.events(uetr).length === 3);
  const kinds = environment.records(topics.events).map(({ decoded }) => decoded.name);
  expect(kinds).toEqual(Array.from({ length: 3 }, () => ["TransactionStateEvent", "EsmStateEvent"]).flat());
  const keys = new Set(environment.records(topics.events).map(({ key }) => Buffer.from(key!).toString()));
  expect(keys).toEqual(new Set([uetr]));
  expect(batches.every((batch) => batch.length % 2 === 0)).toBe(true);
});

test("a posting has the shape, the payload and the time to live that its own bank is configured with [D8 eventShape] [D8 eventPayload] [D3 deadlines]", async () => {
  const hourMs = 3_600_000;
  const bankOptions = { eventShape: "sample", eventPayload: "none", eventDeadlineMs: hourMs } as const;
  const environment = new SchedulerEnvironment({ partitionCount: 1, banks: ["second"], bankOptions });
  await environment.scheduler();
  const [own, onUs, others] = [environment.uetr(), environment.uetr(), environment.uetr()];
  await environment.credit(own);
  await environment.hold(onUs);
  await environment.holdOffUs(others, "second");
  await environment.until("events", () => [own, onUs, others].every((uetr) => environment.events(uetr).length >= 3));
  const posted = environment.named(topics.events, "TransactionStateEvent").map(({ decoded }) => decoded.value);
  const shown = ({ bank: to, body, enteredAtMs, deadlineMs }: (typeof posted)[number]): string => {
    const event = JSON.parse(new TextDecoder().decode(body)) as object;
    return `${to}: ${"state" in event ? "full" : "sample"}, ${"payload" in event ? "payload" : "none"}, ${(deadlineMs - enteredAtMs) / hourMs} h`;
  };
  expect(new Set(posted.map(shown))).toEqual(new Set([`${schedulerBank}: sample, none, 1 h`, "second: full, payload, 72 h"]));
});

test("I8: an off-us debit is held like an on-us one, is released in the window, and the connector gets its outcome report", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1, banks: ["second"] });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.holdOffUs(uetr, "second");
  await environment.until("released", () => dispatched(environment).length === 1);
  expect(dispatched(environment)).toEqual(["D inboundDirectDebit second"]);
  const [debit] = environment.named(topics.dispatch, "Dispatch");
  expect(debit!.decoded.value.madeAtMs).toBeGreaterThanOrEqual(opensAtMs);
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "D"));
  await environment.append(topics.journal, uetr, environment.report(uetr, "not-made", { bank: "second" }));
  await environment.until("reported", () => dispatched(environment).length === 2);
  expect(dispatched(environment)[1]).toBe(`O1 inboundDirectDebitResponse ${schedulerConnector}`);
  expect(environment.events(uetr)).toEqual(numbered(["RECEIVED", "ACCEPTED", "HELD", "RELEASED", "DELIVERED", "UNPAID"]));
  const events = environment.named(topics.events, "TransactionStateEvent").map(({ decoded }) => decoded.value.bank);
  expect(new Set(events)).toEqual(new Set(["second"]));
});

test("I10: at the close an unacknowledged outcome report is a detached item, which the acknowledgement settles", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 2 });
  const first = await environment.scheduler();
  const uetr = environment.uetr();
  await environment.holdOffUs(uetr);
  await environment.until("released", () => dispatched(environment).length === 1);
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "D"));
  await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.until("reported", () => dispatched(environment).length === 2);
  expect(environment.time.nowMs()).toBeLessThan(closesAtMs);
  await environment.until("closed", () => environment.named(topics.journal, "DayClosed").length === 1);
  await environment.time.advance(1_000);
  const items = async () => (await environment.document(uetr))!.transaction.items;
  expect(await items()).toMatchObject([{ day: schedulerDay, row: 5, cause: "OUTCOME_UNDELIVERED", state: "COMPLETED", settledAtMs: null }]);
  // The item shows it already, so a new owner appends no DayClosed.
  first.kill();
  await environment.scheduler();
  await environment.time.advance(30_000);
  expect(environment.named(topics.journal, "DayClosed")).toHaveLength(1);
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "O1"));
  await environment.time.advance(1_000);
  expect(await items()).toMatchObject([{ cause: "OUTCOME_UNDELIVERED", settledAtMs: expect.any(Number) as number }]);
  expect((await environment.document(uetr))!.transaction.state).toBe("COMPLETED");
});

test("a scheme of credits alone is not planned, and its credits are processed all the same", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.credit(uetr, { scheme: "ZA_RTC", businessDate: "2026-11-22" });
  await environment.until(
    "sent",
    () => environment.events(uetr).length === 3 && environment.named(topics.journal, "DayPlanned").length > 0,
  );
  const planned = environment.named(topics.journal, "DayPlanned").map(({ decoded }) => decoded.value);
  expect(new Set(planned.map(({ scheme, creditsFinal }) => `${scheme} ${creditsFinal}`))).toEqual(new Set(["ZA_EFT clock"]));
  const [event] = environment.named(topics.events, "TransactionStateEvent");
  expect(event!.decoded.value.service).toBe("RTC_CREDIT");
});
