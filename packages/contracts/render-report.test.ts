import type { Flow, MessageForm, State } from "@sluice/domain";
import { describe, expect, test } from "vitest";
import { dispatchOf, further, sourcesOf } from "./given-bodies.ts";
import { changed, exactText, isObject, memberAt, parsed } from "./given-json.ts";
import { received, receivedCredit, reportedOn, verified } from "./given-outputs.ts";
import type { Json } from "./json.ts";
import { uetrOf } from "./received-message.ts";
import { renderDispatchBody } from "./render-message.ts";
import type { MessageSources } from "./render-message.ts";
import { dispatchRecord } from "./to-wire.ts";

function report(flow: Flow, form: MessageForm, state: State, change: Partial<MessageSources> = {}): Json {
  const answered = form === "duplicate-refused" || form === "report-again" ? further(flow) : null;
  return parsed(renderDispatchBody(dispatchOf(flow, form, state), { ...sourcesOf(flow, state), answered, ...change }));
}

function statusOf(json: Json): string {
  const reasons = memberAt(json, "status", "reasonInfo");
  const codes = Array.isArray(reasons) ? reasons.map((one) => exactText(memberAt(one, "reason", "value") ?? "none")) : [];
  return [memberAt(json, "status", "code"), memberAt(json, "status", "outcome"), ...codes]
    .map((part) => exactText(part ?? "none"))
    .join(" ");
}

const bare = (text: string): string => text.replaceAll(/[\\"]/g, "");

describe("what a connector is told, by the state that was entered", () => {
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
    expect(bare(statusOf(body))).toBe(said);
    const sent = sourcesOf(flow, state).received;
    expect(memberAt(body, "messageIdentifiers", "messageIdentification")).toBe(`${uetrOf(sent).replaceAll("-", "")}O1`);
  });

  test.each<[Json, string]>([
    [{ code: "ACCP" }, "ACCP APPROVED"],
    [{ outcome: "APPROVED" }, "ACSC APPROVED"],
    [{ outcome: "REJECTED" }, "RJCT REJECTED MS03"],
    [{ code: "CANC" }, "CANC CANCELLED MS03"],
    [{ outcome: "CANCELLED", reasonInfo: [{ reason: { schema: "CODE", value: "AC04" } }] }, "CANC CANCELLED AC04"],
  ])("the bank's %j is passed on as %s", (status, said) => {
    const finalReport = reportedOn(received(), status);
    for (const [flow, state] of [
      ["off-us", "COMPLETED"],
      ["credit", "CREDIT_AUTH_RESPONSE_ACCEPTED"],
    ] as const) {
      expect(bare(statusOf(report(flow, "outcome-report", state, { finalReport })))).toBe(said);
    }
  });

  test("a state in which nothing is told is our mistake", () => {
    expect(() => report("off-us", "outcome-report", "HELD")).toThrow("no outcome is told in HELD");
  });
});

describe("what the initiating side of an on-us debit is told at its end, where it wants to be", () => {
  test.each<[State, Json, string]>([
    ["COMPLETED", { code: "ACCP" }, "ACSC APPROVED"],
    ["UNPAID", { code: "CANC" }, "RJCT REJECTED MS03"],
    ["UNPAID", { code: "RJCT", reasonInfo: [{ reason: { schema: "CODE", value: "AM04" } }] }, "RJCT REJECTED AM04"],
  ])("%s after %j: %s", (state, status, said) => {
    const body = report("on-us", "on-us-outcome", state, { finalReport: reportedOn(received(), status) });
    expect(bare(statusOf(body))).toBe(said);
    expect(memberAt(body, "originalMessageIdentifiers", "messageIdentification")).toBe("ACME-20261120-000001");
  });
});

describe("what a connector is told once people have found out what became of its debit or credit [D9 resolution]", () => {
  const cases = (["off-us", "credit"] as const).flatMap((flow) => [
    { flow, resolution: "made" as const, said: "ACSC APPROVED" },
    { flow, resolution: "not-made" as const, said: "RJCT REJECTED NARR" },
    { flow, resolution: "replaced" as const, said: "RJCT REJECTED NARR" },
  ]);

  test.each(cases)("$flow, $resolution: $said, also where its report is sent once more", ({ flow, resolution, said }) => {
    const state = flow === "credit" ? "CREDIT_AUTH_RECONCILIATION" : "RECONCILIATION";
    // Neither a verdict that refused nor a final report is needed for it.
    const sources = { ...sourcesOf(flow, state), verdict: verified("ACCEPTED"), finalReport: null, answered: further(flow) };
    for (const form of ["resolution-outcome", "report-again"] as const) {
      const body = parsed(renderDispatchBody({ ...dispatchOf(flow, form, state), resolution }, sources));
      expect(bare(statusOf(body))).toBe(said);
      expect(isObject(memberAt(body, "originalTransactionData"))).toBe(true);
    }
  });

  test("a resolution that is not final is told to nobody: asked to, that is our mistake", () => {
    const output = { ...dispatchOf("off-us", "resolution-outcome", "RECONCILIATION"), resolution: null };
    expect(() => renderDispatchBody(output, sourcesOf("off-us", "RECONCILIATION"))).toThrow("once it is final");
  });
});

describe("further messages under one UETR, in every flow", () => {
  test.each<[Flow, State]>([
    ["on-us", "HELD"],
    ["off-us", "HELD"],
    ["credit", "CREDIT_AUTH_DELIVERED"],
  ])("%s: AM05 speaks of the refused message [D4 duplicate-refused]", (flow, state) => {
    const body = report(flow, "duplicate-refused", state);
    expect(bare(statusOf(body))).toBe("RJCT REJECTED AM05");
    expect(memberAt(body, "originalMessageIdentifiers", "messageIdentification")).toBe("SECOND-1");
  });

  test("a credit under a debit's UETR is refused as the credit that it is, and the other way", () => {
    const debit = report("credit", "duplicate-refused", "CREDIT_AUTH_DELIVERED", { answered: received() });
    expect(memberAt(debit, "originalTransactionData", "paymentMethod")).toBe("DirectDebit");
    expect(memberAt(debit, "originalTransactionData", "debtorAccount", "identification", "value")).toBe("62005551230");
    const credit = report("on-us", "duplicate-refused", "HELD", { answered: receivedCredit() });
    expect(memberAt(credit, "originalTransactionData", "paymentMethod")).toBe("CreditTransfer");
    expect(exactText(memberAt(credit, "originalTransactionData", "amounts") ?? null)).toBe(
      '{"bankSettlementAmount":{"currency":"ZAR","value":18500.00}}',
    );
  });

  test.each<[Flow, State, string]>([
    ["on-us", "HELD", "ACCP APPROVED"],
    ["on-us", "REJECTED", "RJCT REJECTED AC02"],
    ["off-us", "COMPLETED", "ACSC APPROVED"],
    ["off-us", "UNPAID", "RJCT REJECTED AM04"],
    ["off-us", "REJECTION_REPORTED", "RJCT REJECTED AC02"],
    ["credit", "CREDIT_AUTH_RECONCILIATION", "PDNG PENDING"],
    ["credit", "CREDIT_AUTH_RESPONSE_ACCEPTED", "ACSC APPROVED"],
  ])("%s in %s: a report sent once more says %s again, and names the message that asked", (flow, state, said) => {
    const body = report(flow, "report-again", state);
    expect(bare(statusOf(body))).toBe(said);
    expect(memberAt(body, "originalMessageIdentifiers", "messageIdentification")).toBe("SECOND-1");
  });
});

test("every report that Sluice makes carries both agents and the key elements of the original [2.6 instructedAgent] [2.6 instructingAgent] [2.6 originalTransactionData]", () => {
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
    for (const name of ["instructedAgent", "instructingAgent", "originalTransactionData"])
      expect(isObject(memberAt(body, name))).toBe(true);
    expect(exactText(body)).not.toMatch(/Mokoena|Dlamini|Karoo|Drakensberg|Gym"/);
  }
});

test("of a credit the agents are the debtor's and the creditor's where the message names no others", () => {
  const body = report("credit", "outcome-report", "CREDIT_AUTH_REJECTED");
  expect(memberAt(body, "instructingAgent", "memberId")).toBe("632005");
  expect(memberAt(body, "instructedAgent", "memberId")).toBe("250655");
  const instructed = receivedCredit((one) => changed(one, ["instructedAgent"], { bicfi: "FIRNZAJJ" }));
  expect(memberAt(report("credit", "outcome-report", "CREDIT_AUTH_REJECTED", { received: instructed }), "instructedAgent", "bicfi")).toBe(
    "FIRNZAJJ",
  );
});

test("a dispatch carries the operation, the receiver and the own times that the domain gave it", () => {
  const output = { ...dispatchOf("credit", "inbound-credit", "CREDIT_AUTH_DELIVERY_PENDING"), stopsAtMs: 77 };
  const { value } = dispatchRecord(output, sourcesOf("credit", "CREDIT_AUTH_DELIVERY_PENDING"));
  expect(value).toMatchObject({
    uetr: "2c9d4e61-0b7f-4e3a-9f58-71d2c6a4b803",
    bank: "first",
    operation: "inboundCreditTransferAuthorization",
    closesWith: null,
    deadlineMs: null,
    stopsAtMs: 77,
  });
});

test("a rejection without a verdict that refused is our mistake", () => {
  expect(() => report("off-us", "outcome-report", "REJECTED", { verdict: verified("ACCEPTED") })).toThrow("a verdict that refused");
});
