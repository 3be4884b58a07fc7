import { type AnyDecodedRecord, type Serde, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { SchedulerEnvironment } from "../scheduler.fixture.ts";

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
