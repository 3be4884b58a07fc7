import type { EventOutput, State } from "@sluice/domain";
import { describe, expect, test } from "vitest";
import { amountText } from "./amount.ts";
import { changed, exactText, jsonNumber, parsed, sample, sampleBytes } from "./given-json.ts";
import { answer, dispatch, heldEvent, received, reported, sources, uetr, verified } from "./given-outputs.ts";
import type { Json } from "./json.ts";
import { isJsonObject } from "./json.ts";
import { eventColumns, renderEventBody } from "./render-event.ts";
import { renderDispatchBody, utcText } from "./render-message.ts";
import { stateRow, stateTables } from "./state-table.ts";

const full = { eventShape: "full", eventPayload: "full" } as const;
const stateTable = stateTables["on-us"];
const exact = (bytes: Uint8Array): string => exactText(parsed(bytes));
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
/** Without white space between tokens. */
const compact = (bytes: Uint8Array): string => text(bytes).replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");

function at(bytes: Uint8Array, ...path: readonly string[]): Json | undefined {
  let found: Json | undefined = parsed(bytes);
  for (const name of path) found = isJsonObject(found) ? found[name] : undefined;
  return found;
}

describe("the samples are reproduced from the outbound debit, digits included", () => {
  test("inbound-direct-debit.json, its members in the same order", () => {
    const body = renderDispatchBody(dispatch("D", "2026-11-20T06:00:01Z"), sources());
    expect(exact(body)).toBe(exact(sampleBytes("inbound-direct-debit.json")));
    expect(text(body)).toContain('"value":1250.50,');
    expect(text(body)).toBe(compact(sampleBytes("inbound-direct-debit.json")));
  });

  test("status-report-rejected.json", () => {
    const wrong = { identification: { schema: "GENERIC", value: "62001872441" }, currency: "ZAR", name: "T Mokoena" };
    const verdict = verified("REFUSED", [{ code: "AC02", text: "za-cdv/1 check-digit" }]);
    const given = sources({ received: received((debit) => changed(debit, ["debtorAccount"], wrong)), verdict });
    const body = renderDispatchBody(dispatch("R", "2026-11-20T05:12:03.410Z"), given);
    expect(exact(body)).toBe(exact(sampleBytes("status-report-rejected.json")));
    expect(text(body)).toBe(compact(sampleBytes("status-report-rejected.json")));
  });

  test("event-direct-debit-held.json, its members in the same order", () => {
    const body = renderEventBody(heldEvent, sources({ verdict: verified("ACCEPTED") }), full);
    expect(exact(body)).toBe(exact(sampleBytes("event-direct-debit-held.json")));
    expect(text(body)).toBe(compact(sampleBytes("event-direct-debit-held.json")));
  });
});

test("I3: the same output and sources give the same bytes", () => {
  const given = () => sources({ verdict: verified("ACCEPTED") });
  const bodies = [1, 2].map(() => renderEventBody(heldEvent, given(), full));
  expect(bodies[0]).toEqual(bodies[1]);
});

test("I3: a replay of RECEIVED, when the verdict is known, gives the bytes of the first time", () => {
  const output: EventOutput = { ...heldEvent, state: "RECEIVED", stageVersion: 1, httpStatusCode: 202 };
  const first = renderEventBody(output, sources(), full);
  expect(renderEventBody(output, sources({ verdict: verified("ACCEPTED"), finalReport: reported() }), full)).toEqual(first);
  expect(at(first, "transactionInfo", "subService")).toBeUndefined();
  expect(exactText(at(first, "messageInfo", "httpStatusCode") ?? null)).toBe("202");
});

describe("reports that Sluice makes", () => {
  test("ACCP names the debit, both agents and the key elements, and no name", () => {
    const body = renderDispatchBody(dispatch("A", "2026-11-20T05:12:03.410Z"), sources({ verdict: verified("ACCEPTED") }));
    expect(exactText(at(body, "status") ?? null)).toBe('{"code":"ACCP","outcome":"APPROVED"}');
    expect(at(body, "messageIdentifiers", "messageIdentification")).toBe(`${uetr.replaceAll("-", "")}A`);
    expect(exactText(at(body, "instructedAgent") ?? null)).toBe('{"memberId":"250655"}');
    expect(at(body, "originalTransactionData", "debtorAccount", "identification", "value")).toBe("62005551230");
    expect(text(body)).not.toContain("Mokoena");
  });

  test("every failing rule is named in RJCT", () => {
    const verdict = verified("REFUSED", [
      { code: "AC02", text: "za-cdv/1 check-digit" },
      { code: "AM01", text: "limits/1 zero" },
    ]);
    const body = renderDispatchBody(dispatch("R", "2026-11-20T05:12:03.410Z"), sources({ verdict }));
    const reasons = at(body, "status", "reasonInfo");
    expect(Array.isArray(reasons) && reasons.map(exactText)).toEqual([
      '{"additionalInformation":"za-cdv/1 check-digit","reason":{"schema":"CODE","value":"AC02"}}',
      '{"additionalInformation":"limits/1 zero","reason":{"schema":"CODE","value":"AM01"}}',
    ]);
  });

  test("an AM05 speaks of the refused message, not of the first", () => {
    const second = received((debit) =>
      changed(
        changed(debit, ["messageIdentifiers", "messageIdentification"], "ACME-2"),
        ["amounts", "bankSettlementAmount", "value"],
        jsonNumber("7"),
      ),
    );
    const body = renderDispatchBody(answer("duplicate-refused"), sources({ verdict: verified("ACCEPTED"), answered: second }));
    expect(at(body, "originalMessageIdentifiers", "messageIdentification")).toBe("ACME-2");
    const value = at(body, "originalTransactionData", "amounts", "bankSettlementAmount", "value");
    expect(exactText(value ?? null)).toBe("7");
    expect(text(body)).toContain('"code":"RJCT","outcome":"REJECTED","reasonInfo":[{"reason":{"schema":"CODE","value":"AM05"}');
  });

  test("a report sent once more says what the first said and names the message that asked", () => {
    const again = received((debit) => changed(debit, ["messageIdentifiers", "messageIdentification"], "ACME-2"));
    for (const [verdict, code] of [
      [verified("ACCEPTED"), "ACCP"],
      [verified("REFUSED", [{ code: "AC02", text: "t" }]), "RJCT"],
    ] as const) {
      const body = renderDispatchBody(answer("report-again"), sources({ verdict, answered: again }));
      expect(at(body, "status", "code")).toBe(code);
      expect(at(body, "originalMessageIdentifiers", "messageIdentification")).toBe("ACME-2");
    }
  });

  test("an agent without memberId is named by its BIC, one without either as it was given", () => {
    const agent = { bicfi: "FIRNZAJJ", name: "First Bank" };
    const given = received((debit) => changed(changed(debit, ["instructedAgent"], agent), ["instructingAgent"], { name: "Karoo" }));
    const body = renderDispatchBody(dispatch("A", "2026-11-20T05:12:03.410Z"), sources({ received: given }));
    expect(exactText(at(body, "instructedAgent") ?? null)).toBe('{"bicfi":"FIRNZAJJ"}');
    expect(exactText(at(body, "instructingAgent") ?? null)).toBe('{"name":"Karoo"}');
  });
});

describe("a bank's final report in an event", () => {
  const unpaid: EventOutput = { ...heldEvent, state: "UNPAID", payload: "final-report", direction: "INBOUND", httpStatusCode: 202 };
  const payload = (status: Json): Json | undefined =>
    at(renderEventBody(unpaid, sources({ verdict: verified("ACCEPTED"), finalReport: reported(status) }), full), "payload");

  test("is shown as it came", () => {
    expect(
      exactText(payload({ outcome: "REJECTED", code: "RJCT", reasonInfo: [{ reason: { schema: "CODE", value: "AM04" } }] }) ?? null),
    ).toBe(
      exactText(
        changed(sample("status-report-from-bank.json"), ["status"], {
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
    expect(exactText(found ?? null)).toBe(reasons);
  });

  test("UNPAID has a return type, and names the exchange", () => {
    const body = renderEventBody(unpaid, sources({ verdict: verified("ACCEPTED"), finalReport: reported({ code: "RJCT" }) }), full);
    expect(at(body, "transactionInfo", "returnType")).toBe("UNPAID");
    expect(exactText(at(body, "messageInfo") ?? null)).toContain('"httpStatusCode":202');
  });
});

describe("every state has its event", () => {
  // Decisions, section 7, as it stands there.
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
  test.each(states)("I6: %s", (state) => {
    const row = stateRow({ flow: "on-us", state });
    const verdict = state.startsWith("REJECT") ? verified("REFUSED") : verified("ACCEPTED");
    const output: EventOutput = {
      ...heldEvent,
      state,
      payload: row.payload ?? "inbound-debit",
      direction: row.direction ?? "INBOUND",
      httpStatusCode: 202,
    };
    const body = renderEventBody(output, sources({ verdict, finalReport: reported() }), full);
    expect(at(body, "name")).toBe(`TRANSACTION_STATE_DIRECT_DEBIT_${state}`);
    expect(exactText(at(body, "state") ?? null)).toBe(
      `{"financialTransactionState":"${row.financialTransactionState}","transactionState":"${row.transactionState}"}`,
    );
    expect(at(body, "messageInfo", "messageIdentification")).toBe(at(body, "payload", "messageIdentifiers", "messageIdentification"));
    const carries = ["RECEIVED", "REPORTED", "REJECTION_REPORTED", "DELIVERED", "COMPLETED", "UNPAID"].includes(state);
    expect(at(body, "messageInfo", "httpStatusCode") !== undefined).toBe(carries);
  });

  test("RECONCILIATION of a held debit is ON_HOLD, else SEND_ERROR; from RECEIVED it shows no verdict", () => {
    const close: EventOutput = { ...heldEvent, state: "RECONCILIATION", wasHeld: true };
    const shown = (output: EventOutput) => renderEventBody(output, sources({ verdict: verified("ACCEPTED") }), full);
    expect(at(shown(close), "state", "transactionState")).toBe("ON_HOLD");
    expect(at(shown(close), "transactionInfo", "subService")).toBe("SAME_DAY");
    expect(at(shown({ ...close, wasHeld: false }), "state", "transactionState")).toBe("SEND_ERROR");
    expect(at(shown({ ...close, wasHeld: false }), "transactionInfo", "subService")).toBeUndefined();
  });

  test("an output that contradicts the table is our mistake", () => {
    expect(() => renderEventBody({ ...heldEvent, direction: "INBOUND" }, sources(), full)).toThrow("HELD is OUTBOUND");
    expect(() => renderEventBody({ ...heldEvent, payload: "inbound-debit" }, sources(), full)).toThrow("HELD shows debit-received");
  });
});

test("the sample shape leaves out what the interface's sample does not show", () => {
  const body = parsed(renderEventBody(heldEvent, sources(), { eventShape: "sample", eventPayload: "full" }));
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

test("the columns are those of the debit and the entry, the UETR in lower case", () => {
  const upper = received((debit) => changed(debit, ["transactionIdentifiers", "uetr"], uetr.toUpperCase()));
  expect(eventColumns(heldEvent, sources({ received: upper }))).toEqual({
    id: heldEvent.id,
    uetr,
    stageVersion: 4,
    state: "HELD",
    type: "DIRECT_DEBIT_HELD",
    scheme: "ZA_EFT",
    service: "EFT_DIRECT_DEBIT",
    direction: "OUTBOUND",
    businessDate: "2026-11-20",
    amount: { value: 12_505_000n, digits: 2, currency: "ZAR" },
    enteredAtMs: heldEvent.enteredAtMs,
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

test("an amount whose digits would be lost is our mistake", () => {
  expect(() => amountText({ value: 12_505_000n, digits: 0, currency: "ZAR" })).toThrow("all written");
  expect(() => amountText({ value: -1n, digits: 4, currency: "ZAR" })).toThrow("not negative");
});

test("times are UTC with milliseconds", () => {
  expect(utcText(0)).toBe("1970-01-01T00:00:00.000Z");
  expect(utcText(1_763_615_523_410)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.410Z$/);
});
