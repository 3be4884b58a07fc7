// docs/spec/decisions.md D4, "Sent to Sluice", row by row.

import { expect, test } from "vitest";
import {
  acceptedSteps,
  completedSteps,
  debit,
  deliveredSteps,
  digest,
  ended,
  heldSteps,
  hex,
  identity,
  rejectedSteps,
  releasedSteps,
  report,
  runSteps,
  shortName,
  stateAfter,
  uetr,
  verdict,
} from "../../given.fixture.ts";
import { redrive, withdrawal } from "../decisions.fixture.ts";
import { decide } from "../decide.ts";
import { answerIdentification } from "../../ids.ts";
import { answerNoticesMax, observationsKept } from "../transaction.ts";

const otherName = debit({ message: identity("M2", "c1"), closesAtMs: 777 });
const otherContent = debit({ message: identity("M3", "c3"), closesAtMs: 888 });

test("I3: a message of the same identity and content is a repeat without outputs [D4 repeat]", () => {
  const { last, transaction } = stateAfter(...acceptedSteps, debit());
  expect(last).toMatchObject({ decision: "recorded", reason: "repeat", outputs: [] });
  expect(transaction.observations).toMatchObject({ count: 1, last: [{ kind: "repeat", messageIdentification: "M1", sender: "bank-a" }] });
});

test("I3: a message of the same identity and other content is a conflict without a report [D4 conflict]", () => {
  const { last } = stateAfter(...acceptedSteps, debit({ message: { ...identity("M1"), contentHash: "other" } }));
  expect(last).toMatchObject({ decision: "recorded", reason: "conflict", outputs: [] });
});

test("an equal message with another identification gets the report once more, naming this message, with its own time [D4 otherwise-equal]", () => {
  const { last, states } = stateAfter(...acceptedSteps, otherName);
  expect(states).toEqual(["RECEIVED", "ACCEPTED"]);
  expect(last).toMatchObject({
    decision: "recorded",
    reason: "repeat-other-identification",
    outputs: [
      {
        kind: "dispatch",
        operation: "outboundDirectDebitResponse",
        form: "report-again",
        receiver: "bank-a",
        reconciliationDay: null,
        deadlineMs: 777,
        about: "M2",
      },
    ],
  });
  const sent = last.outputs[0];
  expect(sent).toMatchObject({ messageIdentification: expect.stringMatching(/^Y[0-9a-f]{34}$/) });
  expect(sent).toMatchObject({ deliveryKey: answerIdentification("report-again", "bank-a", "outboundDirectDebit", uetr, "M2", digest) });
});

test("an equal message before the report is only recorded, and answered when it is repeated after the report", () => {
  expect(stateAfter(debit(), otherName).last).toMatchObject({ reason: "repeat-other-identification", outputs: [] });
  expect(stateAfter(debit(), otherName, verdict(), otherName).last.outputs.map(shortName)).toEqual(["send:Y"]);
  expect(stateAfter(...rejectedSteps, otherName).last.outputs.map(shortName)).toEqual(["send:Y"]);
});

test("a report sent once more names the state whose report it repeats, or the end of a debit that has ended [D4 otherwise-equal]", () => {
  expect(stateAfter(...heldSteps, otherName).last.outputs).toMatchObject([{ form: "report-again", state: "ACCEPTED" }]);
  expect(stateAfter(...deliveredSteps, otherName).last.outputs).toMatchObject([{ form: "report-again", state: "ACCEPTED" }]);
  expect(stateAfter(...completedSteps, otherName).last.outputs).toMatchObject([{ form: "report-again", state: "COMPLETED" }]);
  expect(stateAfter(...heldSteps, withdrawal(), otherName).last.outputs).toMatchObject([{ form: "report-again", state: "RECONCILIATION" }]);
  expect(stateAfter(...rejectedSteps, ended("R"), otherName).last.outputs).toMatchObject([{ form: "report-again", state: "REJECTED" }]);
  expect(stateAfter(...heldSteps, otherContent).last.outputs).toMatchObject([{ form: "duplicate-refused", state: "HELD" }]);
});

test("a message with the identification of a delivery that was stopped again does not count as answered", () => {
  const sameName = debit({ message: identity(`${hex}A`, "c9") });
  expect(stateAfter(...heldSteps, ended("A", "refused"), sameName).last.outputs.map(shortName)).toEqual(["send:X"]);
});

test("a message with other content gets RJCT AM05 with a key and deadline of its own, without a state, event or stage version [D4 AM05]", () => {
  const { last, states, transaction } = stateAfter(...heldSteps, otherContent);
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

test("a message from another sender gets AM05 to that sender, although identification and content are equal [D4.1] [D4.2]", () => {
  const { last } = stateAfter(...heldSteps, debit({ message: identity("M1", "c1", "bank-b") }));
  expect(last.outputs).toMatchObject([{ form: "duplicate-refused", receiver: "bank-b", about: "M1" }]);
});

test("I3: a message that was answered is not answered again", () => {
  expect(stateAfter(...acceptedSteps, otherName, otherName).last).toMatchObject({ reason: "repeat", outputs: [] });
  expect(stateAfter(...acceptedSteps, otherContent, otherContent).last).toMatchObject({ reason: "repeat", outputs: [] });
  const fromOther = debit({ message: identity("M3", "c3", "bank-b") });
  expect(stateAfter(...acceptedSteps, otherContent, fromOther).last.outputs.map(shortName)).toEqual(["send:X"]);
});

const many = Array.from({ length: 25 }, (_, index) => debit({ message: identity(`N${index}`, `n${index}`) }));

test("every refused duplicate is answered, however many there are, each once [D4 AM05]", () => {
  const { outcomes } = runSteps([...acceptedSteps, ...many]);
  const answers = outcomes.slice(acceptedSteps.length).flatMap(({ outputs }) => outputs);
  expect(answers).toMatchObject(many.map(({ message }) => ({ form: "duplicate-refused", about: message.messageIdentification })));
  expect(new Set(answers.map((answer) => "messageIdentification" in answer && answer.messageIdentification)).size).toBe(many.length);
});

test("I15: of the answers the newest seven are kept; all further messages are counted", () => {
  const { transaction } = stateAfter(...acceptedSteps, ...many);
  expect(transaction.notices.map(({ about }) => about)).toEqual(
    many.slice(-answerNoticesMax).map(({ message }) => message.messageIdentification),
  );
  expect(transaction.observations.count).toBe(25);
  expect(transaction.observations.last).toHaveLength(observationsKept);
  expect(transaction.observations.last.at(-1)).toMatchObject({ messageIdentification: "N24", kind: "duplicate-refused" });
});

test("I3: a replay of a refused duplicate gives its first answer again, also if the transaction no longer keeps it", () => {
  const equal = debit({ message: identity("M2", "c1"), closesAtMs: 777 });
  const { outcomes, transaction, partition } = runSteps([...acceptedSteps, equal, ...many, debit()]);
  for (const { fact, position, outputs } of outcomes) {
    expect(decide(uetr, transaction, fact, position, partition, digest)).toMatchObject({ decision: "replayed", outputs });
  }
});

test("I3: a repeat of a duplicate whose answer is no longer kept is answered again, under the same identification", () => {
  const { outcomes } = runSteps([...acceptedSteps, ...many, ...many.slice(0, 1)]);
  const [first, again] = [outcomes[acceptedSteps.length], outcomes.at(-1)].map((outcome) => outcome?.outputs[0]);
  expect(again).toMatchObject({ form: "duplicate-refused", about: "N0" });
  expect(again).toHaveProperty(
    "messageIdentification",
    first !== undefined && "messageIdentification" in first ? first.messageIdentification : "",
  );
});

test("answers take no place from redrives, and redrives none from answers", () => {
  const redrives = Array.from({ length: 30 }, (_, index) => redrive(`${hex}D`, `r${index}`));
  const refused = [...releasedSteps, ended("D", "refused")];
  expect(stateAfter(...refused, ...many, ...redrives.slice(0, 1)).last.outputs.map(shortName)).toEqual(["redrive:D"]);
  expect(stateAfter(...refused, ...redrives, otherContent).last.outputs.map(shortName)).toEqual(["send:X"]);
});

test("the end of an answer that the transaction no longer keeps changes nothing", () => {
  const first = answerIdentification("duplicate-refused", "bank-a", "outboundDirectDebit", uetr, "N0", digest);
  const last = stateAfter(...acceptedSteps, ...many, { ...ended("A"), messageIdentification: first }).last;
  expect(last).toMatchObject({ decision: "ignored", reason: "delivery-finished", outputs: [] });
});

test("the end of a delivery that answered a duplicate changes nothing", () => {
  const about = {
    ...ended("A"),
    messageIdentification: answerIdentification("duplicate-refused", "bank-a", "outboundDirectDebit", uetr, "M3", digest),
  };
  expect(stateAfter(...acceptedSteps, otherContent, about).last).toMatchObject({ decision: "ignored", outputs: [] });
});

test("a report in RELEASED proves the delivery: DELIVERED, then COMPLETED or UNPAID, and the delivery stops [D4 in-RELEASED]", () => {
  expect(stateAfter(...releasedSteps, report()).last.outputs.map(shortName)).toEqual(["DELIVERED", "stop:D", "COMPLETED"]);
  expect(stateAfter(...releasedSteps, report("not-made")).last.outputs.map(shortName)).toEqual(["DELIVERED", "stop:D", "UNPAID"]);
  const { transaction } = stateAfter(...releasedSteps, report());
  expect(transaction.transitions.at(-2)).toMatchObject({ state: "DELIVERED", httpStatusCode: null, messageIdentification: `${hex}D` });
  expect(transaction.transitions.at(-1)).toMatchObject({ state: "COMPLETED", httpStatusCode: 202, messageIdentification: "R-made" });
  expect(transaction).toMatchObject({ finalOutcome: "made", finalReport: identity("R-made") });
});

test("answers to the delivery after the report change nothing", () => {
  for (const outcome of ["acknowledged", "stopped"] as const) {
    expect(stateAfter(...releasedSteps, report(), ended("D", outcome)).last).toMatchObject({ decision: "ignored", outputs: [] });
  }
});

test("a delivery that is declined when the transaction no longer waits for it is stopped again, and the answer to that ends it", () => {
  expect(stateAfter(...releasedSteps, report(), ended("D", "refused")).last.outputs.map(shortName)).toEqual(["stop:D"]);
  expect(stateAfter(...heldSteps, ended("A", "refused")).last.outputs.map(shortName)).toEqual(["stop:A"]);
  expect(stateAfter(...releasedSteps, report(), ended("D", "refused"), ended("D", "stopped")).last.outputs).toEqual([]);
});

test("a report before the release is recorded as early and never applied, not even when it is repeated after the release [D4 before-release]", () => {
  for (const given of [[debit()], acceptedSteps, heldSteps])
    expect(stateAfter(...given, report()).last).toMatchObject({ reason: "report-early", outputs: [] });
  const { last, states } = stateAfter(...heldSteps, report(), ...releasedSteps.slice(heldSteps.length), ended("D"), report());
  expect(last).toMatchObject({ reason: "report-repeat", outputs: [] });
  expect(states.at(-1)).toBe("DELIVERED");
});

test("an early report that is no longer among the last ten messages without effect is judged as a new one [D4 before-release]", () => {
  for (const [repeats, state] of [
    [9, "DELIVERED"],
    [10, "COMPLETED"],
  ] as const) {
    const between = Array.from({ length: repeats }, () => debit());
    const { states } = stateAfter(...heldSteps, report(), ...between, ...releasedSteps.slice(heldSteps.length), ended("D"), report());
    expect(states.at(-1)).toBe(state);
  }
});

test("a report with a wrong original identification is applied, with a warning [D4 originalMessageIdentifiers]", () => {
  const { last, transaction } = stateAfter(...deliveredSteps, report("made", { originalMessageIdentification: "M1" }));
  expect(last).toMatchObject({ decision: "applied", reason: "report-original-differs" });
  expect(transaction).toMatchObject({ state: "COMPLETED", observations: { last: [{ kind: "report-original-differs" }] } });
});

test("a second report is a repeat with the same identity or outcome, a conflict with other content, contradicting with another outcome [D4 second-report]", () => {
  expect(stateAfter(...completedSteps, report()).last).toMatchObject({ reason: "report-repeat", outputs: [] });
  expect(stateAfter(...completedSteps, report("made", { message: identity("R9") })).last).toMatchObject({
    reason: "report-repeat",
    outputs: [],
  });
  const sameName = { message: { ...identity("R-made"), contentHash: "other" } };
  expect(stateAfter(...completedSteps, report("not-made", sameName)).last).toMatchObject({ reason: "conflict", outputs: [] });
  expect(stateAfter(...completedSteps, report("not-made")).last).toMatchObject({ reason: "report-contradicting", outputs: [] });
  expect(stateAfter(...rejectedSteps, ended("R"), report()).last).toMatchObject({ reason: "report-contradicting", outputs: [] });
});

test("a report from a bank that is not the debit's is foreign at every moment, before the verdict too [D4 foreign]", () => {
  const foreign = report("made", { message: identity("R1", "c1", "bank-b") });
  for (const given of [[debit()], acceptedSteps, heldSteps, releasedSteps, deliveredSteps, completedSteps]) {
    expect(stateAfter(...given, foreign).last).toMatchObject({ decision: "recorded", reason: "report-foreign", outputs: [] });
  }
});

test("a report for an unknown UETR is kept as an orphan; a later debit starts as usual and the report is not applied [D4 orphan]", () => {
  const { transaction, outcomes } = runSteps([report()]);
  expect(transaction).toMatchObject({ state: "ORPHAN", message: null, transitions: [], version: 1 });
  expect(outcomes).toMatchObject([{ decision: "recorded", reason: "report-orphan", outputs: [] }]);
  const later = stateAfter(report(), ...deliveredSteps, report());
  expect(later.states.at(-1)).toBe("DELIVERED");
  expect(later.last).toMatchObject({ reason: "report-repeat" });
  expect(later.transaction.observations.last[0]).toMatchObject({ kind: "report-orphan" });
});

test("a PDNG is recorded and not final: it proves the delivery in RELEASED, and is the cause at a close in DELIVERED", () => {
  expect(stateAfter(...releasedSteps, report("pending")).last.outputs.map(shortName)).toEqual(["DELIVERED", "stop:D"]);
  const { last, transaction } = stateAfter(...deliveredSteps, report("pending"));
  expect(last).toMatchObject({ decision: "recorded", reason: "report-pending", outputs: [] });
  expect(transaction.pendingAtMs).not.toBeNull();
  expect(stateAfter(...deliveredSteps, report("pending"), report()).states.at(-1)).toBe("COMPLETED");
  const sameName = report("made", { message: { ...identity("R-pending"), contentHash: "other" } });
  expect(stateAfter(...deliveredSteps, report("pending"), sameName).last).toMatchObject({ reason: "conflict", outputs: [] });
});
