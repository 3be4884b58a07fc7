import { type AnyDecodedRecord, outgoingRecord, type Serde, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { reconciliationAtMs, SchedulerEnvironment } from "../scheduler.fixture.ts";

test("a transaction's message is decoded when it comes, and once more for all that is rendered from it", async () => {
  const environment = new SchedulerEnvironment();
  let decoded = 0;
  const serde: Serde = {
    ...environment.serde,
    decode(bytes): AnyDecodedRecord {
      const record = environment.serde.decode(bytes);
      if (record.name === "DirectDebitReceived") decoded += 1;
      return record;
    },
  };
  await environment.scheduler({ serde });
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("held", () => environment.events(uetr).length === 4);
  expect(decoded).toBe(2);
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
