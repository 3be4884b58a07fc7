import { createHmac, createSecretKey, hkdfSync } from "node:crypto";
import {
  createFixedSerde,
  readDirectDebit,
  readStatusReport,
  type AnyDecodedRecord,
  type Records,
  type Serde,
  topics,
} from "@sluice/contracts";
import { anyDirectDebit, anyFullDirectDebit, anyFullStatusReport, encodeJson } from "@sluice/contracts/messages.fixture";
import { machineTime } from "@sluice/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { deriveSealKeys, openBytes, sealBytes } from "./cipher.ts";
import { createDataKeys } from "./data-keys.ts";
import { createMemoryKeyService } from "./key-service.fixture.ts";
import { createSealingSerde } from "./sealing-serde.ts";
import { spliceLastBytes, withholdPersonal } from "./withhold.ts";

const plain = createFixedSerde();
const scope = "alpha/2026-11";

async function openSerde(service = createMemoryKeyService()) {
  const serde = createSealingSerde({ serde: plain, keys: createDataKeys({ service, time: machineTime }) });
  await serde.makeKey?.(scope);
  return { serde, service };
}

/** Another process: it has no key at hand. */
function openReader(service: ReturnType<typeof createMemoryKeyService>): Serde {
  return createSealingSerde({ serde: plain, keys: createDataKeys({ service, time: machineTime }) });
}

function debitOf(json: Parameters<typeof encodeJson>[0]): AnyDecodedRecord {
  const reading = readDirectDebit(encodeJson(json));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, ...hashes } = reading.read;
  const envelope = {
    sender: "alpha",
    receivedAtMs: 1_795_000_000_000,
    reconciliationDay: "ZA_EFT:2026-11-20",
    closesAtMs: 1_795_000_100_000,
  };
  return { name: "DirectDebitReceived", value: { ...envelope, ...hashes, debit, flow: "ON_US", bank: null } };
}

function reportOf(json: Parameters<typeof encodeJson>[0]): AnyDecodedRecord {
  const reading = readStatusReport(encodeJson(json));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: report, ...hashes } = reading.read;
  const envelope = { sender: "alpha", receivedAtMs: 1_795_000_000_000, operation: "inboundDirectDebitResponse" };
  return { name: "StatusReportReceived", value: { ...envelope, ...hashes, report } };
}

const full = debitOf(fc.sample(anyFullDirectDebit, { numRuns: 1, seed: 1 })[0]!);

function seal(serde: Serde, { name, value }: AnyDecodedRecord, key = "uetr-1", topic: string = topics.journal): Uint8Array {
  return serde.encode(name, value, { topic, key, under: { scope } });
}

test("I3: any debit and any report is read as it was sealed, and is sealed to the same bytes again [D10.111]", async () => {
  const { serde, service } = await openSerde();
  const reader = openReader(service);
  const any = fc.oneof(anyDirectDebit.map(debitOf), anyFullDirectDebit.map(debitOf), anyFullStatusReport.map(reportOf));
  await fc.assert(
    fc.asyncProperty(any, async (record) => {
      const bytes = seal(serde, record);
      expect(Buffer.from(seal(serde, record)).equals(bytes)).toBe(true);
      if (reader.knows?.(bytes) !== true) await reader.learn(bytes);
      expect(reader.decode(bytes)).toEqual(plain.decode(plain.encode(record.name, record.value)));
    }),
    { numRuns: 100 },
  );
});

test("no text of a personal member is in the bytes, and the amount, the identifications and the hashes are", async () => {
  const { serde } = await openSerde();
  const bytes = Buffer.from(seal(serde, full));
  if (full.name !== "DirectDebitReceived") throw new Error("a debit");
  const { debit, contentHash } = full.value;
  const hidden = [
    debit.debtor.legalName,
    debit.creditor.legalName,
    debit.debtorAccount.identification?.value,
    debit.creditorAccount?.identification?.value,
    debit.debtor.contactDetails?.emailAddress,
    debit.remittanceInformation?.unstructured?.[0],
    debit.mandateInformation?.mandateIdentification,
  ];
  expect(hidden.filter((text) => text !== null && text !== undefined && text.length > 3 && bytes.includes(text))).toEqual([]);
  expect([contentHash, debit.transactionIdentifiers.uetr].map((text) => bytes.includes(text))).toEqual([true, true]);
});

test("a record bound to another topic, key, name or scope, or with anything changed in clear, is refused", async () => {
  const { serde } = await openSerde();
  await serde.makeKey?.("beta/2026-11");
  const outer = plain.decode(seal(serde, full));
  if (outer.name !== "SealedRecord") throw new Error("sealed");
  const clear = Buffer.from(outer.value.clear);
  clear[clear.length - 1] = (clear.at(-1) ?? 0) ^ 1;
  const sealed = Buffer.from(outer.value.sealed);
  sealed[0] = (sealed[0] ?? 0) ^ 1;
  for (const changed of [{ topic: topics.dispatch }, { key: "uetr-2" }, { record: "CreditTransferReceived" }, { clear }, { sealed }]) {
    const bytes = plain.encode("SealedRecord", { ...outer.value, ...changed });
    expect(() => serde.decode(bytes)).toThrow(expect.objectContaining({ code: "contracts.unreadable", isRetryable: false }));
  }
  expect(() => serde.decode(plain.encode("SealedRecord", { ...outer.value, suite: 2 }))).toThrow(
    expect.objectContaining({ isRetryable: true }),
  );
});

test("what follows from a record is sealed under its key, and stays clear where it is clear [D10.111]", async () => {
  const { serde, service } = await openSerde();
  const accepted = seal(serde, full);
  const dispatch = {
    messageIdentification: "m",
    uetr: "uetr-1",
    deliveryKey: "uetr-1",
    bank: "alpha",
    operation: "inboundDirectDebit",
    body: Buffer.from('{"legalName":"Canary"}'),
    reconciliationDay: null,
    deadlineMs: null,
    stopsAtMs: null,
    causedByOffset: 1n,
    madeAtMs: 1,
  };
  const follows = (as: Uint8Array, from: Serde): Uint8Array =>
    from.encode("Dispatch", dispatch, { topic: topics.dispatch, key: "uetr-1", under: { as } });
  // Another process, which made a key of its own, replays it.
  const other = openReader(service);
  await other.makeKey?.(scope);
  await other.learn(accepted);
  expect(Buffer.from(follows(accepted, other)).equals(follows(accepted, serde))).toBe(true);
  expect(Buffer.from(follows(accepted, serde)).includes("Canary")).toBe(false);
  const clear = plain.encode(full.name, full.value);
  expect(Buffer.from(follows(clear, serde)).equals(plain.encode("Dispatch", dispatch))).toBe(true);
});

test("two places of the same content differ in every byte of what is sealed", async () => {
  const { serde } = await openSerde();
  const [one, other] = [seal(serde, full), seal(serde, full, "uetr-2")].map((bytes) => plain.decode(bytes));
  if (one?.name !== "SealedRecord" || other?.name !== "SealedRecord") throw new Error("sealed");
  expect(Buffer.from(one.value.nonce).equals(other.value.nonce)).toBe(false);
  expect(Buffer.from(one.value.sealed).equals(other.value.sealed)).toBe(false);
});

test("two contents that show the same in clear have two nonces", async () => {
  const { serde } = await openSerde();
  if (full.name !== "DirectDebitReceived") throw new Error("a debit");
  const { debit } = full.value;
  const other = { ...full, value: { ...full.value, debit: { ...debit, debtor: { ...debit.debtor, legalName: "Somebody else" } } } };
  const [one, two] = [full, other].map((record) => plain.decode(seal(serde, record)));
  if (one?.name !== "SealedRecord" || two?.name !== "SealedRecord") throw new Error("sealed");
  expect(Buffer.from(one.value.clear).equals(two.value.clear)).toBe(true);
  expect(Buffer.from(one.value.nonce).equals(two.value.nonce)).toBe(false);
});

test("a record without personal members, and one that is not to be sealed, is today's bytes", async () => {
  const { serde } = await openSerde();
  const release = { scheme: "ZA_EFT", businessDate: "2026-11-20", windowNumber: 1, bank: "alpha" };
  const place = { topic: topics.journal, key: "uetr-1", under: { scope } };
  expect(serde.encode("Release", release, place)).toEqual(plain.encode("Release", release));
  expect(serde.encode(full.name, full.value)).toEqual(plain.encode(full.name, full.value));
});

test("once its key is destroyed a record is read without its personal members, and nothing follows from it [D10.113]", async () => {
  const { serde, service } = await openSerde();
  const bytes = seal(serde, full);
  expect(serde.searchTerm?.(bytes, "4321")).toMatch(/^#[\w-]{22}$/);
  await service.destroy(scope);
  const reader = openReader(service);
  await reader.learn(bytes);
  const erased = reader.decode(bytes);
  if (erased.name !== "DirectDebitReceived" || full.name !== "DirectDebitReceived") throw new Error("a debit");
  const { debit } = erased.value;
  expect([erased.isErased, reader.isErased?.(bytes), reader.searchTerm?.(bytes, "4321")]).toEqual([true, true, null]);
  expect([debit.debtor.legalName, debit.debtorAccount.identification, debit.remittanceInformation]).toEqual(["", null, null]);
  expect(debit.amounts).toEqual(full.value.debit.amounts);
  expect(erased.value.contentHash).toBe(full.value.contentHash);
  expect(() => reader.encode("Dispatch", {} as never, { topic: topics.dispatch, key: "k", under: { as: bytes } })).toThrow(
    expect.objectContaining({ code: "contracts.erased" }),
  );
});

test("a reader whose key service is away, or that has none, waits: nothing is unreadable for good", async () => {
  const { serde, service } = await openSerde();
  const bytes = seal(serde, full);
  const reader = openReader(service);
  service.setAvailable(false);
  expect(() => reader.decode(bytes)).toThrow(expect.objectContaining({ code: "contracts.no-key", isRetryable: true }));
  await expect(reader.learn(bytes)).rejects.toMatchObject({ isRetryable: true });
  service.setAvailable(true);
  await reader.learn(bytes);
  expect(reader.decode(bytes)).toEqual(plain.decode(plain.encode(full.name, full.value)));
  await expect(createSealingSerde({ serde: plain, keys: null }).learn(bytes)).rejects.toMatchObject({ isRetryable: true });
});

test("the nonce is the HMAC-SHA-256 that it was before, so that what is sealed again gives the bytes that were sealed [D10.111]", () => {
  const secret = Buffer.alloc(32, 7);
  const own = createSecretKey(new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), "sluice nonce 1", 32)));
  const keys = deriveSealKeys(secret);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 5_000 }), (associated, content) => {
      const length = Buffer.alloc(8);
      length.writeBigUInt64BE(BigInt(associated.length));
      const whole = createHmac("sha256", own).update(length).update(associated).update(content).digest();
      expect(sealBytes(keys, associated, content).nonce.equals(whole.subarray(0, 12))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("whether a record can be read is known of a second one without decoding what it shows in clear", async () => {
  let decodings = 0;
  const counting: Serde = {
    ...plain,
    decode(bytes) {
      decodings += 1;
      return plain.decode(bytes);
    },
  };
  const serde = createSealingSerde({ serde: counting, keys: createDataKeys({ service: createMemoryKeyService(), time: machineTime }) });
  await serde.makeKey?.(scope);
  const [first, second] = [seal(serde, full), seal(serde, full, "uetr-2")];
  expect([serde.knows?.(first), decodings]).toEqual([true, 2]);
  expect([serde.knows?.(second), decodings]).toEqual([true, 3]);
  expect([serde.knows?.(second), decodings]).toEqual([true, 3]);
});

test("what an earlier release sealed is opened, and is sealed to the same bytes again [D10.111]", () => {
  const keys = deriveSealKeys(Buffer.alloc(32, 7));
  const [associated, content] = [Buffer.from("associated"), Buffer.from("what a record says of a person")];
  const earlier = {
    nonce: "848a870818a769f7368abc24",
    sealed: "81ad69e0c794c14ef3399830306e56ade4f4ea68d7807802842961f5c2d08cfb0ad44ac7995781d3f51adc075a05",
  };
  const { nonce, sealed } = sealBytes(keys, associated, content);
  expect({ nonce: nonce.toString("hex"), sealed: sealed.toString("hex") }).toEqual(earlier);
  const opened = openBytes(keys, associated, Buffer.from(earlier.nonce, "hex"), Buffer.from(earlier.sealed, "hex"));
  expect(Buffer.from(opened ?? []).toString()).toBe("what a record says of a person");
});

/** An event with a body of so many bytes. */
function eventOf(bodyBytes: number): Records["TransactionStateEvent"] {
  return {
    id: "uetr-1S2",
    uetr: "uetr-1",
    stageVersion: 2,
    state: "HELD",
    type: "transaction.held",
    bank: "alpha",
    scheme: "ZA_EFT",
    service: "debit",
    direction: "outbound",
    businessDate: "2026-11-20",
    amount: { value: 12_550n, digits: 2, currency: "ZAR" },
    enteredAtMs: 1_795_000_000_000,
    causedByOffset: 7n,
    deadlineMs: 1_795_000_100_000,
    body: Buffer.alloc(bodyBytes, 0x61),
  };
}

test.each([0, 1, 63, 64, 8_191, 8_192, 1_048_575, 1_048_576])(
  "an event with a body of %d bytes, made of its clear bytes, is what encoding gives",
  (bytes) => {
    const event = eventOf(bytes);
    const clear = plain.encode("TransactionStateEvent", withholdPersonal("TransactionStateEvent", event));
    const whole = spliceLastBytes("TransactionStateEvent", event, clear);
    expect(Buffer.from(whole ?? []).equals(plain.encode("TransactionStateEvent", event))).toBe(true);
  },
);

test("a sealed event is encoded once: its body is put to what stands in clear", async () => {
  const encoded: string[] = [];
  const counting: Serde = {
    ...plain,
    encode(name, value) {
      encoded.push(name);
      return plain.encode(name, value);
    },
  };
  const serde = createSealingSerde({ serde: counting, keys: createDataKeys({ service: createMemoryKeyService(), time: machineTime }) });
  await serde.makeKey?.(scope);
  const bytes = serde.encode("TransactionStateEvent", eventOf(1_200), { topic: topics.events, key: "uetr-1", under: { scope } });
  expect(encoded).toEqual(["TransactionStateEvent", "SealedRecord"]);
  expect(serde.decode(bytes).value).toEqual(plain.decode(plain.encode("TransactionStateEvent", eventOf(1_200))).value);
});
