// For tests: the console on a port over memory, and a real browser in front of it.

import { silentLogger } from "@sluice/kernel";
import { listen, listenLimitsDefault } from "@sluice/service";
import { sampleToken } from "@sluice/testkit";
import axe from "axe-core";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import type { AskedAlarms, AskedProcess } from "@sluice/process";
import { answerAs, silentProcess } from "../../processes/processes.fixture.ts";
import { openDecisionEnvironment, planOpenDay, type JournalledRecord } from "../../decisions/decisions.fixture.ts";

const closeMaxMs = 100;
const paceMs = 200;
const opens = { kind: "DayTimeReached", scheme: "ZA_EFT", businessDate: "2026-11-20", time: "window-opens", number: 1 } as const;

type DecisionEnvironment = Awaited<ReturnType<typeof openDecisionEnvironment>>;
export type ConsoleOnPort = Awaited<ReturnType<typeof openConsoleOnPort>>;

/** One process is not ready and one does not answer, so that a page has all that it can show. */
async function answerWithProcesses(): Promise<readonly AskedProcess[]> {
  const readiness = { isReady: false, reasons: ["scheduler: partition 1: the store does not answer since 2026-11-20T06:00:00.000Z"] };
  return [
    await answerAs({ service: "scheduler", owned: { 0: 12, 2: 4 }, decisionRules: 3 }, "http://10.0.0.1:9464"),
    await answerAs({ service: "scheduler", owned: { 1: 1_234_567 }, hash: "0123456789ab", readiness }, "http://10.0.0.2:9464"),
    silentProcess("http://10.0.0.3:9464", "ECONNREFUSED"),
  ];
}

/** One alarm that is loud and one that is silenced. */
async function answerWithAlarms(): Promise<AskedAlarms> {
  const alarm = (alertname: string, severity: string, silencedBy: readonly string[]) => ({
    labels: { alertname, severity, scheme: "ZA_EFT", bank: "first" },
    annotations: { summary: `${alertname} fires`, description: "Read the runbook.", runbook_url: "docs/runbooks/a-gate-stays-closed.md" },
    startsAt: "2026-11-20T05:59:00.000Z",
    status: { silencedBy },
  });
  const alarms = [alarm("SluiceWindowMissed", "critical", []), alarm("SluiceGateClosed", "warning", ["silence-1"])];
  return await Promise.resolve({ kind: "answered", text: JSON.stringify(alarms) });
}

/**
 * One request after the other: each of them moves the virtual time until it is answered. A decision is applied at once,
 * as a scheduler would.
 */
export async function openConsoleOnPort(
  over: Parameters<typeof openDecisionEnvironment>[0] = {},
  prepare: (environment: DecisionEnvironment) => Promise<void> = ({ saveDay }) => saveDay(planOpenDay(), opens),
  helpFolder: string | null = null,
) {
  const secondPerson = { actions: [], proposalLifetimeMs: 3_600_000 };
  const environment = await openDecisionEnvironment(
    { secondPerson, resolutionNeedsSecondPerson: true, ...over },
    { askAlarms: answerWithAlarms, askProcesses: answerWithProcesses, helpFolder },
  );
  await prepare(environment);
  let last: Promise<unknown> = Promise.resolve();
  const applied = new Set<string>();

  async function applyDecisions(): Promise<void> {
    for (const record of environment.journal()) {
      const place = `${record.partition}:${record.offset}`;
      if (!isDecision(record) || applied.has(place)) continue;
      applied.add(place);
      await environment.judge(record);
    }
  }

  async function passTime(): Promise<void> {
    await environment.time.advance(paceMs);
    await applyDecisions();
  }

  /** Changes of the test and questions of the browser follow each other. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work);
    last = next.catch(() => null);
    return next;
  }

  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    limits: listenLimitsDefault,
    logger: silentLogger,
    fetch: (request) =>
      inTurn(async () => {
        const body = request.method === "POST" ? await request.arrayBuffer() : null;
        const whole = new Request(request.url, { method: request.method, headers: request.headers, body });
        await environment.time.advance(20);
        const response = await environment.settled(environment.desk.fetchControl(whole));
        await applyDecisions();
        return response;
      }),
  });
  // Streams live from the time that passes.
  const pace = setInterval(() => void inTurn(passTime), paceMs);
  const close = async (): Promise<void> => {
    clearInterval(pace);
    await last;
    await listener.close(closeMaxMs);
  };
  return { ...environment, inTurn, address: `http://127.0.0.1:${listener.port}`, close, [Symbol.asyncDispose]: close };
}

function isDecision({ decoded }: JournalledRecord): boolean {
  return "action" in decoded.value;
}

/** The browser that the part `browser` found, or Debian's. */
export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: process.env["SLUICE_CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}

export async function signIn(context: BrowserContext, { address }: ConsoleOnPort, operator = "operator"): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await page.getByLabel("Token").fill(sampleToken(operator));
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  return page;
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds against WCAG 2.2 AA and its own best practices. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found: readonly Violation[] = await page.evaluate("axe.run().then(({ violations }) => violations)");
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary = "" }) => `${id}: ${html} ${failureSummary}`));
}
