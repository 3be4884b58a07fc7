// Events of sealed and of erased messages that the events topic no longer has.

import { type AnyDecodedRecord, createFixedSerde, type Serde, topics } from "@sluice/contracts";
import { machineTime } from "@sluice/kernel";
import { createDataKeys, createSealingSerde } from "@sluice/secrecy";
import { createMemoryKeyService } from "@sluice/secrecy/key-service.fixture";
import { noSearchTerms, type TransactionDocument } from "@sluice/store";
import { expect, test } from "vitest";
import { buildConsoleDebit, buildKeptBytes, consoleUetr } from "../console.fixture.ts";
import { renderPastEvents } from "./past-events.ts";

const scope = "first/2026-11";
const plain = createFixedSerde();

function createProcess(service: ReturnType<typeof createMemoryKeyService>): Serde {
  return createSealingSerde({ serde: plain, keys: createDataKeys({ service, time: machineTime }) });
}

/** Seals a kept message as ingress and the scheduler do. */
function seal(serde: Serde, bytes: Uint8Array): Uint8Array {
  const { name, value }: AnyDecodedRecord = plain.decode(bytes);
  return serde.encode(name, value, { topic: topics.journal, key: consoleUetr, under: { scope } });
}

async function keepSealed() {
  const keyService = createMemoryKeyService();
  const writing = createProcess(keyService);
  await writing.makeKey?.(scope);
  const { acceptedMessage, verdict, finalReport } = buildKeptBytes();
  const document: TransactionDocument = {
    transaction: buildConsoleDebit(["RECEIVED", "ACCEPTED"], { bank: "first" }),
    acceptedMessage: seal(writing, acceptedMessage),
    verdict,
    finalReport: finalReport === null ? null : seal(writing, finalReport),
    traceparent: null,
    search: noSearchTerms,
    rules: { oldest: 1, newest: 1 },
  };
  const render = (stageVersion: number, serde = createProcess(keyService)) =>
    renderPastEvents(document, stageVersion, "first", { serde, findSettings: () => undefined });
  return { document, keyService, render };
}

test("a sealed message is opened for an event of before, by a process that has to ask for its key [D8.43]", async () => {
  const { document, render } = await keepSealed();
  const [event] = await render(1);
  const debit = plain.decode(buildKeptBytes().acceptedMessage);
  const name = debit.name === "DirectDebitReceived" ? debit.value.debit.debtor.legalName : "";
  expect(name.length).toBeGreaterThan(3);
  expect(Buffer.from(document.acceptedMessage).includes(name)).toBe(false);
  expect(event?.body).toContain(name);
});

test("while the key cannot be had nothing is rendered, and it can be asked for again [D8.43]", async () => {
  const { keyService, render } = await keepSealed();
  keyService.setAvailable(false);
  await expect(render(1)).rejects.toMatchObject({ isRetryable: true });
});

test("of an erased message no event of before is rendered: an erased person stays erased [D8.43, D10.113]", async () => {
  const { keyService, render } = await keepSealed();
  await keyService.destroy(scope);
  expect([await render(1), await render(2)]).toEqual([[], []]);
});
