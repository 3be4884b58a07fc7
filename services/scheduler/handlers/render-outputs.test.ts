import { type AnyDecodedRecord, outgoingRecord, type Serde, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { reconciliationAtMs, SchedulerEnvironment } from "../scheduler.fixture.ts";

test("a transaction's messages are decoded once, when they come, also for all that is rendered from them", async () => {
  const environment = new SchedulerEnvironment();
  const decoded = new Map<string, number>();
  const serde: Serde = {
    ...environment.serde,
    decode(bytes): AnyDecodedRecord {
      const record = environment.serde.decode(bytes);
      decoded.set(record.name, (decoded.get(record.name) ?? 0) + 1);
      return record;
    },
  };
  await environment.scheduler({ serde });
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("released", () => environment.events(uetr).length === 5);
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "D"));
  await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.until("completed", () => environment.events(uetr).length === 7);
  const counts = ["DirectDebitReceived", "AccountVerified", "StatusReportReceived"].map((name) => decoded.get(name));
  expect(counts).toEqual([1, 1, 1]);
});

test("an operator's stop of a delivery names who asked for it and who confirmed it [D3 operator-stop]", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  const debit = environment.debit(uetr);
  await environment.append(topics.journal, uetr, debit);
  await environment.append(topics.journal, uetr, environment.verdict(debit));
  await environment.until("accepted", () => environment.events(uetr).length === 2);
  const messageIdentification = `${uetr.replaceAll("-", "")}A`;
  const action = { id: "s-1", operator: "thandi", person: null, reason: "it fails", requestedAtMs: 0, confirmedBy: "sipho" };
  await environment.append(topics.journal, uetr, {
    name: "DeliveryStopRequested",
    value: { action, target: "DELIVERY", messageIdentification },
  });
  const changes = (): readonly object[] =>
    environment.records(topics.dispatch).flatMap(({ decoded }) => (decoded.name === "DispatchChange" ? [decoded.value] : []));
  await environment.until("stopped", () => changes().length === 1);
  expect(changes()).toMatchObject([{ change: "GIVE_UP", messageIdentification, stoppedBy: "thandi", confirmedBy: "sipho" }]);
});

test("the trace of a debit's message, with its tracestate, is on everything that follows, also from a close [D8 trace]", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  const carried = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", tracestate: "congo=t61rcWkgMzE" };
  const { serde, partitionCount, broker, time } = environment;
  const producer = await environment.settle(broker.producer("traced"));
  const options = { partitionCount, headers: carried };
  await environment.settle(producer.send([outgoingRecord(serde, topics.journal, uetr, environment.debit(uetr), options)]));
  await environment.until("received", () => environment.events(uetr).length === 1);
  // Nobody gives a verdict: the close, a marker without a trace, makes it an item.
  await time.advance(reconciliationAtMs + 2_000 - time.nowMs());
  await environment.until("closed", () => environment.events(uetr).length === 2);
  for (const { headers } of environment.named(topics.events, "TransactionStateEvent")) expect(headers).toMatchObject(carried);
});
