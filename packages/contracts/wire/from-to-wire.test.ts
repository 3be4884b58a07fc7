import type { Marker } from "@sluice/domain";
import { Fault } from "@sluice/kernel";
import { expect, test } from "vitest";
import type { AnyDecodedRecord } from "../api.ts";
import type { Records } from "../generated/records.ts";
import { factFromRecord, markerFromRecord } from "./from-wire.ts";
import {
  buildAnswerOutput,
  buildDispatchOutput,
  heldEventOutput,
  receivedOnUs,
  receivedCredit,
  receivedOffUs,
  receivedReport,
  buildMessageSources,
  messageUetr,
  accountVerified,
} from "../messages/render/outputs.fixture.ts";
import { findReceiver, outgoingRecord } from "./outgoing-record.ts";
import { createFixedSerde } from "./serde.ts";
import {
  type AppendedFact,
  dispatchChangeRecord,
  dispatchRecord,
  eventRecords,
  recordFromFact,
  recordFromMarker,
  requestRecord,
} from "./to-wire.ts";
import { topics } from "./topics.ts";

const serde = createFixedSerde();
const through = (record: AnyDecodedRecord): AnyDecodedRecord => serde.decode(serde.encode(record.name, record.value));
const day = { scheme: "ZA_EFT", businessDate: "2026-11-20" };

const facts: readonly AppendedFact[] = [
  { kind: "Release", ...day, windowNumber: 1, bank: "first" },
  { kind: "DayClosed", day: "ZA_EFT:2026-11-20" },
  {
    kind: "DayPlanned",
    ...day,
    zone: "Africa/Johannesburg",
    calendarVersion: "1",
    isWorkingDay: true,
    windows: [{ number: 1, opensAtMs: 1, closesAtMs: 2 }],
    cutOffAtMs: 3,
    reconciliationAtMs: 4,
    nextBusinessDate: "2026-11-23",
    creditsFinal: "clock",
    partitionCount: 12,
  },
  { kind: "DayTimeReached", ...day, time: "window-opens", number: 1 },
  { kind: "DayTimeReached", ...day, time: "window-closes", number: 1 },
  { kind: "DayTimeReached", ...day, time: "reconciliation", number: 0 },
  { kind: "DeadlinePassed", deadlineMs: 1_763_700_000_000 },
  { kind: "PartitionBankClear", ...day, partition: 3, declaration: "ZA_EFT:2026-11-20:CreditsDeclared:1", bank: "first" },
  { kind: "PartitionCredits", ...day, partition: 3, declaration: "ZA_EFT:2026-11-20:CreditsDeclared:1", banksUnresolved: ["first"] },
];

test.each(facts)("the fact $kind comes back from the wire the same", (fact) => {
  const decoded = through(recordFromFact(fact));
  expect(factFromRecord(decoded, messageUetr)).toStrictEqual(fact);
  expect(markerFromRecord(decoded)).toBeNull();
});

const markers: readonly Marker[] = [
  { kind: "DayTimes", id: "ZA_EFT:2026-11-20:DayTimes:1", ...day, number: 1, reconciliationAtMs: 5, calendarVersion: "1" },
  { kind: "DayVoid", id: "ZA_EFT:2026-11-20:DayVoid:1", ...day, nextBusinessDate: "2026-11-23" },
  { kind: "DayVoid", id: "ZA_EFT:2026-11-20:DayVoid:2", ...day, nextBusinessDate: null },
  { kind: "WindowOpened", id: "ZA_EFT:2026-11-20:WindowOpened:1", ...day, number: 1 },
  { kind: "WindowClosed", id: "ZA_EFT:2026-11-20:WindowClosed:1", ...day, number: 1, isLast: true, nextBusinessDate: "2026-11-23" },
  { kind: "CreditsDeclared", id: "ZA_EFT:2026-11-20:CreditsDeclared:1", ...day, number: 1, bank: null, declaredBy: "clock" },
  { kind: "GateOpened", id: "ZA_EFT:2026-11-20:GateOpened:1", ...day, number: 1, banks: null, except: ["other"] },
  { kind: "GateOpened", id: "ZA_EFT:2026-11-20:GateOpened:2", ...day, number: 2, banks: ["other"], except: [] },
  { kind: "DayReconciled", id: "ZA_EFT:2026-11-20:DayReconciled:1", ...day, number: 1 },
];

test.each(markers)("the marker $id goes to each partition under its own id, and comes back as one", (marker) => {
  for (const partition of [0, 1, 11]) {
    const decoded = through(recordFromMarker(marker, partition));
    expect(decoded.value).toMatchObject({ id: `${marker.id}:${partition}`, partition });
    expect(markerFromRecord(decoded)).toStrictEqual(marker);
    expect(factFromRecord(decoded, "ZA_EFT:2026-11-20")).toBeNull();
  }
});

test("a marker whose id does not end with its partition is unreadable", () => {
  const value = { id: "ZA_EFT:2026-11-20:DayVoid:1:12", ...day, partition: 1, nextBusinessDate: "2026-11-23" };
  expect(() => markerFromRecord({ name: "DayVoid", value: { ...value, id: "ZA_EFT:2026-11-20:DayVoid:11" } })).toThrow(Fault);
  expect(() => markerFromRecord({ name: "DayVoid", value: { ...value, partition: 12 } })).not.toThrow(Fault);
});

test("a received debit is a fact under its key, with its amount in ten-thousandths", () => {
  const value = receivedOnUs();
  expect(factFromRecord(through({ name: "DirectDebitReceived", value }), messageUetr)).toEqual({
    kind: "DirectDebitReceived",
    flow: "on-us",
    bank: null,
    uetr: messageUetr,
    message: {
      sender: "first",
      messageIdentification: "ACME-20261120-000001",
      contentHash: value.contentHash,
      substanceHash: value.substanceHash,
    },
    receivedAtMs: value.receivedAtMs,
    reconciliationDay: "ZA_EFT:2026-11-20",
    closesAtMs: value.closesAtMs,
    scheme: "ZA_EFT",
    amountTenThousandths: 12_505_000n,
    currency: "ZAR",
  });
});

test("an off-us debit names its bank from the start, and a credit its deadline", () => {
  const debit = factFromRecord(through({ name: "DirectDebitReceived", value: receivedOffUs() }), messageUetr);
  expect(debit).toMatchObject({ kind: "DirectDebitReceived", flow: "off-us", bank: "first", message: { sender: "clearing" } });
  const nameless = { ...receivedOffUs(), bank: null };
  expect(() => factFromRecord(through({ name: "DirectDebitReceived", value: nameless }), messageUetr)).toThrow("names no bank");
  const value = receivedCredit();
  expect(factFromRecord(through({ name: "CreditTransferReceived", value }), "2c9d")).toEqual({
    kind: "CreditTransferReceived",
    uetr: "2c9d",
    message: {
      sender: "clearing",
      messageIdentification: "PCH-CT-20261120-000007",
      contentHash: value.contentHash,
      substanceHash: value.substanceHash,
    },
    receivedAtMs: value.receivedAtMs,
    bank: "first",
    businessDate: "2026-11-20",
    deadlineMs: value.deadlineMs,
    scheme: "ZA_EFT",
    amountTenThousandths: 185_000_000n,
    currency: "ZAR",
  });
});

test("a declaration keeps its scope, a verdict on a credit its deadline, and a report the message that it is about", () => {
  for (const bank of [null, "first"]) {
    const value = { ...day, requestedBy: "clearing", bank, receivedAtMs: 5, action: null };
    expect(factFromRecord(through({ name: "CreditsFinalRequested", value }), "ZA_EFT:2026-11-20")).toStrictEqual({
      kind: "CreditsFinalRequested",
      ...day,
      requestedBy: "clearing",
      bank,
      action: null,
    });
  }
  const verdict = { ...accountVerified("ACCEPTED"), reconciliationDay: null, deadlineMs: 7, onUsOutcomeReport: true };
  expect(factFromRecord(through({ name: "AccountVerified", value: verdict }), messageUetr)).toMatchObject({
    reconciliationDay: null,
    deadlineMs: 7,
    wantsOutcomeReport: true,
  });
  const report = { ...receivedReport(), operation: "inboundCreditTransferAuthorizationResponse" };
  expect(factFromRecord(through({ name: "StatusReportReceived", value: report }), messageUetr)).toMatchObject({ about: "credit" });
});

const stopped = {
  messageIdentification: "m",
  operation: "inboundDirectDebit",
  outcome: "STOPPED",
  httpStatusCode: null,
  attempts: 2,
  anyAnswer: false,
  recentAttempts: [],
  isBreakerOpen: true,
  isReceiverPaused: false,
  stopOffset: 9n,
  mayHaveBeenTaken: true,
} as const;

test("a verdict, a report and the end of a delivery are facts", () => {
  expect(
    factFromRecord(through({ name: "AccountVerified", value: accountVerified("REFUSED", [{ code: "AC02", text: "t" }]) }), messageUetr),
  ).toEqual({
    kind: "AccountVerified",
    validatedMessage: { sender: "first", messageIdentification: "ACME-20261120-000001", contentHash: "c" },
    verdict: "refused",
    bank: "first",
    businessDate: "2026-11-20",
    reconciliationDay: "ZA_EFT:2026-11-20",
    deadlineMs: null,
    wantsOutcomeReport: false,
    carryOversMax: 0,
  });
  expect(factFromRecord(through({ name: "StatusReportReceived", value: receivedReport({ code: "PDNG" }) }), messageUetr)).toMatchObject({
    kind: "StatusReportReceived",
    about: "debit",
    outcome: "pending",
    originalMessageIdentification: "6f4b2f0e6f0a4d529a571f0f5d0c2b11D",
  });
  expect(factFromRecord(through({ name: "DeliveryEnded", value: stopped }), messageUetr)).toEqual({
    kind: "DeliveryEnded",
    messageIdentification: "m",
    outcome: "stopped",
    evidence: { attempts: 2, anyAnswer: false, mayHaveBeenTaken: true, httpStatusCode: null, isBreakerOpen: true, isReceiverPaused: false },
  });
});

test("the evidence of a stopped delivery has its newest response code, whatever failed without a response later", () => {
  const attempt = (httpStatusCode: number | null) => ({
    atMs: 1,
    httpStatusCode,
    answer: "",
    tookMs: 1,
    address: null,
    class: "TRANSIENT" as const,
  });
  const readEvidence = (ended: Partial<Records["DeliveryEnded"]>) =>
    factFromRecord(through({ name: "DeliveryEnded", value: { ...stopped, ...ended } }), messageUetr);
  const recentAttempts = [attempt(429), attempt(503), attempt(null)];
  expect(readEvidence({ recentAttempts })).toMatchObject({ evidence: { httpStatusCode: 503 } });
  expect(readEvidence({ recentAttempts: [attempt(null)] })).toMatchObject({ evidence: { httpStatusCode: null } });
  expect(readEvidence({ recentAttempts, outcome: "ACKNOWLEDGED" })).toMatchObject({ evidence: { httpStatusCode: null } });
});

test.each(["anyAnswer", "mayHaveBeenTaken", "isBreakerOpen", "isReceiverPaused"] as const)(
  "%s of the evidence is set alone: whether a credit can be refused depends on one of them",
  (member) => {
    const none = {
      ...stopped,
      anyAnswer: false,
      mayHaveBeenTaken: false,
      isBreakerOpen: false,
      isReceiverPaused: false,
      httpStatusCode: 422,
    };
    const said = { anyAnswer: false, mayHaveBeenTaken: false, isBreakerOpen: false, isReceiverPaused: false };
    const name = {
      anyAnswer: "anyAnswer",
      mayHaveBeenTaken: "mayHaveBeenTaken",
      isBreakerOpen: "isBreakerOpen",
      isReceiverPaused: "isReceiverPaused",
    };
    const fact = factFromRecord(through({ name: "DeliveryEnded", value: { ...none, outcome: "REFUSED", [member]: true } }), messageUetr);
    expect(fact).toMatchObject({ outcome: "refused", evidence: { attempts: 2, httpStatusCode: 422, ...said, [name[member]]: true } });
  },
);

test("a symbol of a newer writer stops the partition until the reader is upgraded, and is never guessed", () => {
  const unknown: readonly AnyDecodedRecord[] = [
    { name: "AccountVerified", value: accountVerified("UNKNOWN") },
    { name: "DayTimeReached", value: { ...day, kind: "UNKNOWN", number: 1 } },
    { name: "DirectDebitReceived", value: { ...receivedOnUs(), flow: "SIDEWAYS" } },
    { name: "StatusReportReceived", value: { ...receivedReport(), operation: "another" } },
  ];
  for (const record of unknown) {
    expect(() => factFromRecord(through(record), messageUetr)).toThrow(
      expect.objectContaining({ code: "contracts.unknown-symbol", isRetryable: true }),
    );
  }
});

test("outputs become records of their topics", () => {
  const given = buildMessageSources({ verdict: accountVerified("ACCEPTED") });
  const sent = through(dispatchRecord(buildDispatchOutput("D", "2026-11-20T06:00:01Z"), given));
  expect(sent.value).toMatchObject({
    uetr: messageUetr,
    bank: "first",
    operation: "inboundDirectDebit",
    reconciliationDay: "ZA_EFT:2026-11-20",
    causedByOffset: 18n,
  });
  const again = through(dispatchRecord(buildAnswerOutput("report-again"), { ...given, answered: given.received }));
  expect(again.value).toMatchObject({ reconciliationDay: null, deadlineMs: 1, stopsAtMs: null, deliveryKey: `Y${"0".repeat(34)}` });
  const stopsAtMs = { ...buildDispatchOutput("D", "2026-11-20T06:00:01Z"), stopsAtMs: 7 };
  expect(through(dispatchRecord(stopsAtMs, given)).value).toMatchObject({ deadlineMs: null, stopsAtMs: 7 });
  const options = { eventShape: "full", eventPayload: "full", eventDeadlineMs: 259_200_000, bank: "first" } as const;
  const [posted, ...others] = eventRecords(heldEventOutput, given, { ...options, eventClasses: ["TRANSACTION_STATE"] }).map(through);
  expect(others).toEqual([]);
  expect(posted?.value).toMatchObject({ id: heldEventOutput.id, bank: "first", deadlineMs: heldEventOutput.enteredAtMs + 259_200_000 });
  const stop = { kind: "stop", messageIdentification: "m", deliveryKey: messageUetr, receiver: "first", causedByOffset: 5n } as const;
  expect(through(dispatchChangeRecord(stop, messageUetr)).value).toEqual({
    messageIdentification: "m",
    uetr: messageUetr,
    deliveryKey: messageUetr,
    bank: "first",
    change: "STOP",
    causedByOffset: 5n,
    stoppedBy: null,
    confirmedBy: null,
  });
  const giveUp = { ...stop, kind: "give-up", target: "delivery" } as const;
  const by = { operator: "thandi", confirmedBy: "sipho" };
  expect(through(requestRecord(giveUp, messageUetr, by)).value).toMatchObject({
    change: "GIVE_UP",
    stoppedBy: "thandi",
    confirmedBy: "sipho",
  });
  const redrive = { ...giveUp, kind: "redrive" } as const;
  expect(through(requestRecord(redrive, messageUetr, by)).value).toMatchObject({ change: "REDRIVE", stoppedBy: null, confirmedBy: null });
});

test("I14: a record for one receiver names it in a header, so that it can be let pass undecoded; no other record does", () => {
  const stop = { kind: "stop", messageIdentification: "m", deliveryKey: messageUetr, receiver: "first", causedByOffset: 5n } as const;
  const change = outgoingRecord(serde, topics.dispatch, messageUetr, dispatchChangeRecord(stop, messageUetr), { partitionCount: 12 });
  expect(change.headers).toEqual({ "sluice-type": "DispatchChange", "sluice-receiver": "first" });
  const sent = dispatchRecord(
    buildDispatchOutput("D", "2026-11-20T06:00:01Z"),
    buildMessageSources({ verdict: accountVerified("ACCEPTED") }),
  );
  expect(findReceiver(through(sent))).toBe("first");
  expect(findReceiver(recordFromMarker(markers[1] ?? { kind: "DayVoid", id: "", ...day, nextBusinessDate: "" }, 7))).toBe(null);
});

test("a record goes out with its type in a header, to the partition of its key or to the given one", () => {
  const record = recordFromMarker(markers[1] ?? { kind: "DayVoid", id: "", ...day, nextBusinessDate: null }, 7);
  const copy = outgoingRecord(serde, topics.journal, "ZA_EFT:2026-11-20", record, { partitionCount: 12, partition: 7 });
  expect(copy).toMatchObject({ topic: "sluice.journal.v1", partition: 7, headers: { "sluice-type": "DayVoid" } });
  expect(new TextDecoder().decode(copy.key)).toBe("ZA_EFT:2026-11-20");
  const keyed = outgoingRecord(serde, topics.journal, messageUetr, record, {
    partitionCount: 12,
    headers: { traceparent: "00-1", "sluice-type": "x" },
  });
  expect(keyed.headers).toEqual({ traceparent: "00-1", "sluice-type": "DayVoid" });
  expect(keyed.partition).toBeLessThan(12);
  expect(serde.decode(keyed.value)).toEqual(record);
});
