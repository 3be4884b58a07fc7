// decisions.md, section 4, "Sent to Sluice", row by row.

import { expect, test } from "vitest";
import {
  accepted,
  after,
  completed,
  debit,
  delivered,
  digest,
  ended,
  held,
  hex,
  identity,
  rejected,
  released,
  report,
  short,
} from "./given.ts";
import { tellAll, uetr, verdict } from "./given.ts";
import { answerIdentification } from "./ids.ts";
import { answersToldMax, remarksKept } from "./transaction.ts";

const otherName = debit({ message: identity("M2", "c1"), closesAtMs: 777 });
const otherContent = debit({ message: identity("M3", "c3"), closesAtMs: 888 });

test("I3: same identity, same content: a repeat without outputs [D4 repeat]", () => {
  const { last, transaction } = after(...accepted, debit());
  expect(last).toMatchObject({ decision: "remarked", reason: "repeat", outputs: [] });
  expect(transaction.remarks).toMatchObject({ count: 1, last: [{ kind: "repeat", messageIdentification: "M1", sender: "bank-a" }] });
});

test("I3: same identity, other content: a conflict, no report [D4 conflict]", () => {
  const { last } = after(...accepted, debit({ message: { ...identity("M1"), contentHash: "other" } }));
  expect(last).toMatchObject({ decision: "remarked", reason: "conflict", outputs: [] });
});

test("same UETR, other identification, otherwise equal: the report is sent once more, naming this message, in its own time [D4 otherwise-equal]", () => {
  const { last, states } = after(...accepted, otherName);
  expect(states).toEqual(["RECEIVED", "ACCEPTED"]);
  expect(last).toMatchObject({
    decision: "remarked",
    reason: "repeat-other-identification",
    outputs: [
      {
        kind: "dispatch",
        operation: "outboundDirectDebitResponse",
        form: "report-again",
        receiver: "bank-a",
        closesWith: null,
        deadlineMs: 777,
        about: "M2",
      },
    ],
  });
  const sent = last.outputs[0];
  expect(sent).toMatchObject({ messageIdentification: expect.stringMatching(/^Y[0-9a-f]{34}$/) });
  expect(sent).toMatchObject({ deliveryKey: answerIdentification("Y", "bank-a", "outboundDirectDebit", uetr, "M2", digest) });
});

test("the same, while there is no report yet: only recorded, and answered when it is repeated after the report", () => {
  expect(after(debit(), otherName).last).toMatchObject({ reason: "repeat-other-identification", outputs: [] });
  expect(after(debit(), otherName, verdict(), otherName).last.outputs.map(short)).toEqual(["send:Y"]);
  expect(after(...rejected, otherName).last.outputs.map(short)).toEqual(["send:Y"]);
});

test("a report sent once more says which state's report it repeats, whatever came after it", () => {
  expect(after(...held, otherName).last.outputs).toMatchObject([{ form: "report-again", state: "ACCEPTED" }]);
  expect(after(...completed, otherName).last.outputs).toMatchObject([{ form: "report-again", state: "ACCEPTED" }]);
  expect(after(...held, otherContent).last.outputs).toMatchObject([{ form: "duplicate-refused", state: "HELD" }]);
});

test("a message that bears the name of a delivery which was stopped again is not taken as answered", () => {
  const sameName = debit({ message: identity(`${hex}A`, "c9") });
  expect(after(...held, ended("A", "refused"), sameName).last.outputs.map(short)).toEqual(["send:X"]);
});

test("same UETR, other content: RJCT AM05 with its own key and deadline; no state, event or stage version [D4 AM05]", () => {
  const { last, states, transaction } = after(...held, otherContent);
  expect(states).toEqual(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]);
  expect(transaction.message?.messageIdentification).toBe("M1");
  expect(last.outputs).toMatchObject([
    {
      form: "duplicate-refused",
      messageIdentification: expect.stringMatching(/^X[0-9a-f]{34}$/),
      about: "M3",
      deadlineMs: 888,
      receiver: "bank-a",
    },
  ]);
});

test("same UETR from another sender: AM05 to that sender, though identification and content are equal", () => {
  const { last } = after(...held, debit({ message: identity("M1", "c1", "bank-b") }));
  expect(last.outputs).toMatchObject([{ form: "duplicate-refused", receiver: "bank-b", about: "M1" }]);
});

test("I3: a message that was answered is not answered again", () => {
  expect(after(...accepted, otherName, otherName).last).toMatchObject({ reason: "repeat", outputs: [] });
  expect(after(...accepted, otherContent, otherContent).last).toMatchObject({ reason: "repeat", outputs: [] });
  const fromOther = debit({ message: identity("M3", "c3", "bank-b") });
  expect(after(...accepted, otherContent, fromOther).last.outputs.map(short)).toEqual(["send:X"]);
});

test("I15: at most seven answers are told; what comes after is only counted", () => {
  const many = Array.from({ length: 25 }, (_, index) => debit({ message: identity(`N${index}`, `n${index}`) }));
  const { transaction, last } = after(...accepted, ...many);
  expect(transaction.told).toHaveLength(answersToldMax);
  expect(transaction.remarks.count).toBe(25);
  expect(transaction.remarks.last).toHaveLength(remarksKept);
  expect(transaction.remarks.last.at(-1)).toMatchObject({ messageIdentification: "N24", kind: "duplicate-refused" });
  expect(last.outputs).toEqual([]);
});

test("the end of a delivery that answered a duplicate changes nothing", () => {
  const about = { ...ended("A"), messageIdentification: answerIdentification("X", "bank-a", "outboundDirectDebit", uetr, "M3", digest) };
  expect(after(...accepted, otherContent, about).last).toMatchObject({ decision: "ignored", outputs: [] });
});

test("a report in RELEASED proves delivery: DELIVERED, then COMPLETED or UNPAID, and the delivery stops [D4 in-RELEASED]", () => {
  expect(after(...released, report()).last.outputs.map(short)).toEqual(["DELIVERED", "stop:D", "COMPLETED"]);
  expect(after(...released, report("not-made")).last.outputs.map(short)).toEqual(["DELIVERED", "stop:D", "UNPAID"]);
  const { transaction } = after(...released, report());
  expect(transaction.transitions.at(-2)).toMatchObject({ state: "DELIVERED", httpStatusCode: null, messageIdentification: `${hex}D` });
  expect(transaction.transitions.at(-1)).toMatchObject({ state: "COMPLETED", httpStatusCode: 202, messageIdentification: "R-made" });
  expect(transaction).toMatchObject({ finalOutcome: "made", finalReport: identity("R-made") });
});

test("answers of the delivery after its report change nothing", () => {
  for (const outcome of ["acknowledged", "stopped"] as const) {
    expect(after(...released, report(), ended("D", outcome)).last).toMatchObject({ decision: "ignored", outputs: [] });
  }
});

test("a delivery that is declined after the transaction had finished with it is stopped again, and the answer to that ends it", () => {
  expect(after(...released, report(), ended("D", "refused")).last.outputs.map(short)).toEqual(["stop:D"]);
  expect(after(...held, ended("A", "refused")).last.outputs.map(short)).toEqual(["stop:A"]);
  expect(after(...released, report(), ended("D", "refused"), ended("D", "stopped")).last.outputs).toEqual([]);
});

test("a report before release is recorded as early and never applied, not even when it is repeated after it [D4 before-release]", () => {
  for (const given of [[debit()], accepted, held])
    expect(after(...given, report()).last).toMatchObject({ reason: "report-early", outputs: [] });
  const { last, states } = after(...held, report(), ...released.slice(held.length), ended("D"), report());
  expect(last).toMatchObject({ reason: "report-repeat", outputs: [] });
  expect(states.at(-1)).toBe("DELIVERED");
});

test("a report with a wrong original identification is applied, with a warning [D4 originalMessageIdentifiers]", () => {
  const { last, transaction } = after(...delivered, report("made", { originalMessageIdentification: "M1" }));
  expect(last).toMatchObject({ decision: "applied", reason: "report-original-differs" });
  expect(transaction).toMatchObject({ state: "COMPLETED", remarks: { last: [{ kind: "report-original-differs" }] } });
});

test("a second report: same identity is a repeat, same outcome too, other content a conflict, other outcome contradicting [D4 second-report]", () => {
  expect(after(...completed, report()).last).toMatchObject({ reason: "report-repeat", outputs: [] });
  expect(after(...completed, report("made", { message: identity("R9") })).last).toMatchObject({ reason: "report-repeat", outputs: [] });
  const sameName = { message: { ...identity("R-made"), contentHash: "other" } };
  expect(after(...completed, report("not-made", sameName)).last).toMatchObject({ reason: "conflict", outputs: [] });
  expect(after(...completed, report("not-made")).last).toMatchObject({ reason: "report-contradicting", outputs: [] });
  expect(after(...rejected, ended("R"), report()).last).toMatchObject({ reason: "report-contradicting", outputs: [] });
});

test("a report from a bank that the debit is not for is foreign, at every moment, before the verdict too [D4 foreign]", () => {
  const foreign = report("made", { message: identity("R1", "c1", "bank-b") });
  for (const given of [[debit()], accepted, held, released, delivered, completed]) {
    expect(after(...given, foreign).last).toMatchObject({ decision: "remarked", reason: "report-foreign", outputs: [] });
  }
});

test("a report for an unknown UETR is kept as an orphan; a debit that comes later starts as usual and the report stays unapplied [D4 orphan]", () => {
  const { transaction, outcomes } = tellAll([report()]);
  expect(transaction).toMatchObject({ state: "ORPHAN", message: null, transitions: [], version: 1 });
  expect(outcomes).toMatchObject([{ decision: "remarked", reason: "report-orphan", outputs: [] }]);
  const later = after(report(), ...delivered, report());
  expect(later.states.at(-1)).toBe("DELIVERED");
  expect(later.last).toMatchObject({ reason: "report-repeat" });
  expect(later.transaction.remarks.last[0]).toMatchObject({ kind: "report-orphan" });
});

test("PDNG is recorded and not final: it proves delivery in RELEASED, and is the cause at the close in DELIVERED", () => {
  expect(after(...released, report("pending")).last.outputs.map(short)).toEqual(["DELIVERED", "stop:D"]);
  const { last, transaction } = after(...delivered, report("pending"));
  expect(last).toMatchObject({ decision: "remarked", reason: "report-pending", outputs: [] });
  expect(transaction.pendingAtMs).not.toBeNull();
  expect(after(...delivered, report("pending"), report()).states.at(-1)).toBe("COMPLETED");
  const sameName = report("made", { message: { ...identity("R-pending"), contentHash: "other" } });
  expect(after(...delivered, report("pending"), sameName).last).toMatchObject({ reason: "conflict", outputs: [] });
});
