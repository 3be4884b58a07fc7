import { createMemoryRecorder, createVirtualTime, seededRandom } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { planDemoDay, type DemoTransaction } from "./plan/day.ts";
import { createNarrator } from "./narrator.ts";

const day = planDemoDay(seededRandom(1), 20, 0);
const good = day.transactions.filter(({ kind }) => kind === "good");
const body = new Uint8Array();

function createNarratorAndRecorder() {
  const time = createVirtualTime({ startAtMs: 0 });
  const lines: string[] = [];
  const narrator = createNarrator(time, (line) => lines.push(line.replace(/^ *[\d.]+ s +/, "")));
  const inner = createMemoryRecorder();
  const recorder = narrator.recorder(day, inner);
  const common = { atMs: 0, bodyHash: "" };
  const event = ({ bank, uetr }: DemoTransaction, stageVersion: number, state: string): void =>
    recorder.received(
      { ...common, kind: "received", bank, uetr, operation: "events", webhookId: "w", status: 202, stageVersion, state },
      body,
      {},
    );
  const sent = ({ bank, uetr }: DemoTransaction, status: number | null): void =>
    recorder.sent({ ...common, kind: "sent", bank, uetr, operation: "outboundDirectDebit", messageIdentification: "m", status }, body);
  return { time, lines, inner, event, sent, narrator };
}

describe("the narrator", () => {
  it("counts the many good debits, each in its latest place", async () => {
    const { time, lines, inner, event } = createNarratorAndRecorder();
    for (const debit of good) event(debit, 1, "RECEIVED");
    for (const debit of good.slice(0, 5)) event(debit, 2, "ACCEPTED");
    event(good[0]!, 1, "RECEIVED");
    for (const debit of good.slice(0, 2)) event(debit, 3, "HELD");
    await time.advance(2_000);
    expect(lines).toEqual(["all        18 in checks · 2 held"]);
    await time.advance(5_000);
    expect(lines).toHaveLength(1);
    expect(inner.requests).toHaveLength(28);
  });

  it("writes the planned end of a kind once, in words, however many transactions have it", () => {
    const { lines, event } = createNarratorAndRecorder();
    const special = day.transactions.find(({ kind }) => kind === "rejected")!;
    for (let copy = 0; copy < 3; copy += 1) event(special, 7, "UNPAID");
    for (const other of day.transactions.filter(({ kind }) => kind === "rejected")) event(other, 7, "UNPAID");
    expect(lines).toEqual(["protea     a debit that its bank refuses ends unpaid"]);
  });

  it("writes the first few posts without an answer and counts the rest", async () => {
    const { time, lines, sent } = createNarratorAndRecorder();
    for (const debit of good) sent(debit, null);
    await time.advance(2_000);
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toContain("20 posts in all had no 202");
  });

  it("begins each act once, and numbers them", () => {
    const { narrator, lines } = createNarratorAndRecorder();
    for (const title of ["First", "First", "Second"]) narrator.act(title);
    expect(lines).toEqual(["\n1. First", "\n2. Second"]);
  });

  it("is never silent for long while the day waits for something", async () => {
    const { time, narrator, lines } = createNarratorAndRecorder();
    narrator.awaits("the window closes", 10_000);
    await time.advance(20_000);
    expect(lines).toEqual(["day        waits: the window closes in 6 s", "day        waits: the window closes in 2 s"]);
  });
});
