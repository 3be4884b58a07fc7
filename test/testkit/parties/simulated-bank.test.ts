import type { ReceiverRequest } from "@sluice/delivery";
import { describe, expect, it } from "vitest";
import type { PartyTransport, TransportAnswer, TransportRequest } from "./client.ts";
import { createMemoryRecorder } from "./recorder.ts";
import { acknowledge, dropConnection, reportSettled, reportRejected, staySilent, type ScriptRule } from "./script.ts";
import { encodeBody, buildDirectDebit, sampleUetr } from "../messages/builders.ts";
import { seededRandom } from "../seeded-random.ts";
import { createSimulatedBank } from "./simulated-bank.ts";
import { createVirtualTime } from "../virtual-time.ts";

const startAtMs = Date.UTC(2026, 10, 20, 6);
const inboundId = `${sampleUetr.replaceAll("-", "")}D`;
const answer = (status: number, retryAfter: string | null = null): TransportAnswer => ({ status, retryAfter, body: new Uint8Array() });
const noAnswer = "no-answer";

/** Creates a bank whose transport gives these answers in turn, and the last one forever. */
function createBank(options: { script?: readonly ScriptRule[]; answers?: readonly (TransportAnswer | null | typeof noAnswer)[] } = {}) {
  const time = createVirtualTime({ startAtMs });
  const recorder = createMemoryRecorder();
  const posts: (TransportRequest & { readonly atMs: number })[] = [];
  const answers = options.answers ?? [answer(202)];
  const transport: PartyTransport = {
    post(request) {
      posts.push({ ...request, atMs: time.monotonicMs() });
      const next = answers[Math.min(posts.length, answers.length) - 1];
      return next === noAnswer || next === undefined ? new Promise(() => {}) : Promise.resolve(next);
    },
    close: () => Promise.resolve(),
  };
  const bank = createSimulatedBank({
    time,
    recorder,
    transport,
    bankId: "first",
    token: "t",
    expectedToken: null,
    giveUpAfterMs: 900_000,
    random: seededRandom(1),
    script: options.script ?? [],
  });
  return { bank, time, recorder, posts };
}

function inboundDebit(): ReceiverRequest {
  const members = { messageIdentifiers: { messageIdentification: inboundId, creationDateTime: "2026-11-20T06:00:01.000Z" } };
  return {
    receiverId: "first",
    operation: "inboundDirectDebit",
    body: encodeBody(buildDirectDebit({ members })),
    headers: { "Webhook-Id": inboundId },
    timeoutMs: 5_000,
  };
}

describe("a simulated bank without sockets", () => {
  it("acknowledges a debit, and reports on it once under the identification with which it came", async () => {
    const { bank, time, posts, recorder } = createBank({ script: [{ reports: [reportSettled({ afterMs: 300 })] }] });
    const first = bank.handle(inboundDebit());
    await time.advance(100);
    expect(await first).toMatchObject({ kind: "answered", status: 202 });
    expect(posts).toHaveLength(0);
    const again = bank.handle(inboundDebit());
    await time.advance(1_000);
    expect(await again).toMatchObject({ status: 202 });
    expect(posts.map(({ operation, atMs }) => ({ operation, atMs }))).toEqual([{ operation: "inboundDirectDebitResponse", atMs: 300 }]);
    expect(JSON.parse(new TextDecoder().decode(posts[0]?.body))).toMatchObject({
      originalMessageIdentifiers: { messageIdentification: inboundId },
      transactionIdentifiers: { uetr: sampleUetr },
      status: { code: "ACSC" },
    });
    expect(recorder.receivedEntries()).toMatchObject([
      { atMs: startAtMs, operation: "inboundDirectDebit", webhookId: inboundId, uetr: sampleUetr, status: 202, stageVersion: null },
      { atMs: startAtMs + 100 },
    ]);
    expect(bank.pendingCount()).toBe(0);
  });

  it("gives no answer within the caller's timeout, or cuts the connection, as scripted", async () => {
    const { bank, time, recorder } = createBank({
      script: [
        { attempts: [1, 1], answer: staySilent },
        { attempts: [2, 2], answer: dropConnection },
        { answer: acknowledge({ afterMs: 6_000 }) },
      ],
    });
    const outcomes: unknown[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      void bank.handle(inboundDebit()).then((outcome) => outcomes.push(outcome));
      await time.advance(5_000);
    }
    expect(outcomes).toEqual([
      { kind: "silent", reason: "timeout" },
      { kind: "silent", reason: "ECONNRESET" },
      { kind: "silent", reason: "timeout" },
    ]);
    expect(recorder.receivedEntries().map(({ status }) => status)).toEqual([null, null, 202]);
  });

  it("reports twice with the same bytes, and gives its reason for a rejected debit", async () => {
    const { bank, time, posts } = createBank({ script: [{ reports: [reportRejected({ copies: 2, reason: "AC04" })] }] });
    void bank.handle(inboundDebit());
    await time.advance(3_000);
    expect(posts).toHaveLength(2);
    expect(posts[0]?.body).toEqual(posts[1]?.body);
    expect(new TextDecoder().decode(posts[0]?.body)).toContain('"AC04"');
  });

  it("repeats the same bytes after a second without an answer, three times a second apart, then as Retry-After asks", async () => {
    const { bank, time, posts, recorder } = createBank({ answers: [noAnswer, null, answer(503, "1"), answer(503, "7"), answer(202)] });
    const sent = bank.sendDebit(buildDirectDebit());
    await time.advance(20_000);
    expect(await sent).toMatchObject({ status: 202, attempts: 5 });
    expect(posts.map(({ atMs }) => atMs)).toEqual([0, 1_000, 2_000, 3_000, 10_000]);
    expect(new Set(posts.map(({ body }) => Buffer.from(body).toString("hex"))).size).toBe(1);
    expect(recorder.sentEntries().map(({ status }) => status)).toEqual([null, null, 503, 503, 202]);
  });

  it("takes a 4xx as final, and gives up when its time is over", async () => {
    const refused = createBank({ answers: [answer(422)] });
    expect(await refused.bank.sendDebit(buildDirectDebit())).toMatchObject({ status: 422, attempts: 1 });
    const down = createBank({ answers: [null] });
    const sent = down.bank.sendDebit(buildDirectDebit());
    await down.time.advance(1_000_000);
    expect(await sent).toMatchObject({ status: null });
    expect(down.posts.at(-1)?.atMs).toBeLessThanOrEqual(900_000);
    expect(down.time.pending()).toBe(0);
  });

  it("answers 400 to an unreadable request, and does not act on it", async () => {
    const { bank, time, posts } = createBank();
    const outcome = bank.handle({ ...inboundDebit(), body: new TextEncoder().encode("{") });
    await time.advance(10);
    expect(await outcome).toMatchObject({ status: 400 });
    expect(posts).toHaveLength(0);
  });
});
