// Which alarms fire, as the API and the first page say it.

import { controlAnswers } from "@sluice/contracts/control-answers";
import type { AskedAlarms } from "@sluice/process";
import { expect, test } from "vitest";
import { openDecisionEnvironment, planOpenDay } from "../../decisions/decisions.fixture.ts";
import { readControlAnswer } from "../../queries/stored-data.fixture.ts";
import { openReader } from "../../web/browser.fixture.ts";
import { readAlarms } from "./read-alarms.ts";
import { alarmsAskedEveryMs } from "./watch-alarms.ts";

const alarm = (name: string, over: object = {}, labels: object = {}) => ({
  labels: { alertname: name, severity: "warning", ...labels },
  annotations: { summary: `${name} fires`, description: "What to do.", runbook_url: "docs/runbooks/a-gate-stays-closed.md" },
  startsAt: "2026-11-20T05:59:00.123456789Z",
  status: { state: "active", silencedBy: [] },
  ...over,
});
const textOf = (...alarms: readonly unknown[]): AskedAlarms => ({ kind: "answered", text: JSON.stringify(alarms) });

async function openWith(answers: readonly AskedAlarms[]) {
  let asked = 0;
  const environment = await openDecisionEnvironment(
    {},
    { askAlarms: () => Promise.resolve(answers[Math.min(asked++, answers.length - 1)] ?? { kind: "silent", failure: "nobody" }) },
  );
  await environment.saveDay(planOpenDay());
  const read = async () => controlAnswers.listAlarms.parse(await readControlAnswer(environment, "/alarms"));
  const reader = openReader(environment);
  await reader.signIn();
  const page = async () => (await reader.ask("/")).text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  return { ...environment, read, page, html: async () => (await reader.ask("/")).text };
}

test("without a source the answer and the page say that there is none, and not that none fires", async () => {
  const environment = await openDecisionEnvironment();
  const body = controlAnswers.listAlarms.parse(await readControlAnswer(environment, "/alarms"));
  expect(body).toMatchObject({ source: "none", answeredAt: null, rows: [] });
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask("/");
  expect(text).toContain("No alarm source is configured (SLUICE_ALARMS_URL)");
  expect(text).not.toContain("None, by the alarm source.");
});

test("what fires stands on the first page with its runbook, the most severe first and the silenced last", async () => {
  const silenced = { status: { silencedBy: ["s-1"] } };
  const given = [
    alarm("SluiceItemsOld", { labels: { alertname: "SluiceItemsOld", severity: "info" } }),
    alarm("SluiceGateClosed", {}, { scheme: "ZA_EFT", bank: "first" }),
    alarm("SluiceServiceGone", { ...silenced }, { severity: "critical" }),
    alarm("SluiceWindowMissed", {}, { severity: "critical" }),
  ];
  const { read, page, html } = await openWith([textOf(...given)]);
  const { rows, source, isWhole } = await read();
  expect([source, isWhole, rows.map(({ name }) => name)]).toEqual([
    "answers",
    true,
    ["SluiceWindowMissed", "SluiceGateClosed", "SluiceItemsOld", "SluiceServiceGone"],
  ]);
  expect(rows[1]).toMatchObject({ about: "bank first, scheme ZA_EFT", since: "2026-11-20T05:59:00.123Z", isSilenced: false });
  const text = await page();
  expect(text).toContain("3 alarms firing: SluiceWindowMissed, SluiceGateClosed, SluiceItemsOld");
  for (const words of ["SluiceGateClosed fires", "silenced", "a-gate-stays-closed"]) expect(text).toContain(words);
  expect(await html()).toContain("./sluice alarms");
});

test("#1 a source that is silent is loud, and what it said last stays with its time", async () => {
  const { time, read, page, environment } = await openWith([
    textOf(alarm("SluiceGateClosed")),
    { kind: "silent", failure: "ECONNREFUSED" },
  ]);
  const { answeredAt } = await read();
  await time.advance(alarmsAskedEveryMs);
  await time.advance(alarmsAskedEveryMs);
  const body = await read();
  expect(body).toMatchObject({ source: "silent", answeredAt, why: "ECONNREFUSED", rows: [{ name: "SluiceGateClosed" }] });
  expect(Date.parse(body.silentSince ?? "") - Date.parse(answeredAt ?? "")).toBeCloseTo(alarmsAskedEveryMs, -2);
  expect(await page()).toMatch(/Look at this The alarm source cannot be asked since .*ECONNREFUSED/);
  expect(environment.lines.filter(({ event }) => event === "alarms.silent")).toHaveLength(1);
});

test("a source that answers again is believed again", async () => {
  const { time, read, page } = await openWith([{ kind: "silent", failure: "it answers HTTP 500" }, textOf()]);
  expect(await read()).toMatchObject({ source: "silent", answeredAt: null, why: "it answers HTTP 500" });
  await time.advance(alarmsAskedEveryMs);
  expect(await read()).toMatchObject({ source: "answers", silentSince: null, why: null, rows: [] });
  expect(await page()).toContain("None, by the alarm source.");
});

test("no page waits for a source that does not answer", async () => {
  const never = Promise.withResolvers<AskedAlarms>();
  const environment = await openDecisionEnvironment({}, { askAlarms: () => never.promise });
  expect(await readControlAnswer(environment, "/alarms")).toMatchObject({ source: "unasked", rows: [] });
  const reader = openReader(environment);
  await reader.signIn();
  const { status, text } = await reader.ask("/");
  expect([status, text.includes("being asked for the first time")]).toEqual([200, true]);
});

test("what is not a list is no answer, other alarms are left out, and only the first 200 are kept", async () => {
  expect(["{}", "<html>", "null"].map(readAlarms)).toEqual([null, null, null]);
  expect(
    readAlarms(JSON.stringify([null, 1, [], {}, { labels: { alertname: "Watchdog" } }, { labels: { alertname: "SluiceX" } }])),
  ).toEqual([
    { name: "SluiceX", severity: null, since: null, isSilenced: false, about: "", summary: null, description: null, runbook: null },
  ]);
  const { read } = await openWith([textOf(...Array.from({ length: 201 }, (_, index) => alarm("SluiceX", {}, { bank: `b${index}` })))]);
  const { rows, isWhole } = await read();
  expect([rows.length, isWhole]).toEqual([200, false]);
});

test.each([
  ["https://runbooks.example/gate", "https://runbooks.example/gate"],
  ["javascript:alert(1)", null],
  ["docs/runbooks/../../etc/passwd", null],
  ["//elsewhere.example", null],
])("#2 of a runbook's address %s is kept %s", (given, kept) => {
  const annotations = { runbook_url: given };
  expect(readAlarms(JSON.stringify([alarm("SluiceX", { annotations })]))?.[0]?.runbook).toBe(kept);
});
