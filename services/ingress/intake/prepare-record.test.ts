import { createFixedSerde } from "@sluice/contracts";
import { silentLogger } from "@sluice/kernel";
import {
  buildDirectDebit,
  createCountedList,
  createVirtualTime,
  encodeBody,
  sampleBank,
  sampleConfiguration,
  sampleConnector,
  seededRandom,
} from "@sluice/testkit";
import { expect, test } from "vitest";
import { prepareRecord } from "./prepare-record.ts";

test("I15: a request searches no list of banks or connectors, however many are configured", () => {
  const branch = (index: number) => String(100_000 + index);
  const others = Array.from({ length: 999 }, (_, index) => sampleBank({ id: `bank-${index}`, branch: branch(index) }));
  const banks = createCountedList([...others, sampleBank({ id: "last", branch: "250655" })]);
  const connectors = createCountedList([sampleConnector()]);
  const configuration = sampleConfiguration({ banks: banks.list, connectors: connectors.list });
  const ports = {
    time: createVirtualTime({ startAtMs: Date.UTC(2026, 10, 20, 6) }),
    random: seededRandom(1),
    logger: silentLogger,
    serde: createFixedSerde(),
    configuration,
    partitionCount: 4,
  };
  const request = { operation: "outboundDirectDebit", caller: "last", body: encodeBody(buildDirectDebit()) } as const;
  const prepare = () => prepareRecord(ports, request);
  expect(prepare().ok).toBe(true);
  const [readBanks, readConnectors] = [banks.reads(), connectors.reads()];
  for (let count = 0; count < 10; count += 1) prepare();
  expect([banks.reads() - readBanks, connectors.reads() - readConnectors]).toEqual([0, 0]);
});
