import { expect, test } from "vitest";
import { eventOutputFor, sourcesFor } from "../messages/render/sample-bodies.ts";
import { accountVerified, buildMessageSources, receivedOnUs, receivedReportOn } from "../messages/render/outputs.fixture.ts";
import { stateEnteredRecord } from "./state-entered.ts";

const options = { bank: "first", journalPartition: 3 };

test("an entry has the transaction's columns: who, how much, when, and where in the journal [D10.70]", () => {
  const output = eventOutputFor("on-us", "HELD");
  const { value } = stateEnteredRecord(output, sourcesFor("on-us", "HELD"), options);
  expect(value).toMatchObject({ id: output.id, state: "HELD", flow: "on-us", bank: "first", businessDate: output.businessDate });
  expect(value).toMatchObject({ journalPartition: 3, journalOffset: output.causedByOffset, carryOvers: output.carryOvers });
  expect([typeof value.amount, value.currency]).toEqual(["bigint", "ZAR"]);
});

test("of a refusal the codes of the verdict are kept, and none of its texts [D10.71]", () => {
  const reasons = [
    { code: "AC02", text: "za-cdv/1 check-digit of 62001872440" },
    { code: "AC02", text: "again" },
    { code: "AG01", text: "other" },
  ];
  const sources = buildMessageSources({ verdict: accountVerified("REFUSED", reasons) });
  const { value } = stateEnteredRecord(eventOutputFor("on-us", "REJECTED"), sources, options);
  expect(value.reasonCodes).toEqual(["AC02", "AG01"]);
  expect(JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? String(member) : member))).not.toContain(
    "62001872440",
  );
});

test("of a bank's final report ISO codes are kept; what it wrote itself is left out [D10.71]", () => {
  const reasonInfo = [
    { reason: { schema: "CODE", value: "AM04" }, additionalInformation: "Ask T Mokoena." },
    { reason: { schema: "PROPRIETARY", value: "T Mokoena" } },
  ];
  const finalReport = receivedReportOn(receivedOnUs(), { code: "RJCT", reasonInfo });
  const sources = buildMessageSources({ verdict: accountVerified("ACCEPTED"), finalReport });
  const unpaid = stateEnteredRecord(eventOutputFor("on-us", "UNPAID"), sources, options).value;
  expect(unpaid.reasonCodes).toEqual(["AM04"]);
});

test("I6: an entry that is made again when more is known is the same", () => {
  const early = buildMessageSources();
  const verdict = accountVerified("REFUSED", [{ code: "AC02", text: "t" }]);
  const late = buildMessageSources({ verdict, finalReport: receivedReportOn(receivedOnUs(), { code: "RJCT" }) });
  const output = eventOutputFor("on-us", "RECEIVED");
  expect(stateEnteredRecord(output, late, options)).toEqual(stateEnteredRecord(output, early, options));
});
