// For tests: a day as screenshots show it, and the pages that they show. It is the same at each run, so that the hash
// of what is rendered tells whether the pictures are still true.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { sampleBank } from "@sluice/testkit";
import { consoleStartAtMs, day, openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { buildItem, buildParkedMessage, buildStoredTransaction, consoleUetrAt, saveTransactions } from "../queries/stored-data.fixture.ts";
import { openReader, type Shown } from "./browser.fixture.ts";

type Environment = Awaited<ReturnType<typeof openDecisionEnvironment>>;

const minuteMs = 60_000;
const minutes = 40;
const opens = { kind: "DayTimeReached", scheme: "ZA_EFT", businessDate: "2026-11-20", time: "window-opens", number: 1 } as const;

export const shownConfiguration = {
  banks: [
    sampleBank({ id: "acacia", name: "Acacia Bank", eventsUrl: "https://acacia.example/events" }),
    sampleBank({ id: "baobab", name: "Baobab Bank", branch: "632005" }),
    sampleBank({ id: "cycad", name: "Cycad Bank", branch: "470010" }),
  ],
};

/** The pages, by the names of their pictures. */
export const shownPages = {
  now: "/",
  bank: "/banks/acacia",
  transaction: `/transactions/${consoleUetrAt(3)}`,
  search: "/search?state=HELD&counts=yes",
  day: `/days/${day}`,
} as const;

/** A morning: debits come and go, one bank throttles, one refused some reports, one is paused. */
export async function prepareShownDay(environment: Environment): Promise<void> {
  await environment.saveDay(planOpenDay(), opens);
  const { store, settled } = environment;
  for (const service of ["scheduler", "dispatcher", "event-publisher"])
    for (const partition of [0, 1, 2]) await settled(store.partitions.takeOver(service, partition));
  const breaker = { sinceMs: consoleStartAtMs + 35 * minuteMs, reason: "ECONNREFUSED" };
  const health = {
    receiverId: "acacia",
    concurrency: 4,
    retryAfterUntilMs: null,
    updatedAtMs: consoleStartAtMs,
    check: null,
    changes: [],
    checks: [],
  };
  const origin = (id: string): string => new URL(shownConfiguration.banks.find((bank) => bank.id === id)?.baseUrl ?? "").origin;
  for (let minute = 1; minute <= minutes; minute += 1) {
    await saveMinute(environment, minute);
    await environment.time.advance(minuteMs);
  }
  await settled(store.endpointHealth.write([{ ...health, service: "dispatcher", origin: origin("acacia"), breaker }]));
  await environment.control("/banks/cycad/pause", { body: { reason: "maintenance of its core system" }, actionId: "pause-1" });
  for (const record of environment.journal()) await environment.judge(record);
  await saveMinute(environment, minutes + 1);
  await environment.time.advance(minuteMs);
}

/** Each minute some debits complete and some are held; what waits for one bank grows, and then falls. */
async function saveMinute(environment: Environment, minute: number): Promise<void> {
  const completed = 6 + Math.round(4 * Math.sin(minute / 5));
  const debits = Array.from({ length: completed + 2 }, (_, index) => {
    const isHeld = index >= completed;
    const bank = ["acacia", "baobab", "cycad"][(minute + index) % 3] ?? "acacia";
    const amountTenThousandths = BigInt(1_000 + ((minute * 37 + index * 113) % 900) * 50) * 10_000n;
    return buildStoredTransaction(isHeld ? "HELD" : "COMPLETED", minute * 100 + index, {
      bank,
      amountTenThousandths,
      applied: -1n,
      reconciliationDay: day,
    });
  });
  await saveTransactions(environment, debits);
  const parked = minute > 12 && minute <= 30 ? 5 : 0;
  const at = { atMs: consoleStartAtMs + minute * minuteMs, httpStatusCode: null, answer: "ECONNREFUSED", tookMs: 3, address: null };
  const messages = Array.from({ length: parked }, (_, index) =>
    buildParkedMessage(`M${minute}-${index}`, BigInt(minute * 10 + index), {
      receiverId: "acacia",
      uetr: consoleUetrAt(minute * 100 + index),
      recentAttempts: [{ ...at, class: "transient" }],
    }),
  );
  if (messages.length > 0) await environment.settled(environment.store.deliveries.insert(messages));
  if (minute > 32) {
    const gone = Array.from({ length: 5 }, (_, index) => ({ id: `M${minute - 20}-${index}`, version: 1n }));
    await environment.settled(environment.store.deliveries.remove(gone));
  }
  if (minute === 3) await saveRefused(environment);
}

async function saveRefused(environment: Environment): Promise<void> {
  const evidence = {
    attempts: 1,
    anyAnswer: true,
    mayHaveBeenTaken: false,
    httpStatusCode: 422,
    isBreakerOpen: false,
    isReceiverPaused: false,
  };
  const item = buildItem({ row: 3, state: "ACCEPTED", evidence });
  const about = { bank: "acacia", applied: -1n, reconciliationDay: day, items: [item] } as const;
  await saveTransactions(
    environment,
    [3, 4].map((index) => buildStoredTransaction("ACCEPTED", index, about)),
  );
  const attempt = { atMs: consoleStartAtMs, httpStatusCode: 422, tookMs: 12, address: null, class: "refused" } as const;
  const messages = [3, 4].map((index) =>
    buildParkedMessage(`R-${index}`, BigInt(index), {
      receiverId: "acacia",
      uetr: consoleUetrAt(index),
      deliveryKey: consoleUetrAt(index),
      operation: "outboundDirectDebitResponse",
      ended: "refused",
      attempts: 1,
      recentAttempts: [{ ...attempt, answer: '{"message":"branch 250655 is not loaded"}' }],
    }),
  );
  await environment.settled(environment.store.deliveries.insert(messages));
}

/** Renders every page without a browser, as the operator sees it. */
export async function renderShownPages(): Promise<Readonly<Record<string, Shown>>> {
  const environment = await openDecisionEnvironment(shownConfiguration);
  await prepareShownDay(environment);
  const reader = openReader(environment);
  await reader.signIn();
  const shown: Record<string, Shown> = {};
  for (const [name, path] of Object.entries(shownPages)) shown[name] = await reader.ask(path);
  return shown;
}

/** SHA-256 of what each page is made of: its HTML and the style sheet. */
export async function hashShownPages(): Promise<Readonly<Record<string, string>>> {
  const style = readFileSync(new URL("assets/console.css", import.meta.url));
  const pages = await renderShownPages();
  return Object.fromEntries(
    Object.entries(pages).map(([name, { text }]) => {
      // The form token and the milliseconds of a time show nowhere.
      const seen = text.replaceAll(/[0-9a-f]{64}/g, "").replaceAll(/ datetime="[^"]*"/g, "");
      return [name, createHash("sha256").update(seen).update(style).digest("hex")];
    }),
  );
}
