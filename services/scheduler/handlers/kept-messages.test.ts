// The document keeps the messages that decide how money moves: nothing that comes later under the same UETR replaces
// them.

import {
  type AnyDecodedRecord,
  createFixedSerde,
  type DecodedRecord,
  outgoingRecord,
  readDirectDebit,
  readStatusReport,
  topics,
} from "@sluice/contracts";
import { createPartitionView, type Marker } from "@sluice/domain";
import { buildDirectDebit, buildStatusReport, type DirectDebitOptions, encodeBody, sampleConfiguration, sampleUetr } from "@sluice/testkit";
import { expect, test } from "vitest";
import {
  schedulerBank,
  schedulerBusinessDate,
  creditRecord,
  schedulerDay,
  endedRecord,
  onUsDebitRecord,
  statusReportRecord,
  verdictRecord,
} from "../journal-records.fixture.ts";
import type { HandledRecord, UnitOfWork } from "./handler.ts";
import { onTransactionFact } from "./on-transaction-fact.ts";

const uetr = sampleUetr;
const serde = createFixedSerde();
const times = { uetr, receivedAtMs: 1_000, closesAtMs: 900_000, deadlineMs: 800_000 };
const marker = { scheme: "ZA_EFT", businessDate: schedulerBusinessDate, number: 1 };
/** Markers applied before anything else: the window and the gate are open. */
const open: readonly Marker[] = [
  { ...marker, kind: "WindowOpened", id: "opened" },
  { ...marker, kind: "GateOpened", id: "gate", banks: null, except: [] },
];

/**
 * A partition that handles one record after the other, from offset 10; `again` handles an earlier one once more, like a
 * replay.
 */
function partition() {
  const passed = open.map((one, index) => ({ marker: one, position: { offset: BigInt(index), appendedAtMs: 0 } }));
  const working: UnitOfWork = { markers: createPartitionView(0, passed), documents: new Map(), days: new Map(), banks: new Map() };
  const records: (readonly [bigint, AnyDecodedRecord])[] = [];
  function judge(offset: bigint, decoded: AnyDecodedRecord): HandledRecord {
    const { value, key, headers } = outgoingRecord(serde, topics.journal, uetr, decoded, { partitionCount: 1 });
    const record = { topic: topics.journal, partition: 0, offset, appendedAtMs: 2_000 + Number(offset), key, value, headers };
    const read = { record, key: uetr, decoded: serde.decode(value), handler: onTransactionFact };
    return onTransactionFact.handle(read, working, {
      serde,
      configuration: sampleConfiguration(),
      partitionCount: 1,
      rulesVersion: 1,
      service: "scheduler",
    });
  }
  return {
    judge: (decoded: AnyDecodedRecord): HandledRecord => {
      const offset = 10n + BigInt(records.length);
      records.push([offset, decoded]);
      return judge(offset, decoded);
    },
    again: (): readonly (readonly string[])[] => records.map(([offset, decoded]) => listBytes(judge(offset, decoded))),
    kept: () => working.documents.get(uetr),
  };
}

function listBytes(handled: HandledRecord): readonly string[] {
  return handled.outgoing.map(({ value }) => (value ?? new Uint8Array()).toHex());
}

/** Lists the bodies that a record dispatched, by the end of the identification. */
function dispatched({ outgoing }: HandledRecord): readonly (readonly [string, unknown])[] {
  return outgoing.flatMap(({ value }) => {
    const decoded = serde.decode(value ?? new Uint8Array());
    if (decoded.name !== "Dispatch") return [];
    const { messageIdentification: id, body } = decoded.value;
    return [[/^[XY]/.test(id) ? id.charAt(0) : id.slice(32), JSON.parse(new TextDecoder().decode(body)) as unknown]];
  });
}

function debitRecord(options: Partial<DirectDebitOptions>): DecodedRecord<"DirectDebitReceived"> {
  const first = onUsDebitRecord(times);
  const reading = readDirectDebit(encodeBody(buildDirectDebit({ uetr, ...options })));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, contentHash, substanceHash } = reading.read;
  return { ...first, value: { ...first.value, debit, contentHash, substanceHash } };
}

function contradicting(about: "debit" | "credit"): DecodedRecord<"StatusReportReceived"> {
  const first = statusReportRecord({ uetr, outcome: "made", receivedAtMs: 1_000, about });
  const reading = readStatusReport(encodeBody(buildStatusReport({ uetr, outcome: "not-made", messageIdentification: "R-2" })));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: report, contentHash, substanceHash } = reading.read;
  return { ...first, value: { ...first.value, report, contentHash, substanceHash } };
}

const release: DecodedRecord<"Release"> = {
  name: "Release",
  value: { scheme: "ZA_EFT", businessDate: schedulerBusinessDate, windowNumber: 1, bank: schedulerBank },
};

test("a refused duplicate replaces nothing: the debit that leaves is the first, and AM05 names the duplicate's own amount", () => {
  const { judge, again, kept } = partition();
  const first = debitRecord({ messageIdentification: "M-1", amount: "10.00", debtorAccount: "62000000001" });
  const other = debitRecord({ messageIdentification: "M-2", amount: "999.00", debtorAccount: "62000000002" });
  const handled = [
    judge(first),
    judge(other),
    judge(verdictRecord(first)),
    judge(verdictRecord(other, "REFUSED")),
    judge(endedRecord(uetr, "A")),
  ];
  expect(handled.map(({ decision, reason }) => reason ?? decision)).toEqual([
    "applied",
    "duplicate-refused",
    "applied",
    "other-message-validated",
    "applied",
  ]);
  expect(dispatched(handled[1]!)).toMatchObject([
    [
      "X",
      {
        originalMessageIdentifiers: { messageIdentification: "M-2" },
        originalTransactionData: {
          amounts: { bankSettlementAmount: { value: 999 } },
          debtorAccount: { identification: { value: "62000000002" } },
        },
      },
    ],
  ]);
  const released = judge(release);
  expect(dispatched(released)).toMatchObject([
    ["D", { amounts: { bankSettlementAmount: { value: 10 } }, debtorAccount: { identification: { value: "62000000001" } } }],
  ]);
  const again1 = judge(debitRecord({ messageIdentification: "M-3", amount: "10.00", debtorAccount: "62000000001" }));
  expect(dispatched(again1)).toMatchObject([
    ["Y", { originalMessageIdentifiers: { messageIdentification: "M-3" }, status: { code: "ACCP" } }],
  ]);
  const document = kept();
  expect(serde.decode(document!.acceptedMessage).value).toMatchObject({ debit: { messageIdentifiers: { messageIdentification: "M-1" } } });
  expect(serde.decode(document!.verdict!).value).toMatchObject({ verdict: "ACCEPTED", messageIdentification: "M-1" });
  const firstTime = [...handled, released, again1].map(listBytes);
  expect(again()).toEqual(firstTime);
});

test.each(["debit", "credit"] as const)(
  "I5: a later report that contradicts the final one on a %s replaces nothing: later messages and items still show the final one",
  (about) => {
    const { judge, again, kept } = partition();
    const made = statusReportRecord({ uetr, outcome: "made", receivedAtMs: 1_000, about });
    const onUs = debitRecord({ messageIdentification: "M-1" });
    const credit = creditRecord(times);
    const start = about === "debit" ? [onUs, verdictRecord(onUs), endedRecord(uetr, "A"), release] : [credit, verdictRecord(credit)];
    const handled = [...start, made, contradicting(about)].map((decoded) => judge(decoded));
    expect(handled.at(-1)).toMatchObject({ decision: "recorded", reason: "report-contradicting", outgoing: [] });
    const report = serde.decode(kept()!.finalReport!);
    expect(report.value).toMatchObject({ report: { status: { code: "ACSC" } } });
    expect(again()).toEqual(handled.map(listBytes));
    if (about === "debit") return;
    const value = {
      ...credit.value,
      contentHash: "other",
      credit: { ...credit.value.credit, messageIdentifiers: { messageIdentification: "C-2", creationDateTime: "2026-11-20T05:00:00Z" } },
    };
    const repeated = judge({ ...credit, value });
    expect(dispatched(repeated)).toMatchObject([
      ["Y", { originalMessageIdentifiers: { messageIdentification: "C-2" }, status: { code: "ACSC" } }],
    ]);
  },
);

test("a verdict on another message is not kept: it neither dates nor refuses the accepted one", () => {
  const { judge, kept } = partition();
  const first = debitRecord({ messageIdentification: "M-1" });
  const other = debitRecord({ messageIdentification: "M-1", amount: "11.00" });
  judge(first);
  expect(judge(other)).toMatchObject({ reason: "conflict" });
  expect(judge(verdictRecord(other, "REFUSED"))).toMatchObject({ decision: "refused", reason: "other-message-validated" });
  expect(kept()).toMatchObject({ verdict: null, transaction: { state: "RECEIVED", reconciliationDay: schedulerDay } });
  expect(dispatched(judge(verdictRecord(first)))).toMatchObject([["A", { status: { code: "ACCP" } }]]);
});
