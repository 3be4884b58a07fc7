import type { Flow, MessageForm, State } from "@sluice/domain";
import { describe, expect, test } from "vitest";
import { dispatchOutputFor, furtherMessage, sourcesFor } from "./sample-bodies.ts";
import { changeMember, sortedJsonText, isObject, jsonAt, parseSample } from "../json/json.fixture.ts";
import { receivedOnUs, receivedCredit, receivedReportOn, accountVerified } from "./outputs.fixture.ts";
import type { Json } from "../json/json.ts";
import { uetrFromRecord } from "../../wire/payment-received.ts";
import type { MessageSources } from "./message-sources.ts";
import { renderDispatchBody } from "./render-message.ts";
import { dispatchRecord } from "../../wire/to-wire.ts";

function report(flow: Flow, form: MessageForm, state: State, change: Partial<MessageSources> = {}): Json {
  const answered = form === "duplicate-refused" || form === "report-again" ? furtherMessage(flow) : null;
  return parseSample(renderDispatchBody(dispatchOutputFor(flow, form, state), { ...sourcesFor(flow, state), answered, ...change }));
}

function readStatus(json: Json): string {
  const reasons = jsonAt(json, "status", "reasonInfo");
  const codes = Array.isArray(reasons) ? reasons.map((one) => sortedJsonText(jsonAt(one, "reason", "value") ?? "none")) : [];
  return [jsonAt(json, "status", "code"), jsonAt(json, "status", "outcome"), ...codes]
    .map((part) => sortedJsonText(part ?? "none"))
    .join(" ");
}

const bare = (text: string): string => text.replaceAll(/[\\"]/g, "");

describe("a connector's outcome report follows from the state that was entered", () => {
  test.each<[Flow, State, string]>([
    ["off-us", "COMPLETED", "ACSC APPROVED"],
    ["off-us", "UNPAID", "RJCT REJECTED AM04"],
    ["off-us", "REJECTED", "RJCT REJECTED AC02"],
    ["credit", "CREDIT_AUTH_REJECTED", "RJCT REJECTED AC02"],
    ["credit", "CREDIT_AUTH_DELIVERY_FAILURE", "RJCT REJECTED MS03"],
    ["credit", "CREDIT_AUTH_RECONCILIATION", "PDNG PENDING"],
    ["credit", "CREDIT_AUTH_RESPONSE_ACCEPTED", "ACSC APPROVED"],
  ])("%s in %s: %s", (flow, state, said) => {
    const body = report(flow, "outcome-report", state);
    expect(bare(readStatus(body))).toBe(said);
    const sent = sourcesFor(flow, state).received;
    expect(jsonAt(body, "messageIdentifiers", "messageIdentification")).toBe(`${uetrFromRecord(sent).replaceAll("-", "")}O1`);
  });

  test.each<[Json, string]>([
    [{ code: "ACSC" }, "ACSC APPROVED"],
    [{ outcome: "APPROVED" }, "ACSC APPROVED"],
    [{ outcome: "REJECTED" }, "RJCT REJECTED MS03"],
    [{ code: "CANC" }, "CANC CANCELLED MS03"],
    [{ outcome: "CANCELLED", reasonInfo: [{ reason: { schema: "CODE", value: "AC04" } }] }, "CANC CANCELLED AC04"],
  ])("the bank's %j is passed on as %s", (status, said) => {
    const finalReport = receivedReportOn(receivedOnUs(), status);
    for (const [flow, state] of [
      ["off-us", "COMPLETED"],
      ["credit", "CREDIT_AUTH_RESPONSE_ACCEPTED"],
    ] as const) {
      expect(bare(readStatus(report(flow, "outcome-report", state, { finalReport })))).toBe(said);
    }
  });

  test.each(["ACCP", "ACSP", "ACCC"])(
    "the bank's %s is reported as ACSC, and its own code in words [D6 ACSC] [D6 ACSP] [D6 ACCC]",
    (code) => {
      const finalReport = receivedReportOn(receivedOnUs(), { code });
      for (const [flow, state] of [
        ["off-us", "COMPLETED"],
        ["credit", "CREDIT_AUTH_RESPONSE_ACCEPTED"],
      ] as const) {
        const status = jsonAt(report(flow, "outcome-report", state, { finalReport }), "status");
        expect(status).toEqual({
          code: "ACSC",
          outcome: "APPROVED",
          reasonInfo: [{ additionalInformation: `the bank's code: ${code}` }],
        });
      }
    },
  );

  test("an outcome report for a state without one is a programming error", () => {
    expect(() => report("off-us", "outcome-report", "HELD")).toThrow("no outcome is reported in HELD");
  });
});

describe("the initiating side of an on-us debit gets the outcome at its end, where it wants the report", () => {
  test.each<[State, Json, string]>([
    ["COMPLETED", { code: "ACCP" }, "ACSC APPROVED"],
    ["UNPAID", { code: "CANC" }, "RJCT REJECTED MS03"],
    ["UNPAID", { code: "RJCT", reasonInfo: [{ reason: { schema: "CODE", value: "AM04" } }] }, "RJCT REJECTED AM04"],
  ])("%s after %j: %s", (state, status, said) => {
    const body = report("on-us", "on-us-outcome", state, { finalReport: receivedReportOn(receivedOnUs(), status) });
    expect(bare(readStatus(body))).toBe(said);
    expect(jsonAt(body, "originalMessageIdentifiers", "messageIdentification")).toBe("ACME-20261120-000001");
  });
});

describe("a connector gets the resolution of an item of its debit or credit [D9 resolution] [D6 NARR]", () => {
  const cases = (["off-us", "credit"] as const).flatMap((flow) => [
    { flow, resolution: "made" as const, said: "ACSC APPROVED" },
    { flow, resolution: "not-made" as const, said: "RJCT REJECTED NARR" },
    { flow, resolution: "replaced" as const, said: "RJCT REJECTED NARR" },
  ]);

  test.each(cases)("$flow, $resolution: $said, also where its report is sent once more", ({ flow, resolution, said }) => {
    const state = flow === "credit" ? "CREDIT_AUTH_RECONCILIATION" : "RECONCILIATION";
    // The report needs neither a verdict that refused nor a final report.
    const sources = { ...sourcesFor(flow, state), verdict: accountVerified("ACCEPTED"), finalReport: null, answered: furtherMessage(flow) };
    for (const form of ["resolution-outcome", "report-again"] as const) {
      const body = parseSample(renderDispatchBody({ ...dispatchOutputFor(flow, form, state), resolution }, sources));
      expect(bare(readStatus(body))).toBe(said);
      expect(isObject(jsonAt(body, "originalTransactionData"))).toBe(true);
    }
  });

  test("a resolution that is not final is reported to nobody: rendering it is a programming error", () => {
    const output = { ...dispatchOutputFor("off-us", "resolution-outcome", "RECONCILIATION"), resolution: null };
    expect(() => renderDispatchBody(output, sourcesFor("off-us", "RECONCILIATION"))).toThrow("once it is final");
  });
});

describe("further messages under one UETR are answered in every flow", () => {
  test.each<[Flow, State]>([
    ["on-us", "HELD"],
    ["off-us", "HELD"],
    ["credit", "CREDIT_AUTH_DELIVERED"],
  ])("%s: AM05 speaks of the refused message [D4 duplicate-refused]", (flow, state) => {
    const body = report(flow, "duplicate-refused", state);
    expect(bare(readStatus(body))).toBe("RJCT REJECTED AM05");
    expect(jsonAt(body, "originalMessageIdentifiers", "messageIdentification")).toBe("SECOND-1");
  });

  test("a credit under a debit's UETR is refused as the credit that it is, and a debit under a credit's as a debit", () => {
    const debit = report("credit", "duplicate-refused", "CREDIT_AUTH_DELIVERED", { answered: receivedOnUs() });
    expect(jsonAt(debit, "originalTransactionData", "paymentMethod")).toBe("DirectDebit");
    expect(jsonAt(debit, "originalTransactionData", "debtorAccount", "identification", "value")).toBe("62005551230");
    const credit = report("on-us", "duplicate-refused", "HELD", { answered: receivedCredit() });
    expect(jsonAt(credit, "originalTransactionData", "paymentMethod")).toBe("CreditTransfer");
    expect(sortedJsonText(jsonAt(credit, "originalTransactionData", "amounts") ?? null)).toBe(
      '{"bankSettlementAmount":{"currency":"ZAR","value":18500.00}}',
    );
  });

  test.each<[Flow, State, string]>([
    ["on-us", "HELD", "ACCP APPROVED"],
    ["on-us", "REJECTED", "RJCT REJECTED AC02"],
    ["on-us", "COMPLETED", "ACSC APPROVED"],
    ["on-us", "UNPAID", "RJCT REJECTED AM04"],
    ["on-us", "RECONCILIATION", "PDNG PENDING NARR"],
    ["off-us", "COMPLETED", "ACSC APPROVED"],
    ["off-us", "UNPAID", "RJCT REJECTED AM04"],
    ["off-us", "REJECTION_REPORTED", "RJCT REJECTED AC02"],
    ["credit", "CREDIT_AUTH_RECONCILIATION", "PDNG PENDING"],
    ["credit", "CREDIT_AUTH_RESPONSE_ACCEPTED", "ACSC APPROVED"],
  ])("%s in %s: a repeated report says %s again and names the message that asked for it", (flow, state, said) => {
    const body = report(flow, "report-again", state);
    expect(bare(readStatus(body))).toBe(said);
    expect(jsonAt(body, "originalMessageIdentifiers", "messageIdentification")).toBe("SECOND-1");
  });
});

test("every report that Sluice makes carries both agents and the key elements of the original [2.6 instructedAgent] [2.6 instructingAgent] [2.6 originalTransactionData] [D6.2]", () => {
  const reports = [
    report("on-us", "report-accepted", "ACCEPTED"),
    report("on-us", "report-rejected", "REJECTED"),
    report("on-us", "on-us-outcome", "COMPLETED"),
    report("off-us", "outcome-report", "COMPLETED"),
    report("credit", "outcome-report", "CREDIT_AUTH_RECONCILIATION"),
    report("credit", "duplicate-refused", "CREDIT_AUTH_DELIVERED"),
    report("off-us", "report-again", "UNPAID"),
  ];
  for (const body of reports) {
    for (const name of ["instructedAgent", "instructingAgent", "originalTransactionData"]) expect(isObject(jsonAt(body, name))).toBe(true);
    expect(sortedJsonText(body)).not.toMatch(/Mokoena|Dlamini|Karoo|Drakensberg|Gym"/);
  }
});

test("a credit's agents are the debtor's and the creditor's where the message names no others", () => {
  const body = report("credit", "outcome-report", "CREDIT_AUTH_REJECTED");
  expect(jsonAt(body, "instructingAgent", "memberId")).toBe("632005");
  expect(jsonAt(body, "instructedAgent", "memberId")).toBe("250655");
  const instructed = receivedCredit((one) => changeMember(one, ["instructedAgent"], { bicfi: "FIRNZAJJ" }));
  expect(jsonAt(report("credit", "outcome-report", "CREDIT_AUTH_REJECTED", { received: instructed }), "instructedAgent", "bicfi")).toBe(
    "FIRNZAJJ",
  );
});

test("a dispatch carries the operation, the receiver and the own times that the domain gave it", () => {
  const output = { ...dispatchOutputFor("credit", "inbound-credit", "CREDIT_AUTH_DELIVERY_PENDING"), stopsAtMs: 77 };
  const { value } = dispatchRecord(output, sourcesFor("credit", "CREDIT_AUTH_DELIVERY_PENDING"));
  expect(value).toMatchObject({
    uetr: "2c9d4e61-0b7f-4e3a-9f58-71d2c6a4b803",
    bank: "first",
    operation: "inboundCreditTransferAuthorization",
    reconciliationDay: null,
    deadlineMs: null,
    stopsAtMs: 77,
  });
});

test("a rejection without a verdict that refused is a programming error", () => {
  expect(() => report("off-us", "outcome-report", "REJECTED", { verdict: accountVerified("ACCEPTED") })).toThrow("a verdict that refused");
});
