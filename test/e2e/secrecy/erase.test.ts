// Erases a bank's month as people do: `./sluice erase` of one person, `./sluice confirm` of another. All services run
// in one process over memory adapters with a clock that can be moved, because real servers cannot be two days ahead,
// and a month has to be over. Commands and banks are real ones, over HTTP.

import { createSteeredTime, startAll } from "@sluice/all";
import { createFixedSerde, type Serde } from "@sluice/contracts";
import { rulesVersion } from "@sluice/domain";
import { machineRandom, machineTime, silentLogger } from "@sluice/kernel";
import { journalHandlers, rebuildPartitions } from "@sluice/scheduler";
import { createDataKeys, createSealingSerde } from "@sluice/secrecy";
import { createMemoryKeyService } from "@sluice/secrecy/key-service.fixture";
import { createMetrics, listen, listenLimitsDefault } from "@sluice/service";
import {
  buildDirectDebit,
  drawUetr,
  sampleBank,
  sampleConfiguration,
  sampleOperator,
  sampleToken,
  startBankSimulator,
} from "@sluice/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runSluice } from "../command-line.ts";
import { readOpenedRecords } from "./at-rest.fixture.ts";
import { fillPersonal, listCanaries } from "./canaries.ts";

const host = "127.0.0.1";
/** The last day of a month, an hour before its window opens. */
const startAtMs = Date.parse("2026-11-30T07:00:00+02:00");
const hourMs = 3_600_000;
const forgottenMs = 11 * 60_000;
const operators = ["thandi", "sipho"] as const;
const opened = new AsyncDisposableStack();
const keyService = createMemoryKeyService();
const time = createSteeredTime({ machine: machineTime, startAtMs });
const configuration = { partitionCount: 2 };
let stage: Awaited<ReturnType<typeof openStage>>;

async function openStage() {
  const party = { time: machineTime, random: machineRandom, token: sampleToken("first"), ingressUrl: null, host, port: 0 };
  const bank = await startBankSimulator({ ...party, bankId: "first" });
  opened.defer(() => bank.stop());
  const configured = sampleConfiguration({
    ...configuration,
    banks: [sampleBank({ id: "first", baseUrl: bank.url, eventsUrl: bank.url, allowedAddresses: ["127.0.0.0/8"] })],
    operators: operators.map((id) => sampleOperator({ id })),
    secondPerson: { actions: ["erase"], proposalLifetimeMs: 24 * hourMs },
    sealPersonalData: true,
  });
  const failures: unknown[] = [];
  const all = await startAll({
    time,
    random: machineRandom,
    environment: { SLUICE_LOG_LEVEL: "warn", SLUICE_NAME_SERVERS: null },
    configuration: configured,
    keys: keyService,
    logger: silentLogger,
    metrics: createMetrics({ withProcess: false }),
    stopping: new AbortController().signal,
    logTo: { write: () => {} },
    fail: (reason) => void failures.push(reason),
    opened,
  });
  const serve = async (fetch: typeof all.fetch): Promise<string> => {
    const listening = await listen({ host, port: 0, fetch, limits: listenLimitsDefault, logger: silentLogger });
    opened.defer(() => listening.close(100));
    return `http://${host}:${listening.port}`;
  };
  const bankUrl = await serve(all.fetch);
  bank.setIngressUrl(bankUrl);
  const controlUrl = await serve(all.fetchControl);
  await vi.waitUntil(() => all.readiness().isReady, { timeout: 60_000 });
  return { all, bank, bankUrl, controlUrl, configured, failures };
}

beforeAll(async () => {
  stage = await openStage();
}, 120_000);
afterAll(() => opened.disposeAsync());

/** What somebody reads who starts today. */
function openSerde(): Serde {
  return createSealingSerde({ serde: createFixedSerde(), keys: createDataKeys({ service: keyService, time: machineTime }) });
}

function sluice(person: (typeof operators)[number], ...words: readonly string[]) {
  return runSluice([...words, "--console", stage.controlUrl], { SLUICE_OPERATOR_TOKEN: sampleToken(person) });
}

async function stateOf(uetr: string): Promise<string | undefined> {
  return (await stage.all.store.transactions.load([uetr])).get(uetr)?.transaction.state;
}

function untilState(uetr: string, state: string): Promise<unknown> {
  return vi.waitFor(async () => expect(await stateOf(uetr)).toBe(state), { timeout: 60_000, interval: 20 });
}

/** Sends a full debit before a window, and has it paid in the window. */
async function playDebit(): Promise<{ readonly uetr: string; readonly canaries: readonly string[] }> {
  const uetr = drawUetr(machineRandom);
  const nowMs = time.nowMs();
  const identified = { uetr, messageIdentification: uetr.slice(0, 13), creationDateTime: new Date(nowMs).toISOString() };
  const message = fillPersonal(buildDirectDebit(identified), machineRandom);
  const canaries = listCanaries([message]);
  expect(await stage.bank.sendDebit(message)).toMatchObject({ status: 202 });
  await untilState(uetr, "HELD");
  await time.advance(2 * hourMs);
  await untilState(uetr, "COMPLETED");
  return { uetr, canaries };
}

async function readAll(): Promise<string> {
  const texts = await readOpenedRecords(stage.all.messaging, openSerde(), configuration.partitionCount);
  return [...texts.values()].join("\n");
}

test("two persons erase a month: what it says of persons is read by nobody, a rebuild goes without it, and work goes on [D10.114]", async () => {
  const { all, configured } = stage;
  const november = await playDebit();
  const before = await readAll();
  expect(november.canaries.length).toBeGreaterThan(10);
  expect(november.canaries.filter((canary) => !before.includes(canary))).toEqual([]);
  const erase = ["erase", "--bank", "first", "--month", "2026-11", "--reason", "ticket 4715", "--id", "e-1"];

  const tooEarly = await sluice("thandi", ...erase);
  expect([tooEarly.code, tooEarly.stderr]).toEqual([4, expect.stringContaining("not-over")]);

  // Behind the end of the month, its two days, and the day's close.
  await time.advance(Date.parse("2026-12-03T07:00:00+02:00") - time.nowMs());
  const proposed = await sluice("thandi", ...erase);
  expect([proposed.code, proposed.stdout, proposed.stderr]).toEqual([0, expect.stringContaining("proposed as e-1"), ""]);
  expect((await keyService.list()).find(({ scope }) => scope === "first/2026-11")).toMatchObject({ isDestroyed: false });
  const { stdout } = await sluice("sipho", "proposals");
  const [, offset = "", sha256 = ""] = /confirm 'e-1' --offset (\d+) --sha256 ([0-9a-f]+)/.exec(stdout) ?? [];
  const confirm = ["confirm", "e-1", "--offset", offset, "--sha256", sha256, "--reason", "seen", "--yes"];
  const byOneself = await sluice("thandi", ...confirm);
  expect(byOneself.code).not.toBe(0);
  const confirmed = await sluice("sipho", ...confirm);
  expect([confirmed.code, confirmed.stderr]).toEqual([0, ""]);
  expect(await keyService.list()).toEqual([{ scope: "first/2026-11", isDestroyed: true }]);

  // By now every process has forgotten the key.
  await time.advance(forgottenMs);
  const after = await readAll();
  expect(november.canaries.filter((canary) => after.includes(canary))).toEqual([]);
  expect(after).toContain(november.uetr);
  const list = await fetch(`${stage.bankUrl}/transactions/${november.uetr}/events`, {
    headers: { authorization: `Bearer ${sampleToken("first")}` },
  });
  expect([list.status, await list.json()]).toMatchObject([200, { events: [], next: null }]);
  const shown = await sluice("thandi", "tx", november.uetr);
  expect([shown.code, shown.stdout, shown.stderr]).toEqual([0, expect.stringContaining("COMPLETED"), ""]);
  expect(november.canaries.filter((canary) => shown.stdout.includes(canary))).toEqual([]);
  const ports = { store: all.store, messaging: all.messaging, serde: openSerde(), time, configuration: configured };
  const builder = { handlers: journalHandlers, rulesVersion, service: "scheduler", builderId: "builder-1", progress: () => {} };
  const built = await rebuildPartitions(
    { ...ports, ...builder, partitionCount: configuration.partitionCount },
    null,
    { isDryRun: false, accepts: "nothing" },
    () => {},
  );
  expect(built.map(({ differences, isSwitched }) => [differences, isSwitched])).toEqual(built.map(() => [[], true]));
  expect(built.reduce((sum, { documents }) => sum + documents, 0)).toBe(1);

  const december = await playDebit();
  const later = await readAll();
  expect(december.canaries.filter((canary) => !later.includes(canary))).toEqual([]);
  expect(await stateOf(november.uetr)).toBe("COMPLETED");
  expect(stage.failures).toEqual([]);
}, 300_000);
