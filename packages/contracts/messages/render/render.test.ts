import type { EventOutput, State } from "@sluice/domain";
import { describe, expect, test } from "vitest";
import { amountText } from "../json/amount.ts";
import { changeMember, sortedJsonText, jsonNumber, parseSample, readSample, readSampleBytes } from "../json/json.fixture.ts";
import {
  buildAnswerOutput,
  buildDispatchOutput,
  heldEventOutput,
  receivedOnUs,
  receivedReport,
  buildMessageSources,
  messageUetr,
  accountVerified,
} from "./outputs.fixture.ts";
import { isJsonObject, type Json } from "../json/json.ts";
import { eventColumns, renderEventBody } from "./render-event.ts";
import { renderDispatchBody, utcText } from "./render-message.ts";
import { stateRow, stateTables } from "./state-table.ts";

const full = { eventShape: "full", eventPayload: "full" } as const;
const stateTable = stateTables["on-us"];
const exact = (bytes: Uint8Array): string => sortedJsonText(parseSample(bytes));
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
/** The text without white space between tokens. */
const compact = (bytes: Uint8Array): string => text(bytes).replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");

function at(bytes: Uint8Array, ...path: readonly string[]): Json | undefined {
  let found: Json | undefined = parseSample(bytes);
  for (const name of path) found = isJsonObject(found) ? found[name] : undefined;
  return found;
}

describe("the samples are reproduced from the outbound debit, digits included", () => {
  test("inbound-direct-debit.json, its members in the same order [D5.36]", () => {
    const body = renderDispatchBody(buildDispatchOutput("D", "2026-11-20T06:00:01Z"), buildMessageSources());
    expect(exact(body)).toBe(exact(readSampleBytes("inbound-direct-debit.json")));
    expect(text(body)).toContain('"value":1250.50,');
    expect(text(body)).toBe(compact(readSampleBytes("inbound-direct-debit.json")));
  });

  test("status-report-rejected.json", () => {
    const wrong = { identification: { schema: "GENERIC", value: "62001872441" }, currency: "ZAR", name: "T Mokoena" };
    const verdict = accountVerified("REFUSED", [{ code: "AC02", text: "za-cdv/1 check-digit" }]);
    const given = buildMessageSources({ received: receivedOnUs((debit) => changeMember(debit, ["debtorAccount"], wrong)), verdict });
    const body = renderDispatchBody(buildDispatchOutput("R", "2026-11-20T05:12:03.410Z"), given);
    expect(exact(body)).toBe(exact(readSampleBytes("status-report-rejected.json")));
    expect(text(body)).toBe(compact(readSampleBytes("status-report-rejected.json")));
  });

  test("event-direct-debit-held.json, its members in the same order", () => {
    const body = renderEventBody(heldEventOutput, buildMessageSources({ verdict: accountVerified("ACCEPTED") }), full);
    expect(exact(body)).toBe(exact(readSampleBytes("event-direct-debit-held.json")));
    expect(text(body)).toBe(compact(readSampleBytes("event-direct-debit-held.json")));
  });
});

test("I3: a message that was made before is shown again only where nothing of it differs", () => {
  const sources = buildMessageSources({ verdict: accountVerified("ACCEPTED") });
  const made = buildDispatchOutput("D", "2026-11-20T06:00:01Z");
  const further = [
    made,
    { ...made, businessDate: "2026-11-23" },
    { ...made, madeAtMs: made.madeAtMs + 1 },
    { ...made, messageIdentification: `${made.messageIdentification}2` },
    buildDispatchOutput("A", "2026-11-20T06:00:01Z"),
    made,
  ];
  for (const output of further) {
    const fresh = renderDispatchBody(output, buildMessageSources({ verdict: accountVerified("ACCEPTED") }));
    expect(text(renderDispatchBody(output, sources))).toBe(text(fresh));
    expect(text(renderDispatchBody(output, sources))).toBe(text(fresh));
  }
});

test("I3: the same output and sources give the same bytes", () => {
  const given = () => buildMessageSources({ verdict: accountVerified("ACCEPTED") });
  const bodies = [1, 2].map(() => renderEventBody(heldEventOutput, given(), full));
  expect(bodies[0]).toEqual(bodies[1]);
});

test("I3: a replay of RECEIVED after the verdict gives the bytes of the first time", () => {
  const output: EventOutput = { ...heldEventOutput, state: "RECEIVED", stageVersion: 1, httpStatusCode: 202 };
  const first = renderEventBody(output, buildMessageSources(), full);
  expect(
    renderEventBody(output, buildMessageSources({ verdict: accountVerified("ACCEPTED"), finalReport: receivedReport() }), full),
  ).toEqual(first);
  expect(at(first, "transactionInfo", "subService")).toBeUndefined();
  expect(sortedJsonText(at(first, "messageInfo", "httpStatusCode") ?? null)).toBe("202");
});

describe("reports that Sluice makes", () => {
  test("ACCP names the debit, both agents and the key elements, but no person [D6 ACCP] [D6 originalTransactionData]", () => {
    const body = renderDispatchBody(
      buildDispatchOutput("A", "2026-11-20T05:12:03.410Z"),
      buildMessageSources({ verdict: accountVerified("ACCEPTED") }),
    );
    expect(sortedJsonText(at(body, "status") ?? null)).toBe('{"code":"ACCP","outcome":"APPROVED"}');
    expect(at(body, "messageIdentifiers", "messageIdentification")).toBe(`${messageUetr.replaceAll("-", "")}A`);
    expect(sortedJsonText(at(body, "instructedAgent") ?? null)).toBe('{"memberId":"250655"}');
    expect(at(body, "originalTransactionData", "debtorAccount", "identification", "value")).toBe("62005551230");
    expect(text(body)).not.toContain("Mokoena");
  });

  test("RJCT names every failing rule [D6 RJCT] [D6.14] [D6.15]", () => {
    const verdict = accountVerified("REFUSED", [
      { code: "AC02", text: "za-cdv/1 check-digit" },
      { code: "AM01", text: "limits/1 zero" },
    ]);
    const body = renderDispatchBody(buildDispatchOutput("R", "2026-11-20T05:12:03.410Z"), buildMessageSources({ verdict }));
    const reasons = at(body, "status", "reasonInfo");
    expect(Array.isArray(reasons) && reasons.map(sortedJsonText)).toEqual([
      '{"additionalInformation":"za-cdv/1 check-digit","reason":{"schema":"CODE","value":"AC02"}}',
      '{"additionalInformation":"limits/1 zero","reason":{"schema":"CODE","value":"AM01"}}',
    ]);
  });

  test("an AM05 is about the refused message, not about the first [D6 AM05]", () => {
    const second = receivedOnUs((debit) =>
      changeMember(
        changeMember(debit, ["messageIdentifiers", "messageIdentification"], "ACME-2"),
        ["amounts", "bankSettlementAmount", "value"],
        jsonNumber("7"),
      ),
    );
    const body = renderDispatchBody(
      buildAnswerOutput("duplicate-refused"),
      buildMessageSources({ verdict: accountVerified("ACCEPTED"), answered: second }),
    );
    expect(at(body, "originalMessageIdentifiers", "messageIdentification")).toBe("ACME-2");
    const value = at(body, "originalTransactionData", "amounts", "bankSettlementAmount", "value");
    expect(sortedJsonText(value ?? null)).toBe("7");
    expect(text(body)).toContain('"code":"RJCT","outcome":"REJECTED","reasonInfo":[{"reason":{"schema":"CODE","value":"AM05"}');
  });

  test("a repeated report has the content of the first and names the message that asked for it", () => {
    const again = receivedOnUs((debit) => changeMember(debit, ["messageIdentifiers", "messageIdentification"], "ACME-2"));
    for (const [verdict, code] of [
      [accountVerified("ACCEPTED"), "ACCP"],
      [accountVerified("REFUSED", [{ code: "AC02", text: "t" }]), "RJCT"],
    ] as const) {
      const body = renderDispatchBody(buildAnswerOutput("report-again"), buildMessageSources({ verdict, answered: again }));
      expect(at(body, "status", "code")).toBe(code);
      expect(at(body, "originalMessageIdentifiers", "messageIdentification")).toBe("ACME-2");
    }
  });

  test("an agent without memberId is named by its BIC, one without either as it was given", () => {
    const agent = { bicfi: "FIRNZAJJ", name: "First Bank" };
    const given = receivedOnUs((debit) =>
      changeMember(changeMember(debit, ["instructedAgent"], agent), ["instructingAgent"], { name: "Karoo" }),
    );
    const body = renderDispatchBody(buildDispatchOutput("A", "2026-11-20T05:12:03.410Z"), buildMessageSources({ received: given }));
    expect(sortedJsonText(at(body, "instructedAgent") ?? null)).toBe('{"bicfi":"FIRNZAJJ"}');
    expect(sortedJsonText(at(body, "instructingAgent") ?? null)).toBe('{"name":"Karoo"}');
  });
});

describe("a bank's final report in an event", () => {
  const unpaid: EventOutput = { ...heldEventOutput, state: "UNPAID", payload: "final-report", direction: "INBOUND", httpStatusCode: 202 };
  const payload = (status: Json): Json | undefined =>
    at(
      renderEventBody(unpaid, buildMessageSources({ verdict: accountVerified("ACCEPTED"), finalReport: receivedReport(status) }), full),
      "payload",
    );

  test("is shown as it came", () => {
    expect(
      sortedJsonText(payload({ outcome: "REJECTED", code: "RJCT", reasonInfo: [{ reason: { schema: "CODE", value: "AM04" } }] }) ?? null),
    ).toBe(
      sortedJsonText(
        changeMember(readSample("status-report-from-bank.json"), ["status"], {
          code: "RJCT",
          outcome: "REJECTED",
          reasonInfo: [{ reason: { schema: "CODE", value: "AM04" } }],
        }),
      ),
    );
  });

  test.each<[Json, string]>([
    [{ code: "RJCT" }, '[{"reason":{"schema":"CODE","value":"MS03"}}]'],
    [{ code: "CANC", reasonInfo: [] }, '[{"reason":{"schema":"CODE","value":"MS03"}}]'],
    [
      { outcome: "REJECTED", reasonInfo: [{ additionalInformation: "no" }, {}] },
      '[{"additionalInformation":"no","reason":{"schema":"CODE","value":"MS03"}},{}]',
    ],
  ])("without a reason is recorded as MS03: %j", (status, reasons) => {
    const shown = payload(status);
    const found = isJsonObject(shown) && isJsonObject(shown["status"]) ? shown["status"]["reasonInfo"] : undefined;
    expect(sortedJsonText(found ?? null)).toBe(reasons);
  });

  test("UNPAID has a return type, and names the exchange", () => {
    const body = renderEventBody(
      unpaid,
      buildMessageSources({ verdict: accountVerified("ACCEPTED"), finalReport: receivedReport({ code: "RJCT" }) }),
      full,
    );
    expect(at(body, "transactionInfo", "returnType")).toBe("UNPAID");
    expect(sortedJsonText(at(body, "messageInfo") ?? null)).toContain('"httpStatusCode":202');
  });
});

describe("every state has its event", () => {
  // The table of docs/spec/decisions.md D7.
  test.each([
    ["RECEIVED", "IN_PROGRESS / RECEIVED"],
    ["ACCEPTED", "IN_PROGRESS / SEND_PENDING"],
    ["REJECTED", "ERROR / RECEIVE_ERROR"],
    ["REJECTION_REPORTED", "ERROR / RECEIVE_ERROR"],
    ["REPORTED", "IN_PROGRESS / SENT"],
    ["HELD", "IN_PROGRESS / ON_HOLD"],
    ["RELEASED", "IN_PROGRESS / SEND_PENDING"],
    ["DELIVERED", "IN_PROGRESS / SENT"],
    ["COMPLETED", "ACTIONED / SENT"],
    ["UNPAID", "UNPAID / SENT"],
    ["RECONCILIATION", "UNMATCHED / SEND_ERROR"],
  ] as const)("%s is %s", (state, shown) => {
    const { financialTransactionState, transactionState } = stateRow({ flow: "on-us", state });
    expect(`${financialTransactionState} / ${transactionState}`).toBe(shown);
  });

  const states = Object.keys(stateTable) as readonly State[];
  test.each(states)("I6: %s [D8.11] [D8.12]", (state) => {
    const row = stateRow({ flow: "on-us", state });
    const verdict = state.startsWith("REJECT") ? accountVerified("REFUSED") : accountVerified("ACCEPTED");
    const output: EventOutput = {
      ...heldEventOutput,
      state,
      payload: row.payload ?? "inbound-debit",
      direction: row.direction ?? "INBOUND",
      httpStatusCode: 202,
    };
    const body = renderEventBody(output, buildMessageSources({ verdict, finalReport: receivedReport() }), full);
    expect(at(body, "name")).toBe(`TRANSACTION_STATE_DIRECT_DEBIT_${state}`);
    expect(sortedJsonText(at(body, "state") ?? null)).toBe(
      `{"financialTransactionState":"${row.financialTransactionState}","transactionState":"${row.transactionState}"}`,
    );
    expect(at(body, "messageInfo", "messageIdentification")).toBe(at(body, "payload", "messageIdentifiers", "messageIdentification"));
    const carries = ["RECEIVED", "REPORTED", "REJECTION_REPORTED", "DELIVERED", "COMPLETED", "UNPAID"].includes(state);
    expect(at(body, "messageInfo", "httpStatusCode") !== undefined).toBe(carries);
  });

  test("RECONCILIATION of a held debit is ON_HOLD, else SEND_ERROR; from RECEIVED it shows no verdict", () => {
    const close: EventOutput = { ...heldEventOutput, state: "RECONCILIATION", wasHeld: true };
    const shown = (output: EventOutput) => renderEventBody(output, buildMessageSources({ verdict: accountVerified("ACCEPTED") }), full);
    expect(at(shown(close), "state", "transactionState")).toBe("ON_HOLD");
    expect(at(shown(close), "transactionInfo", "subService")).toBe("SAME_DAY");
    expect(at(shown({ ...close, wasHeld: false }), "state", "transactionState")).toBe("SEND_ERROR");
    expect(at(shown({ ...close, wasHeld: false }), "transactionInfo", "subService")).toBeUndefined();
  });

  test("an output that contradicts the table is a programming error", () => {
    expect(() => renderEventBody({ ...heldEventOutput, direction: "INBOUND" }, buildMessageSources(), full)).toThrow("HELD is OUTBOUND");
    expect(() => renderEventBody({ ...heldEventOutput, payload: "inbound-debit" }, buildMessageSources(), full)).toThrow(
      "HELD shows debit-received",
    );
  });
});

test("the sample shape leaves out what the interface's sample does not show", () => {
  const body = parseSample(renderEventBody(heldEventOutput, buildMessageSources(), { eventShape: "sample", eventPayload: "full" }));
  expect(isJsonObject(body) && Object.keys(body)).toEqual([
    "name",
    "apiVersion",
    "class",
    "type",
    "stageVersion",
    "tranInfo",
    "messageInfo",
    "payload",
  ]);
});

test("the columns come from the debit and the entry, with the UETR in lower case", () => {
  const upper = receivedOnUs((debit) => changeMember(debit, ["transactionIdentifiers", "uetr"], messageUetr.toUpperCase()));
  expect(eventColumns(heldEventOutput, buildMessageSources({ received: upper }))).toEqual({
    id: heldEventOutput.id,
    uetr: messageUetr,
    stageVersion: 4,
    state: "HELD",
    type: "DIRECT_DEBIT_HELD",
    scheme: "ZA_EFT",
    service: "EFT_DIRECT_DEBIT",
    direction: "OUTBOUND",
    businessDate: "2026-11-20",
    amount: { value: 12_505_000n, digits: 2, currency: "ZAR" },
    enteredAtMs: heldEventOutput.enteredAtMs,
    causedByOffset: 17n,
  });
});

test.each([
  [12_505_000n, 2, "1250.50"],
  [12_505_000n, 1, "1250.5"],
  [12_505_000n, 4, "1250.5000"],
  [0n, 0, "0"],
  [0n, 2, "0.00"],
  [1n, 4, "0.0001"],
  [10_000n, 0, "1"],
  [123_456_789_012_345_678_0000n, 0, "123456789012345678"],
])("%d with %d digits is written %s", (value, digits, written) => {
  expect(amountText({ value, digits, currency: "ZAR" })).toBe(written);
});

test("formatting an amount whose digits would be lost is a programming error", () => {
  expect(() => amountText({ value: 12_505_000n, digits: 0, currency: "ZAR" })).toThrow("every digit");
  expect(() => amountText({ value: -1n, digits: 4, currency: "ZAR" })).toThrow("not negative");
});

test("times are UTC with milliseconds", () => {
  expect(utcText(0)).toBe("1970-01-01T00:00:00.000Z");
  expect(utcText(1_763_615_523_410)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.410Z$/);
});
