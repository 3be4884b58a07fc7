// Every address that ingress serves × everybody who might call it. The addresses come from the table of what is served, so a new one
// without a line here fails.

import { servedOperations } from "@sluice/contracts";
import { bodyOf, creditsFinal, creditTransfer, directDebit, offUsDebit, statusReport, type JsonObject } from "@sluice/testkit";
import { sampleScheme } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { as, givenIngress, post, sampleParties } from "./given.ts";

const callers = {
  "a bank as itself": as("first"),
  "a bank for another": as("second"),
  "a connector of the scheme": as("clearing"),
  "a connector of another scheme": as("rapid"),
  "an unknown token": { authorization: "Bearer of-nobody" },
  "no token": { authorization: undefined },
} as const;
type CallerName = keyof typeof callers;

interface Row {
  /** What the first bank would send, or the connector of the scheme. */
  readonly message: JsonObject;
  readonly answers: Readonly<Record<CallerName, number>>;
}

const nobody = { "an unknown token": 401, "no token": 401 } as const;
const banksOnly = { "a connector of the scheme": 403, "a connector of another scheme": 403, ...nobody } as const;
const connectorsOnly = { "a bank as itself": 403, "a bank for another": 403, ...nobody } as const;
const ofItsScheme = { "a connector of the scheme": 202, "a connector of another scheme": 403, ...connectorsOnly } as const;

/** A report is taken from any bank: whether the transaction is its own, the scheduler judges in the order of the journal. */
const fromAnyBank = { "a bank as itself": 202, "a bank for another": 202, ...banksOnly } as const;

const rows: Readonly<Record<string, Row>> = {
  outboundDirectDebit: { message: directDebit(), answers: { "a bank as itself": 202, "a bank for another": 403, ...banksOnly } },
  inboundDirectDebitResponse: { message: statusReport(), answers: fromAnyBank },
  inboundCreditTransferAuthorizationResponse: { message: statusReport(), answers: fromAnyBank },
  // A bank declares for itself alone: there is no member by which it could for another.
  creditsFinal: { message: creditsFinal(), answers: { "a bank as itself": 202, "a bank for another": 202, ...banksOnly } },
  schemeInboundDirectDebit: { message: offUsDebit(), answers: ofItsScheme },
  schemeInboundCreditTransferAuthorization: { message: creditTransfer(), answers: ofItsScheme },
  schemeCreditsFinal: { message: creditsFinal(), answers: ofItsScheme },
};

const routes = servedOperations.filter(({ service }) => service === "ingress");
const cases = routes.flatMap(({ name, paths }) =>
  paths.flatMap((path) => Object.keys(callers).map((caller) => ({ name, path, caller, expected: answerOf(name, caller) }))),
);

function answerOf(name: string, caller: string): number {
  return Object.entries(rows[name]?.answers ?? {}).find(([known]) => known === caller)?.[1] ?? Number.NaN;
}

describe("who may send what", () => {
  it("is said for every address that is served", () => {
    expect(Object.keys(rows).toSorted()).toEqual(routes.map(({ name }) => name).toSorted());
    expect(cases.length).toBeGreaterThanOrEqual(54);
  });

  it.each(cases)("$path from $caller: $expected [D10 caller]", async ({ name, path, caller, expected }) => {
    const declarer = name === "creditsFinal" ? "bank" : "connector";
    const schemes = sampleParties.schemes.map((scheme) => (scheme.id === "ZA_EFT" ? sampleScheme({ creditsFinal: declarer }) : scheme));
    const { requested, journal } = await givenIngress({ ...sampleParties, schemes });
    const headers = Object.entries(callers).find(([known]) => known === caller)?.[1] ?? {};
    const response = await requested(path, post(bodyOf(rows[name]?.message ?? {}), headers));
    expect([response.status, journal().length]).toEqual([expected, expected === 202 ? 1 : 0]);
    expect(response.headers.get("www-authenticate")).toBe(expected === 401 ? "Bearer" : null);
    expect(response.headers.get("connection")).toBe(expected === 401 ? "close" : null);
  });
});

describe("a bank that acts for another", () => {
  it.each(["second", "first"])("declares credits final for itself alone: %s", async (bank) => {
    const schemes = [sampleScheme({ creditsFinal: "bank" })];
    const { requested, journal } = await givenIngress({ ...sampleParties, schemes });
    await requested("/transactions/credits-final", post(bodyOf(creditsFinal()), as(bank)));
    expect(journal()).toMatchObject([{ decoded: { value: { bank, requestedBy: bank } } }]);
  });

  it("is named as the sender of its report, whatever the report says", async () => {
    const { requested, journal } = await givenIngress();
    await requested("/inbound/direct-debit-response", post(bodyOf(statusReport()), as("second")));
    expect(journal()).toMatchObject([{ decoded: { value: { sender: "second" } } }]);
  });
});
