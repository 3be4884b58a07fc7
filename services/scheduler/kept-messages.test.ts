// What the document keeps of messages is what money moves by: whatever comes later under the same UETR replaces nothing of it.

import { fixedSerde, outgoingRecord, readDirectDebit, readStatusReport, topics } from "@sluice/contracts";
import type { AnyDecoded, Decoded } from "@sluice/contracts";
import { laneView } from "@sluice/domain";
import type { Marker } from "@sluice/domain";
import { bodyOf, directDebit, sampleConfiguration, sampleUetr, statusReport } from "@sluice/testkit";
import type { DirectDebitOptions } from "@sluice/testkit";
import { expect, test } from "vitest";
import { bank, businessDate, creditRecord, day, endedRecord, onUsDebitRecord, reportRecord, verdictOn } from "./given-records.ts";
import type { Turn, Working } from "./handler.ts";
import { onTransactionFact } from "./on-transaction-fact.ts";

const uetr = sampleUetr;
const serde = fixedSerde();
const times = { uetr, receivedAtMs: 1_000, closesAtMs: 900_000, deadlineMs: 800_000 };
const marker = { scheme: "ZA_EFT", businessDate, number: 1 };
/** Passed before anything else: the window and the gate are open. */
const open: readonly Marker[] = [
  { ...marker, kind: "WindowOpened", id: "opened" },
  { ...marker, kind: "GateOpened", id: "gate", banks: null, except: [] },
];

/** A lane on which one record after the other is judged, from offset 10; `again` judges an earlier one once more, as a replay. */
function lane() {
  const passed = open.map((one, index) => ({ marker: one, place: { offset: BigInt(index), appendedAtMs: 0 } }));
  const working: Working = { lane: laneView(0, passed), documents: new Map(), days: new Map(), banks: new Map() };
  const records: (readonly [bigint, AnyDecoded])[] = [];
  function judge(offset: bigint, decoded: AnyDecoded): Turn {
    const { value, key, headers } = outgoingRecord(serde, topics.journal, uetr, decoded, { lanes: 1 });
    const record = { topic: topics.journal, partition: 0, offset, appendedAtMs: 2_000 + Number(offset), key, value, headers };
    const read = { record, key: uetr, decoded: serde.decode(value), handler: onTransactionFact };
    return onTransactionFact.judge(read, working, { serde, configuration: sampleConfiguration(), lanes: 1, service: "scheduler" });
  }
  return {
    judge: (decoded: AnyDecoded): Turn => {
      const offset = 10n + BigInt(records.length);
      records.push([offset, decoded]);
      return judge(offset, decoded);
    },
    again: (): readonly (readonly string[])[] => records.map(([offset, decoded]) => bytesOf(judge(offset, decoded))),
    kept: () => working.documents.get(uetr),
  };
}

function bytesOf(turn: Turn): readonly string[] {
  return turn.outgoing.map(({ value }) => (value ?? new Uint8Array()).toHex());
}

/** Bodies of what was dispatched in a turn, by the end of the identification. */
function dispatched({ outgoing }: Turn): readonly (readonly [string, unknown])[] {
  return outgoing.flatMap(({ value }) => {
    const decoded = serde.decode(value ?? new Uint8Array());
    if (decoded.name !== "Dispatch") return [];
    const { messageIdentification: id, body } = decoded.value;
    return [[/^[XY]/.test(id) ? id.charAt(0) : id.slice(32), JSON.parse(new TextDecoder().decode(body)) as unknown]];
  });
}

function debitRecord(options: Partial<DirectDebitOptions>): Decoded<"DirectDebitReceived"> {
  const first = onUsDebitRecord(times);
  const reading = readDirectDebit(bodyOf(directDebit({ uetr, ...options })));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, contentHash, substanceHash } = reading.read;
  return { ...first, value: { ...first.value, debit, contentHash, substanceHash } };
}

function contradicting(about: "debit" | "credit"): Decoded<"StatusReportReceived"> {
  const first = reportRecord({ uetr, outcome: "made", receivedAtMs: 1_000, about });
  const reading = readStatusReport(bodyOf(statusReport({ uetr, outcome: "not-made", messageIdentification: "R-2" })));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: report, contentHash, substanceHash } = reading.read;
  return { ...first, value: { ...first.value, report, contentHash, substanceHash } };
}

const release: Decoded<"Release"> = { name: "Release", value: { scheme: "ZA_EFT", businessDate, windowNumber: 1, bank } };

test("a refused duplicate replaces nothing: the debit that leaves is the first, and AM05 names the duplicate's own amount", () => {
  const { judge, again, kept } = lane();
  const first = debitRecord({ messageIdentification: "M-1", amount: "10.00", debtorAccount: "62000000001" });
  const other = debitRecord({ messageIdentification: "M-2", amount: "999.00", debtorAccount: "62000000002" });
  const turns = [judge(first), judge(other), judge(verdictOn(first)), judge(verdictOn(other, "REFUSED")), judge(endedRecord(uetr, "A"))];
  expect(turns.map(({ decision, reason }) => reason ?? decision)).toEqual([
    "applied",
    "duplicate-refused",
    "applied",
    "other-message-judged",
    "applied",
  ]);
  expect(dispatched(turns[1]!)).toMatchObject([
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
  const firstTime = [...turns, released, again1].map(bytesOf);
  expect(again()).toEqual(firstTime);
});

test.each(["debit", "credit"] as const)(
  "I5: a later report that contradicts the final one on a %s replaces nothing: what is told and shown again is what it was",
  (about) => {
    const { judge, again, kept } = lane();
    const made = reportRecord({ uetr, outcome: "made", receivedAtMs: 1_000, about });
    const onUs = debitRecord({ messageIdentification: "M-1" });
    const credit = creditRecord(times);
    const start = about === "debit" ? [onUs, verdictOn(onUs), endedRecord(uetr, "A"), release] : [credit, verdictOn(credit)];
    const turns = [...start, made, contradicting(about)].map((decoded) => judge(decoded));
    expect(turns.at(-1)).toMatchObject({ decision: "remarked", reason: "report-contradicting", outgoing: [] });
    const report = serde.decode(kept()!.finalReport!);
    expect(report.value).toMatchObject({ report: { status: { code: "ACSC" } } });
    expect(again()).toEqual(turns.map(bytesOf));
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

test("a verdict that is not on the accepted message is not kept: what refuses another does not date or refuse this one", () => {
  const { judge, kept } = lane();
  const first = debitRecord({ messageIdentification: "M-1" });
  const other = debitRecord({ messageIdentification: "M-1", amount: "11.00" });
  judge(first);
  expect(judge(other)).toMatchObject({ reason: "conflict" });
  expect(judge(verdictOn(other, "REFUSED"))).toMatchObject({ decision: "refused", reason: "other-message-judged" });
  expect(kept()).toMatchObject({ verdict: null, transaction: { state: "RECEIVED", closesWith: day } });
  expect(dispatched(judge(verdictOn(first)))).toMatchObject([["A", { status: { code: "ACCP" } }]]);
});
