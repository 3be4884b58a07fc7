import type { EventOutput, Flow, State } from "@sluice/domain";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../json/canonical-json.ts";
import { eventOutputFor, sourcesFor } from "./sample-bodies.ts";
import { changeMember, sortedJsonText, isObject, jsonNumber, jsonAt, parseSample } from "../json/json.fixture.ts";
import { anyFullCreditTransfer, anyFullDirectDebit } from "../read/messages.fixture.ts";
import { receivedOnUs, receivedCredit, receivedOffUs, receivedReportOn, buildMessageSources, accountVerified } from "./outputs.fixture.ts";
import type { Json } from "../json/json.ts";
import { readCreditTransfer } from "../read/read-credit-transfer.ts";
import { buildEsmEventId, renderEsmEventBody } from "./render-esm-event.ts";
import { type EventShape, renderEventBody } from "./render-event.ts";
import type { DirectDebitReceived } from "../../generated/records.ts";
import type { MessageSources } from "./message-sources.ts";
import { stateTables } from "./state-table.ts";
import { eventRecords } from "../../wire/to-wire.ts";

const whole: EventShape = { eventShape: "full", eventPayload: "full" };

function posting(flow: Flow, state: State, options: EventShape = whole, change: Partial<EventOutput> = {}, given?: MessageSources): Json {
  return parseSample(renderEventBody(eventOutputFor(flow, state, change), given ?? sourcesFor(flow, state), options));
}

function esmPosting(flow: Flow, state: State, eventPayload: EventShape["eventPayload"] = "full", given?: MessageSources): Json {
  return parseSample(renderEsmEventBody(eventOutputFor(flow, state), given ?? sourcesFor(flow, state), { eventPayload }));
}

const shown = (json: Json, ...path: readonly string[]): string => sortedJsonText(jsonAt(json, ...path) ?? "absent");

describe("every state of every flow has its type, states, direction, payload and exchange [D7.3] [D7.4] [D7.5]", () => {
  // The tables of docs/spec/decisions.md D7 and the rules of D8.
  const debit = (row: string, states: string, onUs: string, offUs: string | null) => ({ row, states, onUs, offUs });
  test.each([
    debit("RECEIVED [3 RECEIVED] [D7 RECEIVED]", "IN_PROGRESS / RECEIVED", "OUTBOUND DirectDebit 202", "INBOUND DirectDebit 202"),
    debit("ACCEPTED [3 ACCEPTED]", "IN_PROGRESS / SEND_PENDING", "OUTBOUND ACCP -", "INBOUND DirectDebit -"),
    debit("REJECTED [3 REJECTED]", "ERROR / RECEIVE_ERROR", "OUTBOUND RJCT -", "INBOUND RJCT -"),
    debit("REJECTION_REPORTED [3 REJECTION_REPORTED]", "ERROR / RECEIVE_ERROR", "OUTBOUND RJCT 202", "INBOUND RJCT 202"),
    debit("REPORTED [3 REPORTED] [D7 REPORTED]", "IN_PROGRESS / SENT", "OUTBOUND ACCP 202", null),
    debit("HELD [3 HELD]", "IN_PROGRESS / ON_HOLD", "OUTBOUND DirectDebit -", "INBOUND DirectDebit -"),
    debit("RELEASED [3 RELEASED] [D7 RELEASED]", "IN_PROGRESS / SEND_PENDING", "INBOUND DirectDebit -", "INBOUND DirectDebit -"),
    debit("DELIVERED [3 DELIVERED] [D7 DELIVERED]", "IN_PROGRESS / SENT", "INBOUND DirectDebit 202", "INBOUND DirectDebit 202"),
    debit("COMPLETED [3 COMPLETED]", "ACTIONED / SENT", "INBOUND ACSC 202", "INBOUND ACSC 202"),
    debit("UNPAID [3 UNPAID]", "UNPAID / SENT", "INBOUND RJCT 202", "INBOUND RJCT 202"),
    debit("RECONCILIATION [3 RECONCILIATION]", "UNMATCHED / SEND_ERROR", "INBOUND DirectDebit -", "INBOUND DirectDebit -"),
  ])("I6: a debit enters $row", ({ row, states, onUs, offUs }) => {
    const state = row.split(" ")[0] as State;
    expect(renderRow("on-us", state)).toEqual([`DIRECT_DEBIT_${state}`, states, `ON_US ${onUs}`]);
    const found = offUs === null ? null : renderRow("off-us", state);
    expect(found).toEqual(offUs === null ? null : [`DIRECT_DEBIT_${state}`, states, `INBOUND ${offUs}`]);
  });

  const credit = (row: string, states: string, rest: string) => ({ row, states, rest });
  test.each([
    credit(
      "CREDIT_AUTH_RECEIVED [3 CREDIT_AUTH_RECEIVED] [D7 CREDIT_AUTH_RECEIVED] [6 example-trigger]",
      "IN_PROGRESS / RECEIVE_PENDING",
      "CreditTransfer 202",
    ),
    credit("CREDIT_AUTH_ACCEPTED [3 CREDIT_AUTH_ACCEPTED] [D7 CREDIT_AUTH_ACCEPTED]", "IN_PROGRESS / RECEIVED", "CreditTransfer -"),
    credit("CREDIT_AUTH_REJECTED [3 CREDIT_AUTH_REJECTED]", "ERROR / RECEIVE_ERROR", "RJCT -"),
    credit(
      "CREDIT_AUTH_DELIVERY_PENDING [3 CREDIT_AUTH_DELIVERY_PENDING] [D7 CREDIT_AUTH_DELIVERY_PENDING]",
      "IN_PROGRESS / SEND_PENDING",
      "CreditTransfer -",
    ),
    credit("CREDIT_AUTH_DELIVERED [3 CREDIT_AUTH_DELIVERED] [D7 CREDIT_AUTH_DELIVERED]", "IN_PROGRESS / SENT", "CreditTransfer 202"),
    credit("CREDIT_AUTH_RESPONSE_ACCEPTED [3 CREDIT_AUTH_RESPONSE_ACCEPTED]", "ACTIONED / SENT", "ACSC 202"),
    credit("CREDIT_AUTH_DELIVERY_FAILURE [3 CREDIT_AUTH_DELIVERY_FAILURE]", "ERROR / SEND_ERROR", "CreditTransfer 202"),
    credit("CREDIT_AUTH_RECONCILIATION [3 CREDIT_AUTH_RECONCILIATION]", "UNMATCHED / SEND_ERROR", "CreditTransfer -"),
  ])("I6: a credit enters $row", ({ row, states, rest }) => {
    const state = row.split(" ")[0] as State;
    expect(renderRow("credit", state)).toEqual([state, states, `INBOUND INBOUND ${rest}`]);
  });

  function renderRow(flow: Flow, state: State): readonly string[] {
    const body = posting(flow, state, whole, { httpStatusCode: 202 });
    const at = (...path: readonly string[]) => sortedJsonText(jsonAt(body, ...path) ?? "-").replaceAll('"', "");
    const payload = jsonAt(body, "payload", "status", "code") ?? jsonAt(body, "payload", "schema");
    expect(at("name")).toBe(`TRANSACTION_STATE_${at("type")}`);
    expect(at("messageInfo", "messageIdentification")).toBe(at("payload", "messageIdentifiers", "messageIdentification"));
    const states = `${at("state", "financialTransactionState")} / ${at("state", "transactionState")}`;
    const directions = `${at("transactionInfo", "direction")} ${at("tranInfo", "direction")}`;
    return [
      at("type"),
      states,
      `${directions} ${sortedJsonText(payload ?? "-").replaceAll('"', "")} ${at("messageInfo", "httpStatusCode")}`,
    ];
  }
});

test("a credit whose report says that it was not booked ends as UNPAID, without a return type", () => {
  const given = sourcesFor("credit", "CREDIT_AUTH_RESPONSE_ACCEPTED");
  const finalReport = receivedReportOn(given.received, { code: "RJCT" });
  const body = posting("credit", "CREDIT_AUTH_RESPONSE_ACCEPTED", whole, {}, { ...given, finalReport });
  expect(shown(body, "state")).toBe('{"financialTransactionState":"UNPAID","transactionState":"SENT"}');
  expect(jsonAt(body, "transactionInfo", "returnType")).toBeUndefined();
  expect(jsonAt(body, "payload", "status", "reasonInfo")).toEqual([{ reason: { schema: "CODE", value: "MS03" } }]);
});

test("a state that the flow does not have, or a message of another flow, is a programming error", () => {
  expect(() => eventOutputFor("off-us", "REPORTED")).toThrow("off-us has no state REPORTED");
  const output = eventOutputFor("credit", "CREDIT_AUTH_DELIVERED");
  expect(() => renderEventBody(output, sourcesFor("on-us", "DELIVERED"), whole)).toThrow("an event of the flow credit");
});

test("an off-us rejection that was not acknowledged before the close still shows the outcome reported to the connector", () => {
  const given = buildMessageSources({ received: receivedOffUs(), verdict: accountVerified("REFUSED", [{ code: "AC02", text: "t" }]) });
  const body = posting("off-us", "RECONCILIATION", whole, { payload: "outcome-report", messageIdentification: "O" }, given);
  expect(shown(body, "payload", "status", "code")).toBe('"RJCT"');
});

describe("members of a posting", () => {
  const body = posting("on-us", "UNPAID");
  const credit = posting("credit", "CREDIT_AUTH_RECEIVED");

  test("the required members of every class [2.1 apiVersion] [2.1 class] [2.1 actionDate] [2.1 creationDateTime] [D8.13]", () => {
    for (const one of [body, credit, esmPosting("on-us", "HELD"), esmPosting("credit", "CREDIT_AUTH_DELIVERED")]) {
      expect(jsonAt(one, "apiVersion")).toMatch(/^\d+\.\d+\.\d+$/);
      expect(["TRANSACTION_STATE", "ESM_STATE"]).toContain(jsonAt(one, "class"));
      expect(jsonAt(one, "actionDate")).toBe("2026-11-20");
      expect(jsonAt(one, "creationDateTime")).toBe("2026-11-20T06:00:01.250Z");
    }
  });

  test("a posting of a state has the members of the state and those of every event [D8.1] [D8.2] [D8.3]", () => {
    const ofState = ["name", "apiVersion", "class", "type", "stageVersion", "tranInfo", "messageInfo", "payload"];
    const ofEvery = ["actionDate", "creationDateTime", "identifiers", "state", "transactionInfo"];
    for (const one of [body, credit, posting("off-us", "HELD")]) {
      expect(isObject(one) && Object.keys(one).toSorted()).toEqual([...ofState, ...ofEvery].toSorted());
    }
  });

  test("a payment is a credit or a debit, and is returned as unpaid in UNPAID alone [D8.14] [D8.15] [D8.17]", () => {
    for (const flow of ["on-us", "off-us", "credit"] as const) {
      for (const state of Object.keys(stateTables[flow]) as readonly State[]) {
        const one = posting(flow, state);
        const shownOf = (name: string): unknown => jsonAt(one, "transactionInfo", name);
        expect([shownOf("paymentType"), shownOf("recordType")]).toEqual([flow === "credit" ? "CREDIT" : "DEBIT", "PAYMENT"]);
        expect([state, shownOf("returnType")]).toEqual([state, state === "UNPAID" ? "UNPAID" : undefined]);
      }
    }
  });

  test("the first event of a debit shows the date that its message names, and the same matching key as the later ones [D8 actionDate]", () => {
    const dated = (flow: "on-us" | "off-us", dates: object): MessageSources => {
      const sources = sourcesFor(flow, "RECEIVED");
      const received = sources.received as DirectDebitReceived;
      return { ...sources, received: { ...received, debit: { ...received.debit, ...dates } } };
    };
    const shownDate = (flow: "on-us" | "off-us", dates: object): string =>
      shown(posting(flow, "RECEIVED", whole, {}, dated(flow, dates)), "actionDate");
    const named = { requestedCollectionDate: "2026-12-01", settlementDate: "2026-12-02" };
    expect([shownDate("on-us", named), shownDate("off-us", named)]).toEqual(['"2026-12-01"', '"2026-12-02"']);
    expect(shownDate("on-us", { requestedCollectionDate: null, settlementDate: null })).toBe('"2026-11-20"');
    const today = dated("on-us", { requestedCollectionDate: "2026-11-20", settlementDate: null });
    const keyIn = (state: "RECEIVED" | "HELD"): string => shown(esmPosting("on-us", state, "full", today), "identifiers", "matchingKey");
    expect(keyIn("RECEIVED")).toBe(keyIn("HELD"));
  });

  test("identifiers, states and kind of transaction [2.1 identifiers] [2.1 state] [2.1 transactionInfo]", () => {
    for (const one of [body, credit, esmPosting("on-us", "HELD"), esmPosting("credit", "CREDIT_AUTH_DELIVERED")]) {
      for (const name of ["identifiers", "state", "transactionInfo"]) expect(isObject(jsonAt(one, name))).toBe(true);
    }
  });

  test("class and type joined by an underscore, and the version of the document [2.2 name] [2.2 apiVersion] [2.2 class] [2.2 type] [6 class] [6 type] [9.1] [D7.3] [D8.6]", () => {
    expect(shown(body, "name")).toBe('"TRANSACTION_STATE_DIRECT_DEBIT_UNPAID"');
    expect(shown(credit, "name")).toBe('"TRANSACTION_STATE_CREDIT_AUTH_RECEIVED"');
    expect(shown(credit, "type")).toBe('"CREDIT_AUTH_RECEIVED"');
    expect(shown(body, "class")).toBe('"TRANSACTION_STATE"');
    expect(shown(body, "apiVersion")).toBe('"1.0.0"');
  });

  test("stage version, transaction and message [2.2 stageVersion] [2.2 tranInfo] [2.2 messageInfo]", () => {
    expect(shown(posting("on-us", "HELD", whole, { stageVersion: 4 }), "stageVersion")).toBe("4");
    expect(shown(credit, "tranInfo")).toBe(
      '{"direction":"INBOUND","paymentScheme":"ZA_EFT","service":"EFT_CREDIT","tranUetr":"2c9d4e61-0b7f-4e3a-9f58-71d2c6a4b803"}',
    );
    expect(shown(credit, "messageInfo")).toBe(
      '{"creationDateTime":"2026-11-20T06:45:10.000+02:00","httpStatusCode":202,"messageIdentification":"PCH-CT-20261120-000007"}',
    );
  });

  test.each([
    ["ZA_EFT", "EFT_CREDIT"],
    ["ZA_RTC", "RTC_CREDIT"],
    ["ZA_RPP", "RPP_CREDIT"],
  ])("a credit of %s is of the service %s", (scheme, service) => {
    const given = {
      ...sourcesFor("credit", "CREDIT_AUTH_RECEIVED"),
      received: receivedCredit((one) => changeMember(one, ["paymentScheme", "schema"], scheme)),
    };
    expect(jsonAt(posting("credit", "CREDIT_AUTH_RECEIVED", whole, {}, given), "tranInfo", "service")).toBe(service);
    expect(eventRecords(eventOutputFor("credit", "CREDIT_AUTH_RECEIVED"), given, { ...options, eventClasses: [] })[0]?.value.service).toBe(
      service,
    );
  });

  test("the sub-service comes from the verdict and is not shown before it", () => {
    for (const subService of ["SAME_DAY", "ONE_DAY", "TWO_DAY"]) {
      const given = { ...sourcesFor("credit", "CREDIT_AUTH_DELIVERED"), verdict: { ...accountVerified("ACCEPTED"), subService } };
      expect(jsonAt(posting("credit", "CREDIT_AUTH_DELIVERED", whole, {}, given), "transactionInfo", "subService")).toBe(subService);
      const first = posting("credit", "CREDIT_AUTH_RECEIVED", whole, {}, given);
      expect(jsonAt(first, "transactionInfo", "subService")).toBeUndefined();
      const close = { payload: "credit-received" } as const;
      const unjudged = posting("credit", "CREDIT_AUTH_RECONCILIATION", whole, close, given);
      expect(jsonAt(unjudged, "transactionInfo", "subService")).toBeUndefined();
    }
  });
});

test("the sub-service of a debit that was carried over grows with its working days [D8.16]", () => {
  const cases = [
    ["SAME_DAY", 1, "ONE_DAY"],
    ["SAME_DAY", 2, "TWO_DAY"],
    ["ONE_DAY", 1, "TWO_DAY"],
    ["TWO_DAY", 3, "TWO_DAY"],
  ] as const;
  for (const [subService, carryOvers, expected] of cases) {
    const given = { ...sourcesFor("on-us", "HELD"), verdict: { ...accountVerified("ACCEPTED"), subService } };
    expect(jsonAt(posting("on-us", "HELD", whole, { carryOvers: carryOvers }, given), "transactionInfo", "subService")).toBe(expected);
  }
});

describe("the payload shows the message as it was at that state", () => {
  test("every member of a debit, as it came and as it leaves [2.1 payload] [2.2 payload] [6 content] [D5.36] [D5.37] [D5 mandateInformation]", () => {
    fc.assert(
      fc.property(anyFullDirectDebit, (json) => {
        for (const [flow, make] of [
          ["on-us", receivedOnUs],
          ["off-us", receivedOffUs],
        ] as const) {
          const given = { ...sourcesFor(flow, "DELIVERED"), received: make(() => json) };
          const identified = { messageIdentification: "D1", messageMadeAtMs: 0 };
          expect(shown(posting(flow, "HELD", whole, {}, given), "payload")).toBe(sortedJsonText(json));
          const leaving = changeMember(changeMember(json, ["messageIdentifiers"], stamp("D1")), ["settlementDate"], "2026-11-20");
          expect(shown(posting(flow, "DELIVERED", whole, identified, given), "payload")).toBe(sortedJsonText(leaving));
        }
      }),
      { numRuns: 25 },
    );
  });

  test("every member of a credit, as it came and as it leaves", () => {
    fc.assert(
      fc.property(anyFullCreditTransfer, (json) => {
        const given = { ...sourcesFor("credit", "CREDIT_AUTH_DELIVERED"), received: receivedCredit(() => json) };
        const identified = { messageIdentification: "C1", messageMadeAtMs: 0 };
        expect(shown(posting("credit", "CREDIT_AUTH_ACCEPTED", whole, {}, given), "payload")).toBe(sortedJsonText(json));
        const leaving = changeMember(json, ["messageIdentifiers"], stamp("C1"));
        expect(shown(posting("credit", "CREDIT_AUTH_DELIVERED", whole, identified, given), "payload")).toBe(sortedJsonText(leaving));
      }),
      { numRuns: 25 },
    );
  });

  const stamp = (messageIdentification: string): Json => ({ messageIdentification, creationDateTime: "1970-01-01T00:00:00.000Z" });

  test("numbers in members that expect text leave as the same numbers [D5.22] [D5.23]", () => {
    const numbers = {
      buildingNumber: jsonNumber("12"),
      postCode: jsonNumber("08001".slice(1)),
      floor: "3",
      addressLine: [jsonNumber("7.50"), "x"],
    };
    const given = {
      ...sourcesFor("credit", "CREDIT_AUTH_DELIVERED"),
      received: receivedCredit((one) => changeMember(one, ["creditor", "address"], numbers)),
    };
    const address = shown(posting("credit", "CREDIT_AUTH_DELIVERED", whole, {}, given), "payload", "creditor", "address");
    expect(address).toBe('{"addressLine":[7.50,"x"],"buildingNumber":12,"floor":"3","postCode":8001}');
  });

  test("the shape none leaves the payload out, sample leaves out the members that the interface's sample does not show", () => {
    expect(jsonAt(posting("off-us", "HELD", { ...whole, eventPayload: "none" }), "payload")).toBeUndefined();
    const sampled = posting("credit", "CREDIT_AUTH_RECEIVED", { ...whole, eventShape: "sample" });
    const members = ["name", "apiVersion", "class", "type", "stageVersion", "tranInfo", "messageInfo", "payload"];
    expect(isObject(sampled) && Object.keys(sampled)).toEqual(members);
  });

  test("a masked payload shows no name and at most the last four of an account, and can still be read as a message", () => {
    const secret = /[0-9]{6}|Mokoena|Karoo|Loop|Drakensberg|SALARY|POLICY|Salary|PAYROLL/;
    for (const [flow, state] of [
      ["on-us", "HELD"],
      ["on-us", "UNPAID"],
      ["off-us", "REJECTED"],
      ["credit", "CREDIT_AUTH_RECEIVED"],
    ] as const) {
      const payload = jsonAt(posting(flow, state, { ...whole, eventPayload: "masked" }), "payload");
      const {
        messageIdentifiers: _m,
        originalMessageIdentifiers: _o,
        transactionIdentifiers: _t,
        ...rest
      } = isObject(payload) ? payload : {};
      const agents = ["creditorAgent", "debtorAgent", "instructingAgent", "instructedAgent"];
      expect(agents.reduce((json, name) => changeMember(json, [name], undefined), rest as Json)).toSatisfy(
        (json: Json) => !secret.test(sortedJsonText(json)),
      );
      expect(sortedJsonText(payload ?? null)).toContain(flow === "on-us" && state === "UNPAID" ? "AM04" : "1230");
    }
    fc.assert(
      fc.property(anyFullCreditTransfer, (json) => {
        const given = { ...sourcesFor("credit", "CREDIT_AUTH_ACCEPTED"), received: receivedCredit(() => json) };
        const payload = shown(posting("credit", "CREDIT_AUTH_ACCEPTED", { ...whole, eventPayload: "masked" }, {}, given), "payload");
        expect(readCreditTransfer(new TextEncoder().encode(payload)).ok).toBe(true);
      }),
      { numRuns: 25 },
    );
  });
});

const options = { ...whole, bank: "first", eventDeadlineMs: 259_200_000 };

describe("class ESM_STATE", () => {
  const held = esmPosting("on-us", "HELD");
  const credit = esmPosting("credit", "CREDIT_AUTH_DELIVERED");

  test("its members, and no others [2.3 apiVersion] [2.3 class] [2.3 actionDate] [2.3 creationDateTime]", () => {
    const members = ["apiVersion", "class", "actionDate", "creationDateTime", "eftDataRecord", "identifiers", "state", "transactionInfo"];
    expect(isObject(held) && Object.keys(held)).toEqual(members);
    expect(shown(held, "class")).toBe('"ESM_STATE"');
  });

  test("identifiers with the matching key, states and transaction [2.3 identifiers] [2.3 state] [2.3 transactionInfo] [D8.18]", () => {
    const key = sha256Hex("250655|62005551230|125050|2026-11-20|KAROOINS  POLICY 88123");
    expect(shown(held, "identifiers")).toBe(
      `{"endToEndIdentification":"INV-88123","matchingKey":"${key}","transactionIdentification":"ACME-TX-1","uetr":"6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11"}`,
    );
    expect(shown(held, "state")).toBe('{"financialTransactionState":"IN_PROGRESS","transactionState":"ON_HOLD"}');
    expect(shown(credit, "transactionInfo")).toBe(
      '{"direction":"INBOUND","paymentType":"CREDIT","recordType":"PAYMENT","subService":"SAME_DAY"}',
    );
    expect(jsonAt(esmPosting("off-us", "UNPAID"), "transactionInfo", "returnType")).toBe("UNPAID");
  });

  test("of a debit homing is the debtor, user the creditor [2.3 eftDataRecord] [2.3 schema] [2.3 recordIdentifier] [2.3 eftDataRecord.actionDate]", () => {
    expect(jsonAt(held, "eftDataRecord", "schema")).toBe("PaymentRecord");
    expect(jsonAt(held, "eftDataRecord", "recordIdentifier")).toBe("DEBIT");
    expect(jsonAt(held, "eftDataRecord", "actionDate")).toBe("2026-11-20");
    expect(jsonAt(held, "eftDataRecord", "homingAccount")).toBe("62005551230");
    expect(jsonAt(held, "eftDataRecord", "userAccount")).toBe("62001872440");
  });

  test("homing of a credit is the creditor [2.3 homingAccount] [2.3 homingAccountName] [2.3 homingBranch] [2.3 homingInstitution]", () => {
    const named = receivedCredit((one) => changeMember(one, ["creditorAccount", "name"], "T M"));
    expect(jsonAt(credit, "eftDataRecord", "recordIdentifier")).toBe("CREDIT");
    expect(jsonAt(credit, "eftDataRecord", "homingAccount")).toBe("62005551230");
    expect(jsonAt(credit, "eftDataRecord", "homingAccountName")).toBe("T Mokoena");
    const given = { ...sourcesFor("credit", "CREDIT_AUTH_DELIVERED"), received: named };
    expect(jsonAt(esmPosting("credit", "CREDIT_AUTH_DELIVERED", "full", given), "eftDataRecord", "homingAccountName")).toBe("T M");
    expect(jsonAt(credit, "eftDataRecord", "homingBranch")).toBe("250655");
    expect(jsonAt(credit, "eftDataRecord", "homingInstitution")).toBe("250655");
  });

  test("user is the other side [2.3 userAccount] [2.3 userBranch] [2.3 userReference]", () => {
    expect(jsonAt(credit, "eftDataRecord", "userAccount")).toBe("4075554441");
    expect(jsonAt(credit, "eftDataRecord", "userBranch")).toBe("632005");
    expect(jsonAt(credit, "eftDataRecord", "userReference")).toBe("SALARY NOV 2026");
  });

  test.each([
    ["1250.50", "ZAR", "125050"],
    ["1250.5", "ZAR", "125050"],
    ["1250", "JPY", "1250"],
    ["1.5", "KWD", "1500"],
    ["0.0001", "CLF", "1"],
    ["9999999999999999.99", "ZAR", "999999999999999999"],
    ["999999999999999999", "ZAR", "99999999999999999900"],
    ["0", "ZAR", "0"],
  ])("%s %s is %s in minor units, a whole number [2.3 amount]", (value, currency, minor) => {
    const change = (one: Json) => changeMember(one, ["amounts", "bankSettlementAmount"], { value: jsonNumber(value), currency });
    const given = { ...sourcesFor("credit", "CREDIT_AUTH_DELIVERED"), received: receivedCredit(change) };
    expect(shown(esmPosting("credit", "CREDIT_AUTH_DELIVERED", "full", given), "eftDataRecord", "amount")).toBe(minor);
  });

  test("what has no source is left out [2.3 sequenceNumber] [2.3 nonStandardHomingAccount] [2.3 userCode] [2.3 accountType] [2.3 entryClass]", () => {
    for (const name of ["sequenceNumber", "nonStandardHomingAccount", "userCode", "accountType", "entryClass"]) {
      expect([name, jsonAt(held, "eftDataRecord", name)]).toEqual([name, undefined]);
    }
  });

  test("fillers and tax code are left out [2.3 filler1] [2.3 filler2] [2.3 filler3] [2.3 filler4] [2.3 taxCode]", () => {
    for (const name of ["filler1", "filler2", "filler3", "filler4", "taxCode"]) {
      expect([name, jsonAt(held, "eftDataRecord", name)]).toEqual([name, undefined]);
    }
  });

  test("a credit without parties, branches and reference shows the members that it has", () => {
    const gone = ["creditor", "debtor", "debtorAccount", "paymentTypeInformation"];
    const bare = (one: Json) =>
      changeMember(
        changeMember(
          gone.reduce((json, name) => changeMember(json, [name], undefined), one),
          ["paymentScheme"],
          { schema: "ZA_RTC" },
        ),
        ["creditorAgent"],
        { bicfi: "FIRNZAJJ" },
      );
    const given = { ...sourcesFor("credit", "CREDIT_AUTH_DELIVERED"), received: receivedCredit(bare) };
    const record = jsonAt(esmPosting("credit", "CREDIT_AUTH_DELIVERED", "full", given), "eftDataRecord");
    const members = ["schema", "recordIdentifier", "actionDate", "amount", "homingAccount", "userBranch"];
    expect(isObject(record) && Object.keys(record)).toEqual(members);
    const key = jsonAt(esmPosting("credit", "CREDIT_AUTH_DELIVERED", "full", given), "identifiers", "matchingKey");
    expect(key).toBe(sha256Hex("|62005551230|1850000|2026-11-20|"));
  });

  test("without a payload the posting has no record, and a masked one shows the last four of accounts", () => {
    expect(jsonAt(esmPosting("on-us", "HELD", "none"), "eftDataRecord")).toBeUndefined();
    const masked = jsonAt(esmPosting("on-us", "HELD", "masked"), "eftDataRecord");
    expect(jsonAt(masked ?? null, "homingAccount")).toBe("*******1230");
    expect(sortedJsonText(masked ?? null)).not.toMatch(/Mokoena|KAROO|62001872440/);
  });

  test("the posting follows the event of the same state, under its own id, where the bank asks for it", () => {
    const output = eventOutputFor("credit", "CREDIT_AUTH_DELIVERED");
    const given = sourcesFor("credit", "CREDIT_AUTH_DELIVERED");
    const [first, second, ...more] = eventRecords(output, given, { ...options, eventClasses: ["TRANSACTION_STATE", "ESM_STATE"] });
    expect([first?.name, second?.name, more.length]).toEqual(["TransactionStateEvent", "EsmStateEvent", 0]);
    expect(second?.value.id).toBe(sha256Hex(`sluice:esm:${first?.value.uetr}:${output.stageVersion}`).slice(0, 32));
    expect(second?.value.id).toBe(buildEsmEventId("2c9d4e61-0b7f-4e3a-9f58-71d2c6a4b803", output.stageVersion));
    expect(second?.value.id).not.toBe(first?.value.id);
    expect(second?.value).toMatchObject({
      financialTransactionState: "IN_PROGRESS",
      transactionState: "SENT",
      state: "CREDIT_AUTH_DELIVERED",
    });
    expect(second?.value.deadlineMs).toBe(first?.value.deadlineMs);
  });
});
