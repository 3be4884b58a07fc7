import type { AnyDecodedRecord, Serde } from "@sluice/contracts";
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
