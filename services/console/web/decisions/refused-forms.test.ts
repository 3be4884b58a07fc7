// What a person finds who could not decide: a form that was refused has what they filled in, and who may not decide
// hears it before anything is filled in.

import { expect, test } from "vitest";
import { sampleScheme, sampleTimes } from "@sluice/testkit";
import { openDecisionEnvironment, planOpenDay } from "../../decisions/decisions.fixture.ts";
import { buildItem, buildStoredTransaction, consoleUetrAt, day, saveTransactions } from "../../queries/stored-data.fixture.ts";
import { openReader, readHidden } from "../browser.fixture.ts";

type Over = Parameters<typeof openDecisionEnvironment>[0];

const nobody = { secondPerson: { actions: [], proposalLifetimeMs: 3_600_000 } } as const;
const about = { applied: -1n, reconciliationDay: day, bank: "first", items: [buildItem({ row: 0, state: "HELD" })] } as const;
const opens = { kind: "DayTimeReached", scheme: "ZA_EFT", businessDate: "2026-11-20", time: "window-opens", number: 1 } as const;

async function openSignedIn(operator = "operator", over: Over = nobody) {
  const environment = await openDecisionEnvironment(over);
  await environment.saveDay(planOpenDay(), opens);
  await saveTransactions(
    environment,
    [0, 1].map((index) => buildStoredTransaction("RECONCILIATION", index, about)),
  );
  const reader = openReader(environment);
  await reader.signIn(operator);
  return { environment, reader };
}

/** Sends these fields with the hidden ones of the form, and returns the text of the answer without line ends. */
async function send(reader: ReturnType<typeof openReader>, path: string, fields: readonly (readonly [string, string])[]) {
  const body = new URLSearchParams(readHidden((await reader.ask(path)).text));
  for (const [name, value] of fields) body.append(name, value);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await reader.ask(path, { method: "POST", headers, body: body.toString() });
  return { status: answer.status, text: answer.text.replaceAll(/\s+/g, " ") };
}

function isOn(text: string, value: string): boolean {
  return new RegExp(`value="${value}"[^>]* (?:checked|selected)`).test(text);
}

test("a refused form keeps the rows that a person left out, and what they chose [D9 several]", async () => {
  const { reader } = await openSignedIn();
  const [left, kept] = [0, 1].map((index) => `${consoleUetrAt(index)} ${day}`);
  const fields = [["of", kept ?? ""] as const, ["resolution", "NOT_MADE"] as const];
  const refused = await send(reader, `/decide/resolveItems?day=${day}`, [...fields, ["reason", ""]]);
  expect([refused.status, isOn(refused.text, left ?? ""), isOn(refused.text, kept ?? "")]).toEqual([422, false, true]);
  expect([isOn(refused.text, "MADE"), isOn(refused.text, "NOT_MADE")]).toEqual([false, true]);
});

test("a refused form keeps how long a bank is paused, and a new close", async () => {
  const { reader } = await openSignedIn();
  const pause = await send(reader, "/decide/pauseBank?bank=first", [
    ["minutes", "240"],
    ["reason", ""],
  ]);
  expect([pause.status, isOn(pause.text, "240"), isOn(pause.text, "30")]).toEqual([422, true, false]);
  const fields = [
    ["window", "0"],
    ["closesAt", "2026-11-20T18:30"],
    ["reason", ""],
  ] as const;
  const extension = await send(reader, "/decide/extendClose?scheme=ZA_EFT&date=2026-11-20", fields);
  expect([extension.status, isOn(extension.text, "0"), extension.text.includes('value="2026-11-20T18:30"')]).toEqual([422, true, true]);
  const final = await send(reader, "/decide/declareCreditsFinal?scheme=ZA_EFT&date=2026-11-20", [
    ["bank", "second"],
    ["reason", ""],
  ]);
  expect([final.status, isOn(final.text, "second")]).toEqual([422, true]);
});

test("a refused resolution of one item keeps what was found out", async () => {
  const { reader } = await openSignedIn();
  const path = `/decide/resolveItem?uetr=${consoleUetrAt(0)}&day=${day}`;
  const refused = await send(reader, path, [
    ["resolution", "REPLACED"],
    ["replacedBy", consoleUetrAt(1)],
    ["reason", ""],
  ]);
  expect([refused.status, isOn(refused.text, "REPLACED"), refused.text.includes(`value="${consoleUetrAt(1)}"`)]).toEqual([422, true, true]);
});

test.each([
  ["reader", "/decide/pauseBank?bank=first", "act"],
  ["second-person", "/decide/pauseBank?bank=first", "act"],
  ["second-person", `/decide/resolveItem?uetr=${consoleUetrAt(0)}&day=${day}`, "act"],
])("%s hears from %s at once that it needs the role %s, and finds no button", async (operator, path, role) => {
  const { reader } = await openSignedIn(operator);
  const { status, text } = await reader.ask(path);
  expect([status, text.includes(`This needs the role ${role}`), text.includes('class="danger"')]).toEqual([403, true, false]);
});

test("a new close is a local time of the day's own scheme, also where another scheme is the first", async () => {
  const far = sampleScheme({ id: "ZA_RTC", times: { ...sampleTimes, calendar: { ...sampleTimes.calendar, zone: "-09:00" } } });
  const { reader, environment } = await openSignedIn("operator", { ...nobody, schemes: [far, sampleScheme()] });
  const fields = [
    ["window", "1"],
    ["closesAt", "2026-11-20T17:00"],
    ["reason", "asked by telephone"],
  ] as const;
  const { status } = await send(reader, "/decide/extendClose?scheme=ZA_EFT&date=2026-11-20", fields);
  const [record] = environment.journal();
  expect([status, record?.decoded]).toMatchObject([303, { value: { closesAtMs: Date.UTC(2026, 10, 20, 15) } }]);
});
