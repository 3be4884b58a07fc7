import { createFixedSerde, topics } from "@sluice/contracts";
import { machineTime } from "@sluice/kernel";
import { createDataKeys, createSealingSerde, createSearchHashes } from "@sluice/secrecy";
import { createMemoryKeyService } from "@sluice/secrecy/key-service.fixture";
import { noSearchTerms } from "@sluice/store";
import { expect, test } from "vitest";
import { buildConsoleDebit, consoleUetr, openConsoleEnvironment, readJsonObject } from "../console.fixture.ts";

/** What a scheduler stores for the end of an account of a message that is sealed under the key of `scope`. */
async function hashedEnd(keyService: ReturnType<typeof createMemoryKeyService>, scope: string, end: string): Promise<string> {
  const serde = createSealingSerde({ serde: createFixedSerde(), keys: createDataKeys({ service: keyService, time: machineTime }) });
  await serde.makeKey?.(scope);
  const body = new Uint8Array([1]);
  const value = { messageIdentification: "m", uetr: consoleUetr, deliveryKey: "k", bank: "first", operation: "inboundDirectDebit", body };
  const dispatch = { ...value, reconciliationDay: null, deadlineMs: null, stopsAtMs: null, causedByOffset: 1n, madeAtMs: 1 };
  const bytes = serde.encode("Dispatch", dispatch, { topic: topics.dispatch, key: consoleUetr, under: { scope } });
  return serde.searchTerm?.(bytes, end) ?? "";
}

async function open() {
  const keyService = createMemoryKeyService();
  const debtorAccountEnd = await hashedEnd(keyService, "first/2026-11", "1230");
  await keyService.create("second/2026-11");
  const environment = await openConsoleEnvironment({}, { keyService });
  const document = {
    transaction: buildConsoleDebit(["RECEIVED"]),
    acceptedMessage: new Uint8Array(),
    finalReport: null,
    verdict: null,
    traceparent: null,
    search: { ...noSearchTerms, debtorAccountEnd },
    rules: { oldest: 1, newest: 1 },
  };
  await environment.settled(environment.store.transactions.write([{ document, expectedVersion: 0 }]));
  const find = async (account: string, more = "") => readJsonObject(await environment.control(`/transactions?account=${account}${more}`));
  return { environment, keyService, debtorAccountEnd, find };
}

test("a sealed transaction is found by the end of its account, and the answer does not show the hash", async () => {
  const { find, debtorAccountEnd } = await open();
  expect(debtorAccountEnd).toMatch(/^#/);
  expect((await find("1230"))["rows"]).toMatchObject([{ uetr: consoleUetr, debtorAccountEnd: null }]);
  expect((await find("1231"))["rows"]).toEqual([]);
});

test("after an erasure it is not found by its account any more", async () => {
  const { find, keyService } = await open();
  await keyService.destroy("first/2026-11");
  expect((await find("1230"))["rows"]).toEqual([]);
});

test("I15: of more than 5,000 months a search by account names the bank", async () => {
  const service = createMemoryKeyService();
  for (let at = 0; at <= 5_000; at += 1) await service.create(`b${at}/2026-11`);
  const hashes = createSearchHashes({ service, time: machineTime });
  expect(await hashes("1230", undefined)).toBeNull();
  expect(await hashes("1230", "b7")).toHaveLength(1);
});
