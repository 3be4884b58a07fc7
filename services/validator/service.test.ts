import { shippedRules } from "@sluice/account-validation";
import { createFixedSerde, type DecodedRecord, outgoingRecord, type Serde, topics } from "@sluice/contracts";
import { buildDeadLetter, buildSkippedRecords, createMemoryBroker, type OutgoingRecord, type ProduceFate } from "@sluice/messaging";
import { Fault, type Logger, type LogFields, silentLogger } from "@sluice/kernel";
import { createMetrics } from "@sluice/service";
import { invalidAccount, createVirtualTime, sampleBank, sampleConfiguration, sampleUetr, seededRandom, drawUetr } from "@sluice/testkit";
import { expect, test } from "vitest";
import { receivedCredit, receivedOffUsDebit, receivedOnUsDebit } from "./payments.fixture.ts";
import { startValidator } from "./service.ts";

const startAtMs = Date.UTC(2026, 10, 20, 10);
const partitionCount = 3;

interface Line {
  readonly event: string;
  readonly fields: LogFields;
}

function createEnvironment(over: { readonly serde?: Serde } = {}) {
  const time = createVirtualTime({ startAtMs, seed: "validator" });
  const state: { fate: ProduceFate; failures: unknown[]; lines: Line[]; warnings: Line[] } = {
    fate: { kind: "append" },
    failures: [],
    lines: [],
    warnings: [],
  };
  const messaging = createMemoryBroker({
    time,
    random: seededRandom("log"),
    topics: { [topics.journal]: partitionCount, [topics.deadLetters]: partitionCount },
    hooks: { produce: (client) => (client === "validator" ? state.fate : { kind: "append" }) },
  });
  const serde = createFixedSerde();
  const metrics = createMetrics({ withProcess: false });
  const note = (event: string, fields: LogFields = {}): void => void state.lines.push({ event, fields });
  const logger: Logger = {
    ...silentLogger,
    info: note,
    warn: (event, fields = {}) => void state.warnings.push({ event, fields }),
    error: note,
  };

  const start = (name: string) =>
    startValidator({
      time,
      random: seededRandom(name),
      logger,
      metrics,
      messaging: messaging.client(name),
      serde: over.serde ?? serde,
      configuration: sampleConfiguration(),
      rules: shippedRules,
      partitionCount,
      fail: (reason) => state.failures.push(reason),
    });

  async function append(records: readonly OutgoingRecord[]): Promise<void> {
    const producer = await settled(messaging.client("test").producer("test"));
    await settled(producer.send(records));
  }

  const settled = time.finish;

  function records(topic: string) {
    return Array.from({ length: partitionCount }, (_, partition) => messaging.records({ topic, partition })).flat();
  }

  function verdicts() {
    return records(topics.journal)
      .filter((record) => record.headers["sluice-type"] === "AccountVerified")
      .map((record) => ({ record, key: Buffer.from(record.key ?? []).toString(), decoded: serde.decode(record.value!) }));
  }

  async function until(holds: () => boolean): Promise<void> {
    expect((await time.run({ until: holds, untilMs: time.nowMs() + 120_000, stepsMax: 500_000 })).because).toBe("until");
  }

  return { time, state, messaging, serde, metrics, start, append, settled, records, verdicts, until };
}

function debit(uetr = sampleUetr, debtorAccount?: string): DecodedRecord<"DirectDebitReceived"> {
  const account = debtorAccount === undefined ? {} : { debtorAccount };
  return receivedOnUsDebit({ options: { uetr: uetr.toUpperCase(), ...account }, receivedAtMs: startAtMs });
}

function debitRecord(serde: Serde, uetr = sampleUetr, debtorAccount?: string): OutgoingRecord {
  const decoded = debit(uetr, debtorAccount);
  return outgoingRecord(serde, topics.journal, uetr, decoded, {
    partitionCount,
    headers: { traceparent: "00-1-2-01", tracestate: "congo=1" },
  });
}

test("each debit gets one verdict under its UETR, in its partition, with its trace", async () => {
  const { start, append, settled, serde, verdicts, until, records, metrics } = createEnvironment();
  const random = seededRandom("uetrs");
  const uetrs = Array.from({ length: 40 }, () => drawUetr(random));
  await append(uetrs.slice(0, 20).map((uetr) => debitRecord(serde, uetr)));
  const validator = await settled(start("validator"));
  await append(uetrs.slice(20).map((uetr, n) => debitRecord(serde, uetr, invalidAccount(n))));
  await until(() => verdicts().length >= uetrs.length);
  await settled(validator.stop());
  expect(
    verdicts()
      .map(({ key }) => key)
      .sort(),
  ).toEqual(uetrs.toSorted());
  const partitionOfDebit = new Map(records(topics.journal).map((record) => [Buffer.from(record.key ?? []).toString(), record.partition]));
  for (const { record, key, decoded } of verdicts()) {
    expect(record.partition).toBe(partitionOfDebit.get(key));
    expect(record.headers).toEqual({ "sluice-type": "AccountVerified", traceparent: "00-1-2-01", tracestate: "congo=1" });
    expect(decoded.value).toMatchObject({ verdict: uetrs.indexOf(key) < 20 ? "ACCEPTED" : "REFUSED" });
  }
  expect(await metrics.text()).toMatch(/sluice_validator_reasons_total\{code="AC02"\} 20/);
});

test("I14, I1: a partition of the journal that loses its leader holds up its own verdicts alone, and each comes once [D10.58]", async () => {
  const { start, append, settled, serde, verdicts, until, messaging, records, state, time } = createEnvironment();
  const random = seededRandom("leaderless");
  const uetrs = Array.from({ length: 300 }, () => drawUetr(random));
  const troubled = { topic: topics.journal, partition: 1 };
  await append(uetrs.map((uetr) => debitRecord(serde, uetr)));
  const othersCount = records(topics.journal).filter(({ partition }) => partition !== troubled.partition).length;
  const verdictsIn = (isTroubled: boolean) =>
    verdicts().filter(({ record }) => (record.partition === troubled.partition) === isTroubled).length;
  const validator = await settled(start("validator"));
  await until(() => verdicts().length > 0);
  messaging.setLeader(troubled, false);
  const before = verdictsIn(true);
  await until(() => verdictsIn(false) === othersCount);
  await time.advance(30_000);
  expect([verdictsIn(true), validator.readiness().isReady]).toEqual([before, true]);
  messaging.setLeader(troubled, true);
  await until(() => verdicts().length === uetrs.length);
  await time.advance(30_000);
  expect(new Set(verdicts().map(({ key }) => key))).toEqual(new Set(uetrs));
  expect([verdicts().length, state.failures]).toEqual([uetrs.length, []]);
  expect(validator.readiness()).toMatchObject({ isReady: true, reasons: [] });
  await settled(validator.stop());
});

test("the log line of a verdict shows the decision and no account number", async () => {
  const { start, append, settled, serde, state, until } = createEnvironment();
  const validator = await settled(start("validator"));
  const account = invalidAccount(3);
  await append([debitRecord(serde, sampleUetr, account)]);
  await until(() => state.lines.some(({ event }) => event === "account.verified"));
  await settled(validator.stop());
  expect(state.lines[0]).toMatchObject({
    event: "account.verified",
    fields: { uetr: sampleUetr, verdict: "REFUSED", reasons: ["AC02 za-cdv/1 check-digit"] },
  });
  expect(JSON.stringify(state.lines, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value))).not.toMatch(
    new RegExp(`${account}|Mokoena|Karoo`),
  );
});

test("I1: a send of unknown outcome is repeated until acknowledged, and a restart goes on at the group's committed offset", async () => {
  const { start, append, settled, serde, verdicts, until, state, time } = createEnvironment();
  state.fate = { kind: "unknown" };
  const first = await settled(start("validator"));
  await append([debitRecord(serde)]);
  await time.advance(3_000);
  expect(first.readiness()).toMatchObject({ isReady: true, reasons: [expect.stringContaining("messaging.unknown-outcome")] });
  state.fate = { kind: "append" };
  await until(() => first.readiness().reasons.length === 0 && verdicts().length > 0);
  await settled(first.stop());
  const before = verdicts().length;
  const second = await settled(start("validator"));
  await append([debitRecord(serde, "00000000-0000-4000-8000-000000000001")]);
  await until(() => verdicts().length > before);
  await time.advance(1_000);
  await settled(second.stop());
  expect(verdicts().filter(({ key }) => key !== sampleUetr)).toHaveLength(1);
  expect(verdicts()).toHaveLength(before + 1);
});

test("a partition with records and without a committed offset is validated from its start, and a line says so", async () => {
  const { start, append, settled, serde, verdicts, until, state } = createEnvironment();
  await append([debitRecord(serde)]);
  const validator = await settled(start("validator"));
  await until(() => verdicts().length === 1);
  await settled(validator.stop());
  const missing = state.warnings.filter(({ event }) => event === "validator.offset-missing");
  expect(missing.map(({ fields }) => [fields["from"], fields["to"]])).toEqual([[0n, 1n]]);
});

test("other records are skipped undecoded, an unreadable one is dead-lettered with its bytes, and the partition goes on", async () => {
  const { start, append, settled, serde, metrics, verdicts, records, until, state } = createEnvironment();
  const validator = await settled(start("validator"));
  const good = debitRecord(serde);
  const other = { ...good, value: Uint8Array.of(9), headers: { "sluice-type": "Release" } };
  const bad = { ...good, value: Uint8Array.of(0, 0, 0) };
  const wrongKey = { ...good, key: Buffer.from("00000000-0000-4000-8000-000000000009") };
  const wrongName = { ...good, value: serde.encode("DayClosed", { day: "ZA_EFT:2026-11-20" }) };
  await append([other, bad, wrongKey, { ...good, value: null }, wrongName, good]);
  await until(() => verdicts().length > 0 && records(topics.deadLetters).length === 4);
  await settled(validator.stop());
  expect(verdicts()).toHaveLength(1);
  // An alarm counts them.
  expect(await metrics.text()).toContain("sluice_validator_dead_letters_total 4");
  const letters = records(topics.deadLetters).flatMap(({ value }) => {
    const decoded = serde.decode(value!);
    return decoded.name === "DeadLetter" ? [decoded.value] : [];
  });
  const reasons = letters.map((letter) => [letter.service, letter.reason]);
  expect(reasons.map(([service]) => service)).toEqual(Array.from({ length: 4 }, () => "validator"));
  expect(reasons.map(([, reason]) => reason)).toEqual(
    expect.arrayContaining(["its key is not its UETR", "no value", "its header says DirectDebitReceived, its bytes DayClosed"]),
  );
  expect(letters.map(({ topic, value }) => `${topic} ${Buffer.from(value ?? []).toString("hex")}`)).toContain(`${topics.journal} 000000`);
  expect(state.failures).toEqual([]);
});

test("a debit that cannot be validated is dead-lettered, and the process goes on", async () => {
  const { start, append, settled, serde, records, until, state } = createEnvironment();
  const validator = await settled(start("validator"));
  const { debit: message, ...rest } = debit().value;
  const unknownScheme = { ...rest, debit: { ...message, paymentScheme: { ...message.paymentScheme, schema: "ZA_RTC" } } };
  await append([
    outgoingRecord(serde, topics.journal, sampleUetr, { name: "DirectDebitReceived", value: unknownScheme }, { partitionCount }),
  ]);
  await until(() => records(topics.deadLetters).length === 1);
  await settled(validator.stop());
  expect(state.lines.map(({ event }) => event)).toEqual(["payment.not-validated", "record.dead-lettered"]);
  expect(state.failures).toEqual([]);
});

test("debits of both flows, and credits, each get a verdict", async () => {
  const { start, append, settled, serde, verdicts, until, metrics } = createEnvironment();
  const validator = await settled(start("validator"));
  const uetrs = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
  const given = uetrs.map((uetr, index) =>
    [receivedOnUsDebit, receivedOffUsDebit, receivedCredit][index]!({ options: { uetr }, receivedAtMs: startAtMs }),
  );
  await append(given.map((decoded, index) => outgoingRecord(serde, topics.journal, uetrs[index]!, decoded, { partitionCount })));
  await until(() => verdicts().length === 3);
  await settled(validator.stop());
  const byKey = new Map(verdicts().map(({ key, decoded }) => [key, decoded.value]));
  expect(uetrs.map((uetr) => byKey.get(uetr))).toMatchObject([
    { sender: "first", reconciliationDay: "ZA_EFT:2026-11-20", deadlineMs: null },
    { sender: "clearing", reconciliationDay: "ZA_EFT:2026-11-20", deadlineMs: null },
    { sender: "clearing", reconciliationDay: null, deadlineMs: startAtMs + 7_200_000 },
  ]);
  expect(await metrics.text()).toContain('sluice_validator_verdicts_total{record="CreditTransferReceived",verdict="ACCEPTED"} 1');
});

test("an unknown schema makes its partition wait until the schema is learnt, and nothing is dead-lettered", async () => {
  const known = createFixedSerde();
  let isKnown = false;
  let isRegistryUp = false;
  const serde: Serde = {
    encode: (name, value) => known.encode(name, value),
    decode(bytes) {
      if (!isKnown) throw new Fault("contracts.unknown-schema", "schema 7 is not known here", { isRetryable: true });
      return known.decode(bytes);
    },
    learn: () => {
      if (!isRegistryUp) return Promise.reject(new Fault("contracts.registry-unavailable", "no answer", { isRetryable: true }));
      isKnown = true;
      return Promise.resolve();
    },
  };
  const { start, append, settled, verdicts, records, until, time } = createEnvironment({ serde });
  const validator = await settled(start("validator"));
  await append([debitRecord(known)]);
  await time.advance(5_000);
  expect(validator.readiness()).toMatchObject({ isReady: true, reasons: [expect.stringContaining("registry-unavailable")] });
  expect(verdicts()).toEqual([]);
  isRegistryUp = true;
  await until(() => verdicts().length === 1);
  await settled(validator.stop());
  expect(records(topics.deadLetters)).toEqual([]);
});

test("a record whose schema cannot be found is passed when an operator skips it", async () => {
  const known = createFixedSerde();
  const strange = 0x7f;
  const serde: Serde = {
    ...known,
    decode(bytes) {
      if (bytes[4] === strange) throw new Fault("contracts.unknown-schema", "schema 127 is not known here", { isRetryable: true });
      return known.decode(bytes);
    },
    learn: (bytes) =>
      bytes[4] === strange ? Promise.reject(new Fault("contracts.unknown-schema", "no", { isRetryable: true })) : Promise.resolve(),
  };
  const { start, append, settled, verdicts, records, until, time } = createEnvironment({ serde });
  const validator = await settled(start("validator"));
  const sent = debitRecord(known);
  await append([{ ...sent, value: Uint8Array.of(0, 0, 0, 0, strange, 1) }, sent]);
  await time.advance(5_000);
  expect(verdicts()).toEqual([]);
  const [record] = records(topics.journal);
  const by = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "put-1", stage: "requested" } as const;
  if (record !== undefined) await append([buildDeadLetter({ record, reason: "ticket 4711", service: "validator", skip: by }, known)]);
  await until(() => verdicts().length === 1);
  await settled(validator.stop());
  expect(records(topics.deadLetters).map(({ headers }) => headers["sluice-skip"])).toEqual(["requested", "done"]);
});

test("a batch that cannot be read stops its partition until an operator skips it; what could be made out is dead-lettered", async () => {
  const { messaging: broker, start, append, settled, verdicts, records, until, time } = createEnvironment({});
  const known = createFixedSerde();
  const validator = await settled(start("validator"));
  const sent = debitRecord(known);
  const place = { topic: topics.journal, partition: sent.partition };
  broker.breakBatch(place, { firstOffset: 0n, lastOffset: 1n, reason: "records", areKeysKnown: true });
  await append([sent, sent, sent]);
  await time.advance(5_000);
  expect(verdicts()).toEqual([]);
  expect(validator.readiness().reasons.join()).toContain("batch 0-1 cannot be read");
  const by = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "put-1", reason: "ticket 4711" };
  const batch = { ...place, firstOffset: 0n, lastOffset: 1n, reason: "records", detail: "", appendedAtMs: 0 } as const;
  const asked = buildSkippedRecords({ ...batch, bytes: null, byteLength: 0, sha256: "", keys: [] }, by, 0);
  await append(
    asked.map((record) => buildDeadLetter({ record, reason: by.reason, service: "validator", skip: { ...by, stage: "requested" } }, known)),
  );
  await until(() => verdicts().length === 1);
  await settled(validator.stop());
  expect(records(topics.deadLetters).map(({ key, headers }) => [key === null, headers["sluice-skip"]])).toEqual([
    [true, "requested"],
    [false, "done"],
    [true, "done"],
  ]);
});

test("I16: a bank that is added, or blocked, while the validator runs counts from its next debit on, without a restart", async () => {
  const { start, append, settled, serde, verdicts, until } = createEnvironment();
  const random = seededRandom("uetrs");
  const send = async (bank: string) => {
    const uetr = drawUetr(random);
    const decoded = receivedOffUsDebit({ options: { uetr }, receivedAtMs: startAtMs, bank });
    await append([outgoingRecord(serde, topics.journal, uetr, decoded, { partitionCount })]);
    await until(() => verdicts().some(({ key }) => key === uetr));
    const found = verdicts().find(({ key }) => key === uetr);
    return found?.decoded.name === "AccountVerified" ? found.decoded.value.reasons.map(({ text }) => text) : null;
  };
  const validator = await settled(start("validator"));
  const configuration = sampleConfiguration();
  const added = sampleBank({ id: "added", branch: "632005" });
  expect([await send("added"), await send("first")]).toEqual([["configuration/sample unknown-bank"], []]);
  validator.replaceConfiguration({ ...configuration, version: "next", banks: [...configuration.banks, added] });
  expect([await send("added"), await send("first")]).toEqual([[], []]);
  validator.replaceConfiguration({ ...configuration, version: "last", banks: [...configuration.banks, { ...added, isBlocked: true }] });
  expect([await send("added"), await send("first")]).toEqual([["configuration/last bank-blocked"], []]);
  await settled(validator.stop());
});
