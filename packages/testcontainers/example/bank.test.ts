// A bank's own suite, as a bank would write it: its code against all of Sluice. With the variable SLUICE_IMAGE it runs
// on that image, else on a process from this source.

import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningSluice, SluiceEnvironment } from "../index.ts";
import { bankSecret, ExampleBank } from "./bank.fixture.ts";

const customer = "62005551230";
const opened = new AsyncDisposableStack();
let bank: ExampleBank;
let sluice: RunningSluice;

beforeAll(async () => {
  bank = opened.use(await ExampleBank.open());
  const environment = new SluiceEnvironment()
    .withBank("example", { url: bank.url, signingSecrets: [bankSecret] })
    .withWindow({ opensIn: "1h", lasts: "1h" });
  if (process.env["SLUICE_IMAGE"] === undefined) environment.withSource(fileURLToPath(new URL("../../..", import.meta.url)));
  const startedMs = performance.now();
  sluice = opened.use(await environment.start());
  console.info(`Sluice was ready after ${Math.round(performance.now() - startedMs)} ms`);
  bank.connect({ url: sluice.url, token: sluice.token("example"), branch: sluice.branch("example") });
}, 120_000);
afterAll(() => opened.disposeAsync());
beforeEach((test) => sluice.attachLogs(test));

describe("a bank on Sluice", () => {
  const uetr = randomUUID();
  const refused = randomUUID();
  const closed = "62001872440";

  test("its debit is accepted, and waits for the window", async () => {
    expect(await bank.collect({ uetr, account: customer })).toBe(202);
    bank.closedAccounts.add(closed);
    expect(await bank.collect({ uetr: refused, account: closed })).toBe(202);
    await sluice.until(uetr, "HELD");
    const { states } = await sluice.until(refused, "HELD");
    expect(states.map(({ state }) => state)).toEqual(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]);
    expect(bank.paid).toEqual([]);
  });

  test("an hour later the window opens, and the bank pays", async () => {
    const { now } = await sluice.openWindow();
    expect(now.startsWith((await sluice.now()).toISOString().slice(0, 10))).toBe(true);
    const { businessDate } = await sluice.until(uetr, "COMPLETED");
    expect(businessDate).toBe(sluice.businessDate);
    expect(bank.paid).toEqual([uetr]);
    expect(await sluice.sent(uetr)).toMatchObject([
      { to: "example", operation: "outboundDirectDebitResponse", outcome: "ACKNOWLEDGED" },
      { to: "example", operation: "inboundDirectDebit", outcome: "ACKNOWLEDGED" },
    ]);
  });

  test("it reports a closed account, and the debit is unpaid", async () => {
    const { states } = await sluice.until(refused, "UNPAID");
    expect(states.at(-1)?.state).toBe("UNPAID");
    expect(bank.paid).not.toContain(refused);
  });

  test("it is informed of every state, in order", async () => {
    const expected = ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED", "COMPLETED"];
    await expect.poll(() => bank.informed.filter((one) => one.startsWith(uetr)).length, { timeout: 10_000 }).toBe(expected.length);
  });

  test("a debit after the day's last window is the next day's, and is paid then", async () => {
    await sluice.advance("2h");
    const late = randomUUID();
    expect(await bank.collect({ uetr: late, account: customer })).toBe(202);
    await sluice.until(late, "HELD");
    await sluice.openWindow();
    const { businessDate } = await sluice.until(late, "COMPLETED");
    expect(String(businessDate) > sluice.businessDate).toBe(true);
    expect(bank.paid).toContain(late);
  });

  test("a failure shows why: the states so far, and the end of Sluice's log", async () => {
    await expect(sluice.until(uetr, "RETURNED", "50ms")).rejects.toThrow(
      /is not RETURNED within 50ms; its states: RECEIVED, .*COMPLETED\nThe log of Sluice ends with:/s,
    );
    expect(await sluice.timeline(randomUUID())).toBeNull();
  });
});
