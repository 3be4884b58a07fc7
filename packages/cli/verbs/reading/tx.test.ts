import { expect, test } from "vitest";
import { buildCall, createFakeConsole, runAndRead } from "../../terminal/console.fixture.ts";
import { runStatus } from "../local/status.ts";
import { runTx } from "./tx.ts";

const uetr = "0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60";
const timeline = {
  uetr,
  partition: 3,
  state: "HELD",
  flow: "on-us",
  scheme: "ZA_EFT",
  bank: "sample",
  businessDate: "2026-11-20",
  reconciliationDay: "ZA_EFT:2026-11-20",
  deadlineMs: null,
  outcome: null,
  amount: "ZAR 1250.50",
  states: [],
  messages: [],
  facts: [],
  items: [],
  observations: [],
  decisions: [],
  pauses: [],
  quarantined: null,
  sharesIdentificationWith: [],
  isComplete: true,
};
const waiting: unknown = JSON.parse(
  `{ "for": "gate", "why": "gate closed: credits not declared\\u001b[2J", "since": "2026-11-20T05:00:02.003Z",
     "nextAttempt": null, "until": "2026-11-20T15:30:00.000Z", "then": "an item of row 0, GATE_CLOSED" }`,
);

test("tx asks the console that is named, as every reading verb does", async () => {
  const console = createFakeConsole([{ schema: "Transaction", timeline }], { SLUICE_OPERATOR_TOKEN: "mine" });
  await runTx(buildCall({ console: "https://console.example" }, uetr.toUpperCase()), console.where);
  expect(console.asked).toEqual([{ url: `https://console.example/control/v1/transactions/${uetr}`, authorization: "Bearer mine" }]);
  expect(console.text()).toMatch(/^0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60 {2}HELD {2}on-us {2}ZA_EFT 2026-11-20 {2}ZAR 1250\.50 {2}sample/);
});

test("tx says why a transaction waits and what comes next; text from outside cannot move the cursor", async () => {
  const text = await runAndRead(runTx, [{ schema: "Transaction", timeline, waiting }], buildCall({}, uetr));
  expect(text.split("\n").slice(1, 3)).toEqual([
    "waits: gate closed: credits not declared·[2J, since 2026-11-20 05:00:02Z",
    "next:  until 2026-11-20 15:30:00Z; an item of row 0, GATE_CLOSED",
  ]);
  const ended = await runAndRead(runTx, [{ schema: "Transaction", timeline, waiting: null }], buildCall({}, uetr));
  expect(ended).not.toContain("waits:");
});

test("tx --json prints the console's answer unchanged, with its schema", async () => {
  const answer = { schema: "Transaction", timeline, waiting };
  expect(JSON.parse(await runAndRead(runTx, [answer], buildCall({ json: true }, uetr)))).toEqual(answer);
});

test("tx refuses what is no UETR, and a server that gives no timeline", async () => {
  await expect(runTx(buildCall({}, "123"), createFakeConsole([{}]).where)).rejects.toThrow("123 is no UETR");
  await expect(runTx(buildCall({}, uetr), createFakeConsole([{}]).where)).rejects.toThrow("no timeline");
});

test("status asks the console that is named: lag, partitions without an owner, paused banks and missed windows", async () => {
  const partition = (service: string, lag: string, epoch: number | null, behindSeconds: number | null = 0) => {
    return { service, partition: 0, lag, epoch, behindSeconds };
  };
  const body = {
    schema: "ControlStatus",
    partitions: [partition("scheduler", "3", 1, 7), partition("scheduler", "40", 1, 95), partition("dispatcher", "0", null, null)],
    banksPaused: [{ bank: "sample", since: "2026-11-20T05:00:00.000Z", until: null, operator: "thandi", reason: "no answer" }],
    days: [{ day: "ZA_EFT:2026-11-20", windowOpen: null, missed: [1], nextOpening: null, reconciliation: "2026-11-20T15:30:00.000Z" }],
  };
  const console = createFakeConsole([body], { SLUICE_OPERATOR_TOKEN: "mine", SLUICE_CONTROL_URL: "https://console.example" });
  expect(await runStatus(buildCall(), console.where)).toBe(1);
  expect(console.asked.map(({ url }) => url)).toEqual(["https://console.example/control/v1/status"]);
  expect(console.text().trimEnd().split("\n")).toEqual([
    "SERVICE     PARTITIONS  NOT OWNED  LAG  LARGEST LAG  SECONDS",
    "scheduler            2          0   43           40       95",
    "dispatcher           1          1    0            0        -",
    "sample: paused since 2026-11-20 05:00:00Z by thandi: no answer",
    "ZA_EFT:2026-11-20: next opening -, reconciliation 2026-11-20 15:30:00Z; MISSED window 1",
  ]);
  const well = { schema: "ControlStatus", partitions: [partition("scheduler", "0", 1)], banksPaused: [], days: [] };
  expect(await runStatus(buildCall({ console: "http://127.0.0.1:1" }), createFakeConsole([well]).where)).toBe(0);
});
