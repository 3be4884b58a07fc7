import { Fault, type Logger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime, sampleConfiguration, seededRandom } from "@sluice/testkit";
import { expect, test, vi } from "vitest";
import { derivedNeed, type Opening, openNeeds } from "./needs.ts";

function openContext() {
  const lines: unknown[][] = [];
  const line = (event: string, fields?: unknown): void => void lines.push([event, fields]);
  const logger: Logger = { debug: line, info: line, warn: line, error: line };
  const time = createVirtualTime({ startAtMs: 0 });
  const stopping = new AbortController();
  const opened = new AsyncDisposableStack();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these needs read no variable
  const environment = {} as Opening["environment"];
  const configuration = sampleConfiguration();
  const opening = {
    name: "x",
    configuration,
    time,
    random: seededRandom(1),
    logger,
    metrics: silentMetrics,
    stopping: stopping.signal,
    opened,
    environment,
  };
  const reasons: (string | null)[] = [];
  return { lines, time, stopping, opening, reasons, wait: { waiting: (reason: string | null) => void reasons.push(reason) } };
}

const away = (text: string): Fault => new Fault("messaging.unavailable", text, { isRetryable: true });

/** A need that fails with each of these before it opens, and records what it closes. */
function openFailing(failures: readonly Error[], closed: string[]) {
  let attempts = 0;
  return derivedNeed(({ opened }) => {
    attempts += 1;
    const attempt = attempts;
    opened.defer(() => void closed.push(`attempt ${attempt}`));
    const failure = failures[attempt - 1];
    if (failure !== undefined) throw failure;
    return "open";
  });
}

test("I16: what is away is waited for, with its reason, and each attempt closes what it opened [D10.32]", async () => {
  const { time, opening, reasons, wait, lines } = openContext();
  const closed: string[] = [];
  const opened = openNeeds({ messaging: openFailing([away("no broker"), away("no topic")], closed) }, opening, wait);
  await vi.waitFor(() => expect(reasons).toEqual(["messaging: no broker"]));
  await time.advance(500);
  await vi.waitFor(() => expect(reasons).toHaveLength(2));
  await time.advance(1_000);
  expect(await opened).toEqual({ messaging: "open" });
  expect(reasons).toEqual(["messaging: no broker", "messaging: no topic", null]);
  expect(closed).toEqual(["attempt 1", "attempt 2"]);
  expect(lines.map(([event]) => event)).toEqual(["service.waiting", "service.waiting", "service.waited"]);
  await opening.opened.disposeAsync();
  expect(closed).toEqual(["attempt 1", "attempt 2", "attempt 3"]);
});

test("the same reason is said every 10 s, and a wait is at most 5 s long", async () => {
  const { time, opening, reasons, wait, lines } = openContext();
  const failures = Array.from({ length: 8 }, () => away("no broker"));
  const opened = openNeeds({ messaging: openFailing(failures, []) }, opening, wait);
  const waitsMs = [500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000];
  for (const [index, waitMs] of waitsMs.entries()) {
    await vi.waitFor(() => expect(reasons).toHaveLength(index + 1));
    await time.advance(waitMs);
  }
  await opened;
  expect(lines.filter(([event]) => event === "service.waiting")).toHaveLength(3);
});

test("what a person must mend is not waited for, and a stop ends the wait", async () => {
  const { opening, wait, stopping, reasons } = openContext();
  const wrong = new Fault("messaging.not-spoken", "too old", { isRetryable: false });
  await expect(openNeeds({ messaging: openFailing([wrong], []) }, opening, wait)).rejects.toBe(wrong);
  const waiting = openNeeds({ messaging: openFailing([away("no broker"), away("no broker")], []) }, opening, wait);
  await vi.waitFor(() => expect(reasons).toHaveLength(1));
  stopping.abort();
  await expect(waiting).rejects.toThrow("no broker");
});

test("a need is called as people call it, if it says how", async () => {
  const { time, opening, reasons, wait, lines } = openContext();
  const opened = openNeeds({ serde: { ...openFailing([away("no answer")], []), label: "registry" } }, opening, wait);
  await vi.waitFor(() => expect(reasons).toEqual(["registry: no answer"]));
  await time.advance(500);
  await opened;
  expect(lines[0]).toEqual(["service.waiting", expect.objectContaining({ need: "registry", reason: "registry: no answer" })]);
});
