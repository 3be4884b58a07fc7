// The console in a browser, without a browser: sessions, forms, headers, and that each page can be made.

import { expect, test } from "vitest";
import { consoleUetr, day, findProposal, openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { buildConsoleDebit, changeTransaction } from "../console.fixture.ts";
import { buildParkedMessage } from "../queries/stored-data.fixture.ts";
import { sampleConfiguration, sampleOperator } from "@sluice/testkit";
import { openReader, readHidden } from "./browser.fixture.ts";
import { idleMaxMs, lifetimeMs } from "./sessions/sessions.ts";

const opens = { kind: "DayTimeReached", scheme: "ZA_EFT", businessDate: "2026-11-20", time: "window-opens", number: 1 } as const;
const held = ["RECEIVED", "ACCEPTED", "REPORTED", "HELD"] as const;
const nobody = { actions: [], proposalLifetimeMs: 3_600_000 } as const;

async function openConsole(over: Parameters<typeof openDecisionEnvironment>[0] = { secondPerson: nobody }) {
  const environment = await openDecisionEnvironment(over);
  await environment.saveDay(planOpenDay(), opens);
  await environment.saveDebit(...held);
  return { environment, reader: openReader(environment) };
}

test("without a session every page leads to the sign-in, and back to where it was asked for", async () => {
  const { reader } = await openConsole();
  const answer = await reader.ask("/days?x=1");
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in?next=%2Fdays%3Fx%3D1"]);
});

test("the list of days says how many debits each has held", async () => {
  const { reader, environment } = await openConsole();
  await environment.time.advance(5_000);
  await reader.signIn();
  const { text } = await reader.ask("/days");
  expect(text.replaceAll(/<[^>]*>|\s+/g, " ")).toMatch(/ Held .* 0 of 2 +1 +v1 /);
});

test("a sign-in gives a cookie that only this host, only over TLS, and no script can use", async () => {
  const { reader } = await openConsole();
  const answer = await reader.signIn();
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
  expect(answer.headers.get("set-cookie")).toMatch(/^__Host-sluice=[0-9a-f]{64}; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
});

test.each(["wrong-token", "not a token", ""])("the token %j opens no session", async (token) => {
  const { reader } = await openConsole();
  const answer = await reader.send("/sign-in", { token, next: "/" });
  expect([answer.status, answer.headers.get("set-cookie")]).toEqual([401, null]);
});

test.each(["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)"])(
  "a sign-in never leads to %s",
  async (next) => {
    const { reader, environment } = await openConsole();
    const { sampleToken } = await import("@sluice/testkit");
    const answer = await reader.send("/sign-in", { token: sampleToken("operator"), next });
    expect(answer.headers.get("location")).toBe("/");
    expect(environment.environment.lines.some(({ event }) => event === "session.opened")).toBe(true);
  },
);

test("a sign-in with a token that nobody knows is counted as a failed log-in", async () => {
  const { reader, environment } = await openConsole();
  await reader.send("/sign-in", { token: "wrong-token", next: "/" });
  expect(await environment.metrics.text()).toContain('sluice_failed_log_ins_total{service="console"} 1');
});

const pages = [
  "/",
  "/search",
  "/search?state=HELD",
  `/transactions/${consoleUetr}`,
  "/banks",
  "/banks/first",
  "/days",
  `/days/${day}`,
  `/days/${day}?conservation=yes`,
  "/reconciliation",
  "/proposals",
  "/dead-letters",
  "/system",
  "/audit",
  "/audit?operator=operator&from=2026-11-20&to=2026-11-20",
  "/calendar",
  "/search?state=HELD&counts=yes",
  `/decide/withdrawDebit?uetr=${consoleUetr}`,
  "/decide/pauseBank?bank=first",
  "/decide/pauseBanks",
  "/decide/withdrawDebits?state=HELD",
  "/decide/declareCreditsFinal?scheme=ZA_EFT&date=2026-11-20",
  "/decide/extendClose?scheme=ZA_EFT&date=2026-11-20",
  "/decide/openGate?scheme=ZA_EFT&date=2026-11-20&bank=first",
] as const;

test.each(pages)("%s is made, with a policy that allows no inline script and no style, and names its API call", async (path) => {
  const { reader } = await openConsole();
  await reader.signIn();
  const { status, headers, text } = await reader.ask(path);
  expect([path, status]).toEqual([path, 200]);
  expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
  expect(headers.get("cache-control")).toBe("no-store");
  expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/console.js">)|<style| style=| on[a-z]+=|javascript:/);
  expect(text).toContain("./sluice ");
  expect(text.includes("GET /control/v1/")).toBe(path !== "/search");
});

test("what a bank refused is redriven as one decision, and the outcome of each is shown [D9 browser]", async () => {
  const { environment, reader } = await openConsole();
  const id = `${consoleUetr.replaceAll("-", "")}A`;
  const parked = { uetr: consoleUetr, ended: "refused", attempts: 1 } as const;
  await environment.settled(environment.store.deliveries.insert([buildParkedMessage(id, 1n, parked), buildParkedMessage("B", 2n, parked)]));
  await reader.signIn();
  expect((await reader.ask("/banks/first")).text).toContain("Redrive what it refused");
  const page = await reader.ask("/decide/redriveBank?bank=first");
  expect(page.text).toContain("2 messages");
  const refused = await reader.send("/decide/redriveBank?bank=first", {
    ...readHidden(page.text),
    of: "B",
    reason: "the branch is loaded",
  });
  expect([refused.status, refused.text.includes("B: ")]).toEqual([409, true]);
  expect((await reader.ask("/decide/redriveBank?bank=second")).status).toBe(409);
});

test("an address that no page has is 404, with the frame to go on", async () => {
  const { reader } = await openConsole();
  await reader.signIn();
  const { status, text } = await reader.ask("/nothing");
  expect([status, text.includes('aria-label="Pages"')]).toEqual([404, true]);
});

test("a session ends without use, also while its page asks for numbers by itself [D9 browser]", async () => {
  const { reader, environment } = await openConsole();
  await reader.signIn();
  await environment.time.advance(idleMaxMs - 60_000);
  expect((await reader.ask("/", { headers: { "x-live": "1" } })).status).toBe(200);
  await environment.time.advance(60_001);
  expect((await reader.ask("/", { headers: { "x-live": "1" } })).status).toBe(401);
  expect((await reader.ask("/")).status).toBe(303);
});

test("a session ends after its whole time, however much it is used", async () => {
  const { reader, environment } = await openConsole();
  await reader.signIn();
  for (let passedMs = 0; passedMs < lifetimeMs; passedMs += 600_000) {
    expect((await reader.ask("/system")).status).toBe(200);
    await environment.time.advance(600_000);
  }
  expect((await reader.ask("/system")).status).toBe(303);
});

test("a session ends with the token that opened it [D9 browser]", async () => {
  const { reader, environment } = await openConsole();
  await reader.signIn();
  environment.desk.replaceConfiguration(sampleConfiguration({ operators: [sampleOperator({ id: "other" })] }));
  expect((await reader.ask("/")).status).toBe(303);
});

test("a sign-in ends the session that the browser had before", async () => {
  const { reader } = await openConsole();
  const cookieOf = async (): Promise<string> => (await reader.signIn()).headers.get("set-cookie")?.split(";")[0] ?? "";
  const [former, next] = [await cookieOf(), await cookieOf()];
  expect(next).not.toBe(former);
  expect((await reader.ask("/", { headers: { cookie: next } })).status).toBe(200);
  expect((await reader.ask("/", { headers: { cookie: former } })).status).toBe(303);
});

test("a sign-out ends the session, and only with the session's form token", async () => {
  const { reader } = await openConsole();
  await reader.signIn();
  const { formToken = "" } = readHidden((await reader.ask("/")).text);
  const { headers } = await reader.send("/sign-out", { formToken });
  expect(headers.get("set-cookie")).toContain("Max-Age=0");
  expect((await reader.ask("/")).status).toBe(303);
});

test.each([
  [{ formToken: "x" }, {}],
  [{}, {}],
  [null, { "sec-fetch-site": "cross-site" }],
] as const)("a form of another site decides nothing (%j, %j)", async (fields, headers) => {
  const { reader, environment } = await openConsole();
  await reader.signIn();
  const path = `/decide/withdrawDebit?uetr=${consoleUetr}`;
  const own = fields ?? readHidden((await reader.ask(path)).text);
  const answer = await reader.send(path, { ...own, actionId: "a-1", reason: "seen" }, headers);
  expect([answer.status, environment.journal()]).toEqual([403, []]);
});

test("a decision needs a reason, shows what it does first, and counts once however often its form is sent [D9 browser]", async () => {
  const { reader, environment } = await openConsole();
  await reader.signIn();
  const path = `/decide/withdrawDebit?uetr=${consoleUetr}`;
  const { text } = await reader.ask(path);
  expect(text).toContain("This cannot be undone.");
  const hidden = readHidden(text);
  expect((await reader.send(path, { ...hidden, reason: " " })).status).toBe(422);
  expect(environment.journal()).toEqual([]);
  const first = await reader.send(path, { ...hidden, reason: "wrong file" });
  expect([first.status, first.headers.get("location")]).toEqual([303, `/decided/${hidden["actionId"]}?key=${consoleUetr}`]);
  const [record] = environment.journal();
  if (record !== undefined) await environment.judge(record);
  await reader.send(path, { ...hidden, reason: "wrong file" });
  expect(environment.journal().map(({ decoded }) => decoded.name)).toEqual(["WithdrawalRequested", "WithdrawalRequested"]);
  expect((await reader.ask(first.headers.get("location") ?? "")).text).toContain("applied");
});

test("a stop of a delivery names the awaited message, and warns that it may have been taken [D9 browser] [D3 operator-stop]", async () => {
  const environment = await openDecisionEnvironment({ secondPerson: nobody });
  await environment.saveDebit(...held, "RELEASED");
  const reader = openReader(environment);
  await reader.signIn();
  const path = `/decide/stopDelivery?uetr=${consoleUetr}`;
  const id = `${consoleUetr.replaceAll("-", "")}D`;
  const { text } = await reader.ask(path);
  expect([text.includes(id), text.includes("may have taken it already")]).toEqual([true, true]);
  await reader.send(path, { ...readHidden(text), reason: "the bank looks for the fault" });
  expect(environment.journal()[0]?.decoded).toMatchObject({ name: "DeliveryStopRequested", value: { messageIdentification: id } });
});

test("an item is resolved by one person and confirmed by another, who sees what was proposed", async () => {
  const { reader, environment } = await openConsole({ secondPerson: nobody, resolutionNeedsSecondPerson: true });
  await reader.signIn();
  await reader.decide(`/decide/withdrawDebit?uetr=${consoleUetr}`, { reason: "wrong file" });
  const judgeLast = async () => {
    const record = environment.journal().at(-1);
    if (record !== undefined) await environment.judge(record);
  };
  await judgeLast();
  const resolved = await reader.decide(`/decide/resolveItem?uetr=${consoleUetr}`, {
    reason: "seen on the statement",
    resolution: "NOT_MADE",
  });
  expect(resolved.status).toBe(303);
  await judgeLast();
  const second = openReader(environment);
  await second.signIn("second-person");
  const path = `/decide/confirmResolution?uetr=${consoleUetr}&day=${day}`;
  const { text } = await second.ask(path);
  expect(text).toContain("not made: no money moved");
  expect(text).toContain("seen on the statement");
  const { offset, contentSha256 } = await findProposal(environment);
  expect(readHidden(text)).toMatchObject({ offset, contentSha256 });
  // The first page tells the second person, and not the one who proposed.
  await environment.time.advance(2_200);
  const yours = "1 item resolved by another person: yours to confirm";
  expect((await second.ask("/")).text).toContain(yours);
  expect((await reader.ask("/")).text).not.toContain(yours);
  expect((await second.ask("/reconciliation?proposed=mine")).text).toContain("1 item");
  expect((await second.decide(path, { reason: "seen too" })).status).toBe(303);
  await judgeLast();
  expect((await second.ask("/reconciliation?proposed=mine")).text).toContain("No item: nothing is left to find out.");
  expect((await second.ask(`/transactions/${consoleUetr}`)).text).toContain("resolved as not made: no money moved");
});

test("a decision that needs a second person becomes a proposal, and the other person confirms it", async () => {
  const secondPerson = { actions: ["withdraw"], proposalLifetimeMs: 3_600_000 } as const;
  const { reader, environment } = await openConsole({ secondPerson });
  await reader.signIn();
  const proposed = await reader.decide(`/decide/withdrawDebit?uetr=${consoleUetr}`, { reason: "wrong file" });
  expect(proposed.headers.get("location")).toMatch(/^\/proposals#/);
  const second = openReader(environment);
  await second.signIn("second-person");
  const [, link = ""] = /href="(\/decide\/confirmProposal[^"]*)"/.exec((await second.ask("/proposals")).text) ?? [];
  expect((await second.decide(link, { reason: "heard it too" })).status).toBe(303);
  expect(environment.journal().map(({ decoded }) => decoded.name)).toEqual(["WithdrawalRequested"]);
});

test.each([
  ["second-person", "rejectProposal", "rejected"],
  ["operator", "retractProposal", "retracted"],
] as const)("%s can end a proposal by %s, and it then waits for nobody [D9 rejection]", async (operator, name, state) => {
  const secondPerson = { actions: ["withdraw"], proposalLifetimeMs: 3_600_000 } as const;
  const { reader, environment } = await openConsole({ secondPerson });
  await reader.signIn();
  await reader.decide(`/decide/withdrawDebit?uetr=${consoleUetr}`, { reason: "wrong file" });
  const own = openReader(environment);
  await own.signIn(operator);
  const links = [...(await own.ask("/proposals")).text.matchAll(/href="(\/decide\/[^"]*)"/g)].map(([, link = ""]) => link);
  const link = links.find((one) => one.startsWith(`/decide/${name}?`)) ?? "";
  expect((await own.ask(link)).text).toContain("never takes effect");
  const ended = await own.decide(link, { reason: "it is the right file" });
  expect([ended.status, ended.headers.get("location")]).toEqual([303, expect.stringMatching(/^\/proposals#/)]);
  const { text } = await own.ask("/proposals");
  expect([text.includes("/decide/"), text.includes(state), environment.journal()]).toEqual([false, true, []]);
});

test("an id that its proposer chose is one word of the command that another person copies, and part of the address", async () => {
  const secondPerson = { actions: ["withdraw"], proposalLifetimeMs: 3_600_000 } as const;
  const { environment } = await openConsole({ secondPerson });
  const actionId = "a'; reboot '/?x";
  await environment.control(`/transactions/${consoleUetr}/withdrawal`, { body: { reason: "wrong file" }, actionId });
  const second = openReader(environment);
  await second.signIn("second-person");
  const [, link = ""] = /href="(\/decide\/confirmProposal[^"]*)"/.exec((await second.ask("/proposals")).text) ?? [];
  const text = (await second.ask(link)).text.replaceAll("&#39;", "'");
  expect(text).toContain(String.raw`./sluice confirm 'a'\''; reboot '\''/?x' --offset`);
  expect((await second.decide(link, { reason: "heard it too" })).status).toBe(303);
});

test("what a bank or an operator wrote is text, wherever it is shown", async () => {
  const { reader, environment } = await openConsole();
  const script = '"><script>alert(1)</script>';
  const message = { sender: "first", messageIdentification: script, contentHash: "c", substanceHash: "s" };
  const debit = changeTransaction(buildConsoleDebit([...held]), {
    applied: -1n,
    bank: "first",
    businessDate: "2026-11-20",
    reconciliationDay: day,
    message,
  });
  await environment.save({ ...debit, uetr: consoleUetr, version: 2 }, 1);
  await environment.control("/banks/first/pause", { body: { reason: script }, actionId: "p-1" });
  for (const record of environment.journal()) await environment.judge(record);
  await reader.signIn();
  for (const path of ["/banks", "/banks/first", "/audit", "/system", "/search?state=HELD", `/transactions/${consoleUetr}`]) {
    const { status, text } = await reader.ask(path);
    expect([path, status, text.includes("<script>alert")]).toEqual([path, 200, false]);
  }
  expect((await reader.ask("/banks/first")).text).toContain("&lt;script&gt;alert(1)");
});

test("a reader sees every page, and learns which role a decision needs", async () => {
  const { reader } = await openConsole();
  await reader.signIn("reader");
  const answer = await reader.decide("/decide/pauseBank?bank=first", { reason: "because" });
  expect([answer.status, answer.text.includes("This needs the role act.")]).toEqual([403, true]);
});

test("while the store is away a page says so, and what to do", async () => {
  const { reader, environment } = await openConsole();
  await reader.signIn();
  environment.environment.fault = "down";
  const { status, text } = await reader.ask("/");
  expect([status, text.includes("The store does not answer.")]).toEqual([503, true]);
});

test("what a search finds is a file, for the session of who asks, and another name is none", async () => {
  const { reader } = await openConsole();
  expect((await reader.ask("/files/transactions?state=HELD")).status).toBe(303);
  await reader.signIn();
  expect((await reader.ask("/search?state=HELD")).text).toContain('href="/files/transactions?state=HELD"');
  const { status, headers, text } = await reader.ask("/files/transactions?state=HELD");
  expect([status, headers.get("content-type"), headers.get("content-disposition")]).toEqual([
    200,
    "text/csv; charset=utf-8; header=present",
    'attachment; filename="transactions.csv"',
  ]);
  expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
  expect(text.split("\r\n").map((line) => line.split(",")[0])).toEqual(["uetr", consoleUetr, ""]);
  expect((await reader.ask("/files/transactions?state=HELDD")).status).toBe(422);
  for (const name of ["secrets", "constructor", "__proto__"]) expect((await reader.ask(`/files/${name}`)).status).toBe(404);
  const asJson = await reader.ask("/files/transactions?state=HELD&format=json");
  expect([asJson.headers.get("content-type"), asJson.headers.get("content-disposition")]).toEqual([
    "application/json",
    'attachment; filename="transactions.json"',
  ]);
});

test("the header finds a debit by how its UETR begins, as lists show it, and by a short identification as a whole", async () => {
  const { reader } = await openConsole();
  await reader.signIn();
  const found = await reader.ask(`/search?q=${consoleUetr.slice(0, 8)}`);
  expect(found.headers.get("location")).toBe(`/search?identificationStart=${consoleUetr.slice(0, 8)}`);
  expect((await reader.ask(found.headers.get("location") ?? "")).text).toContain(`/transactions/${consoleUetr}`);
  expect((await reader.ask("/search?q=M-1")).headers.get("location")).toBe("/search?identification=M-1");
  expect((await reader.ask(`/search?q=${consoleUetr}`)).headers.get("location")).toBe(`/transactions/${consoleUetr}`);
});

test("receivers are sorted by what is worst: what waits, what was refused, what is not well", async () => {
  const { environment, reader } = await openConsole();
  const parked = (id: string, receiverId: string, over = {}) => buildParkedMessage(id, 1n, { receiverId, ...over });
  const messages = [parked("A", "second"), parked("B", "second"), parked("C", "first", { ended: "refused" })];
  await environment.settled(environment.store.deliveries.insert(messages));
  await reader.signIn();
  const order = async (sort: string) => {
    const { text } = await reader.ask(`/banks?sort=${sort}`);
    return [...text.matchAll(/<td class=""><a href="\/banks\/(\w+)">/g)].map(([, bank]) => bank);
  };
  expect(await order("receiver")).toEqual(["clearing", "first", "second"]);
  expect((await order("messages"))[0]).toBe("second");
  expect((await order("refused"))[0]).toBe("first");
  expect(await order("nonsense")).toEqual(["clearing", "first", "second"]);
  expect((await reader.ask("/banks?sort=messages")).text).toMatch(/aria-sort="descending">\s*<a href="\/banks\?sort=messages"/);
});

test("the search begins with few terms, and the others are open where one of them is given", async () => {
  const { reader } = await openConsole();
  await reader.signIn();
  const [first, given] = [(await reader.ask("/search?state=HELD")).text, (await reader.ask("/search?flow=on-us&state=HELD")).text];
  expect(first.indexOf("term-state")).toBeLessThan(first.indexOf("<summary>More terms"));
  expect(first.indexOf("term-observation")).toBeGreaterThan(first.indexOf("<summary>More terms"));
  expect([/<details +>/.test(first), /<details open>/.test(given), given.includes("More terms: 1 given")]).toEqual([true, true, true]);
});

test("script and style of all pages together are less than 40 KB", async () => {
  const { reader } = await openConsole();
  const [css, js] = [await reader.ask("/assets/console.css"), await reader.ask("/assets/console.js")];
  expect(css.text.length + js.text.length).toBeLessThan(40_000);
  const again = await reader.ask("/assets/console.css", { headers: { "if-none-match": css.headers.get("etag") ?? "" } });
  expect(again.status).toBe(304);
});
