import { once } from "node:events";
import { createServer } from "node:http";
import { dayKey, decideDay, type Day, type DayFact } from "@sluice/domain";
import { machineTime } from "@sluice/kernel";
import { createMemoryStore } from "@sluice/store";
import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { planDemoDay } from "../plan/day.ts";
import { getMember, getNumber, getText } from "./console-client.ts";
import { extendWhileSlow } from "./slow-close.ts";

const silent = { act: () => {}, stop: () => {}, recorder: (_: unknown, inner: never) => inner };
const [scheme, businessDate] = ["ZA_EFT", "2026-11-27"] as const;
const key = dayKey(scheme, businessDate);
const action = { id: "a", operator: "thandi", person: null, confirmedBy: null, reason: "r", requestedAtMs: 0, contentSha256: "" };

interface Slowness {
  readonly transactions: "all" | "none";
  /** When the day decides requests, counted from the close of its window. */
  readonly decidedAfterCloseMs: number;
}

/**
 * A console that takes every request, a day that decides each by the domain's own rules, and debits of which none comes
 * through. It ends after the first extension that the day granted.
 */
async function playSlow({ transactions, decidedAfterCloseMs }: Slowness) {
  const nowMs = machineTime.nowMs();
  const closing = { opensAtMs: nowMs - 9_000, closesAtMs: nowMs + 2_600, reconciliationAtMs: nowMs + 4_000 };
  const store = createMemoryStore({ time: machineTime, random: seededRandom(2) });
  let day: Day | null = null;
  const decide = async (fact: DayFact, appendedAtMs: number): Promise<void> => {
    const { day: after } = decideDay(key, day, fact, { offset: (day?.applied ?? 0n) + 1n, appendedAtMs });
    if (after === null) throw new Error("the day is planned first");
    await store.days.write(after, day?.version ?? 0);
    day = after;
  };
  const windows = [{ number: 1, opensAtMs: closing.opensAtMs, closesAtMs: closing.closesAtMs }];
  const dates = { zone: "+02:00", nextBusinessDate: "2026-11-28", calendarVersion: "demo/1", isWorkingDay: true, partitionCount: 1 };
  const times = { windows, cutOffAtMs: closing.closesAtMs - 1, reconciliationAtMs: closing.reconciliationAtMs };
  await decide({ kind: "DayPlanned", scheme, businessDate, creditsFinal: "connector", ...dates, ...times }, nowMs - 10_000);
  await decide({ kind: "DayTimeReached", scheme, businessDate, time: "window-opens", number: 1 }, closing.opensAtMs);

  const bodies: unknown[] = [];
  const answered = async (body: unknown): Promise<void> => {
    bodies.push(body);
    const atMs = closing.closesAtMs + decidedAfterCloseMs;
    // The scheduler's own alarm comes before whatever waited longer.
    if (decidedAfterCloseMs >= 0) await decide({ kind: "DayTimeReached", scheme, businessDate, time: "window-closes", number: 1 }, atMs);
    const closesAtMs = Temporal.Instant.from(getText(body, "closesAt")).epochMilliseconds;
    const asked = { action: { ...action, id: `${bodies.length}` }, windowNumber: getNumber(body, "window") ?? -1, closesAtMs };
    await decide({ kind: "CloseExtensionRequested", scheme, businessDate, ...asked }, atMs);
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => void answered(JSON.parse(Buffer.concat(parts).toString())).then(() => response.writeHead(202).end("{}")));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = Number(getMember(server.address(), "port"));

  const planned = planDemoDay(seededRandom(1), 1, 0);
  const stopping = new AbortController();
  const said: string[] = [];
  const narrator = { ...silent, say: (_: string, what: string) => void said.push(what), awaits: () => stopping.abort() };
  const moved = { zone: "+02:00", businessDate, cutOffMs: 1, ...closing };
  const problems = await extendWhileSlow(
    {
      time: machineTime,
      operators: [{ id: "thandi", name: "Thandi", roles: ["act"], token: "t" }],
      controlUrl: `http://127.0.0.1:${port}`,
      day: transactions === "all" ? planned : { ...planned, transactions: [] },
      narrator,
      store,
      signal: stopping.signal,
    },
    moved,
  );
  server.close();
  const laterMs = [moved.closesAtMs - closing.closesAtMs, moved.reconciliationAtMs - closing.reconciliationAtMs];
  return { windowsAsked: bodies.map((body) => getNumber(body, "window")), said, laterMs, problems };
}

test("a day that is not through is extended: first its reconciliation, then its window, and the demo says so", async () => {
  const { windowsAsked, said, laterMs, problems } = await playSlow({ transactions: "all", decidedAfterCloseMs: -2_400 });
  expect(said).toEqual([expect.stringMatching(/^this machine is slow: \d+ are not through, and Thandi extends the close by 10 s$/)]);
  expect([windowsAsked, laterMs, problems]).toEqual([[0, 1], [10_000, 10_000], []]);
});

test("a day that is through is not extended", async () => {
  const { windowsAsked, said, laterMs } = await playSlow({ transactions: "none", decidedAfterCloseMs: -2_400 });
  expect([said, windowsAsked, laterMs]).toEqual([[], [], [0, 0]]);
});

test("an extension that comes after the close is the last: the demo says that the machine is too slow, and its day ends", async () => {
  const { windowsAsked, said, laterMs, problems } = await playSlow({ transactions: "all", decidedAfterCloseMs: 400 });
  expect(said.slice(1)).toEqual([expect.stringMatching(/^this machine is too slow: the window closed before it was extended/)]);
  // The reconciliation close was not reached, so it did move; the window did not.
  expect([windowsAsked, laterMs, problems]).toEqual([[0, 1], [0, 10_000], []]);
});
