// Every address that ingress serves, with every kind of caller. The addresses come from the table of what is served, so
// a new one without a line here fails.

import { servedOperations } from "@sluice/contracts";
import {
  buildCreditsFinal,
  buildCreditTransfer,
  buildDirectDebit,
  buildOffUsDebit,
  buildStatusReport,
  encodeBody,
  type MessageObject,
  sampleScheme,
} from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { authorizationFor, startTestIngress, postBody, sampleParties } from "../ingress.fixture.ts";

const callers = {
  "a bank as itself": authorizationFor("first"),
  "a bank for another": authorizationFor("second"),
  "a connector of the scheme": authorizationFor("clearing"),
  "a connector of another scheme": authorizationFor("rapid"),
  "an unknown token": { authorization: "Bearer of-nobody" },
  "no token": { authorization: undefined },
} as const;
type CallerName = keyof typeof callers;

interface Row {
  /** What the first bank would send, or the connector of the scheme. */
  readonly message: MessageObject;
  readonly answers: Readonly<Record<CallerName, number>>;
}

const nobody = { "an unknown token": 401, "no token": 401 } as const;
const banksOnly = { "a connector of the scheme": 403, "a connector of another scheme": 403, ...nobody } as const;
const connectorsOnly = { "a bank as itself": 403, "a bank for another": 403, ...nobody } as const;
const ofItsScheme = { "a connector of the scheme": 202, "a connector of another scheme": 403, ...connectorsOnly } as const;

/** Any bank may send a report: the scheduler decides in the order of the journal whether the transaction is its own. */
const fromAnyBank = { "a bank as itself": 202, "a bank for another": 202, ...banksOnly } as const;

const rows: Readonly<Record<string, Row>> = {
  outboundDirectDebit: { message: buildDirectDebit(), answers: { "a bank as itself": 202, "a bank for another": 403, ...banksOnly } },
  inboundDirectDebitResponse: { message: buildStatusReport(), answers: fromAnyBank },
  inboundCreditTransferAuthorizationResponse: { message: buildStatusReport(), answers: fromAnyBank },
  // A bank can only declare for itself: the body has no member to name another.
  creditsFinal: { message: buildCreditsFinal(), answers: { "a bank as itself": 202, "a bank for another": 202, ...banksOnly } },
  schemeInboundDirectDebit: { message: buildOffUsDebit(), answers: ofItsScheme },
  schemeInboundCreditTransferAuthorization: { message: buildCreditTransfer(), answers: ofItsScheme },
  schemeCreditsFinal: { message: buildCreditsFinal(), answers: ofItsScheme },
};

const routes = servedOperations.filter(({ service }) => service === "ingress");
const cases = routes.flatMap(({ name, paths }) =>
  paths.flatMap((path) => Object.keys(callers).map((caller) => ({ name, path, caller, expected: expectedStatus(name, caller) }))),
);

function expectedStatus(name: string, caller: string): number {
  return Object.entries(rows[name]?.answers ?? {}).find(([known]) => known === caller)?.[1] ?? Number.NaN;
}

describe("who may send what", () => {
  it("is listed here for every address that is served", () => {
    expect(Object.keys(rows).toSorted()).toEqual(routes.map(({ name }) => name).toSorted());
    expect(cases.length).toBeGreaterThanOrEqual(54);
  });

  it.each(cases)("$path from $caller: $expected [D10 caller] [D2.15]", async ({ name, path, caller, expected }) => {
    const declarer = name === "creditsFinal" ? "bank" : "connector";
    const schemes = sampleParties.schemes.map((scheme) => (scheme.id === "ZA_EFT" ? sampleScheme({ creditsFinal: declarer }) : scheme));
    const { requested, journal } = await startTestIngress({ ...sampleParties, schemes });
    const headers = Object.entries(callers).find(([known]) => known === caller)?.[1] ?? {};
    const response = await requested(path, postBody(encodeBody(rows[name]?.message ?? {}), headers));
    expect([response.status, journal().length]).toEqual([expected, expected === 202 ? 1 : 0]);
    expect(response.headers.get("www-authenticate")).toBe(expected === 401 ? "Bearer" : null);
    expect(response.headers.get("connection")).toBe(expected === 401 ? "close" : null);
  });
});

describe("a bank that acts for another", () => {
  it.each(["second", "first"])("declares credits final for itself only: %s", async (bank) => {
    const schemes = [sampleScheme({ creditsFinal: "bank" })];
    const { requested, journal } = await startTestIngress({ ...sampleParties, schemes });
    await requested("/transactions/credits-final", postBody(encodeBody(buildCreditsFinal()), authorizationFor(bank)));
    expect(journal()).toMatchObject([{ decoded: { value: { bank, requestedBy: bank } } }]);
  });

  it("is recorded as the sender of its report, whatever the report contains", async () => {
    const { requested, journal } = await startTestIngress();
    await requested("/inbound/direct-debit-response", postBody(encodeBody(buildStatusReport()), authorizationFor("second")));
    expect(journal()).toMatchObject([{ decoded: { value: { sender: "second" } } }]);
  });
});
