// Which parked rows show that the store was restored to an older point.

import { createMemoryStore, type ParkedMessage } from "@sluice/store";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { untried } from "../rules.ts";
import { rowVersion } from "./row-version.ts";
import { RowWitnesses } from "./row-witnesses.ts";

const ownerEpoch = 3;

function row(sequence: bigint, version: bigint): ParkedMessage {
  return {
    id: `m${sequence}`,
    partition: 0,
    receiverId: "first",
    deliveryKey: `k${sequence}`,
    uetr: `k${sequence}`,
    operation: "inboundDirectDebit",
    sequence,
    version,
    record: new Uint8Array(),
    traceparent: null,
    reconciliationDay: null,
    stopsAtMs: null,
    deadlineMs: null,
    nextAttemptAtMs: 0,
    ended: null,
    ...untried,
  };
}

function setUp() {
  const time = createVirtualTime({ startAtMs: 0 });
  const { deliveries } = createMemoryStore({ time, random: seededRandom(1) });
  const witnesses = new RowWitnesses(deliveries);
  const insert = (message: ParkedMessage) => time.finish(deliveries.insert([message]));
  const isContradicted = () => time.finish(witnesses.isContradicted({ number: 0, ownerEpoch }));
  return { witnesses, insert, isContradicted };
}

/** A row that an owner of this or of an earlier epoch has written. */
const own = row(12n, rowVersion(ownerEpoch, 1));
const inherited = row(5n, rowVersion(ownerEpoch - 1, 1));
const late = row(12n, rowVersion(ownerEpoch - 1, 1));
const removal = rowVersion(ownerEpoch, 2);

test("I1: a removed row of this owner that is there again shows a restored store", async () => {
  const { witnesses, insert, isContradicted } = setUp();
  witnesses.noteRemoved(0, { id: own.id, version: removal });
  expect(await isContradicted()).toBe(false);
  await insert(own);
  expect(await isContradicted()).toBe(true);
});

test.each([
  ["behind the take-over", late],
  ["from before the take-over", inherited],
])("I16: a removed row %s that is there again as an earlier owner wrote it shows nothing", async (_, message) => {
  const { witnesses, insert, isContradicted } = setUp();
  witnesses.noteRemoved(0, { id: message.id, version: removal });
  await insert(message);
  expect(await isContradicted()).toBe(false);
});

test("I16: a row that this owner parks again after its removal shows nothing, before and after the answer", async () => {
  const { witnesses, insert, isContradicted } = setUp();
  witnesses.noteRemoved(0, { id: own.id, version: removal });
  witnesses.forgetRemoved(0, own.id);
  await insert({ ...own, version: rowVersion(ownerEpoch, 3) });
  expect(await isContradicted()).toBe(false);
  witnesses.noteWritten(0, { id: own.id, version: rowVersion(ownerEpoch, 3) });
  expect(await isContradicted()).toBe(false);
});

test("I1: a written row that is gone, or older, shows a restored store; what another epoch wrote does not", async () => {
  const { witnesses, insert, isContradicted } = setUp();
  witnesses.noteWritten(0, { id: own.id, version: rowVersion(ownerEpoch, 2) });
  expect(await isContradicted()).toBe(true);
  await insert(own);
  expect(await isContradicted()).toBe(true);
  witnesses.noteWritten(0, { id: own.id, version: rowVersion(ownerEpoch - 1, 9) });
  expect(await isContradicted()).toBe(false);
});

test("a row whose insert was sent more than once is no witness when it is back: an earlier request may have landed", async () => {
  const { witnesses, insert, isContradicted } = setUp();
  witnesses.noteSentAgain(own.id);
  witnesses.noteRemoved(0, { id: own.id, version: removal });
  await insert(own);
  expect(await isContradicted()).toBe(false);
  // The row was parked again, by one insert, and removed.
  witnesses.noteRemoved(0, { id: own.id, version: removal });
  expect(await isContradicted()).toBe(true);
});

test("I5: a removed row whose insert was sent more than once is late where it is met; a later insert of it is not", () => {
  const { witnesses } = setUp();
  expect(witnesses.isLate(own)).toBe(false);
  witnesses.noteSentAgain(own.id);
  expect(witnesses.isLate(own)).toBe(false);
  witnesses.noteRemoved(0, { id: own.id, version: removal });
  expect(witnesses.isLate(own)).toBe(true);
  expect(witnesses.isLate({ id: own.id, version: removal + 1n })).toBe(false);
});

test("I16: a row whose removal was asked for is no witness, also where the answer to an update comes behind that", async () => {
  const { witnesses, insert, isContradicted } = setUp();
  witnesses.noteWritten(0, { id: own.id, version: own.version });
  witnesses.noteRemoving(0, own.id);
  expect(await isContradicted()).toBe(false);
  witnesses.noteWritten(0, { id: own.id, version: rowVersion(ownerEpoch, 2) });
  expect(await isContradicted()).toBe(false);
  // It is parked again.
  witnesses.forgetRemoved(0, own.id);
  witnesses.noteWritten(0, { id: own.id, version: rowVersion(ownerEpoch, 3) });
  expect(await isContradicted()).toBe(true);
  await insert({ ...own, version: rowVersion(ownerEpoch, 3) });
  expect(await isContradicted()).toBe(false);
});
