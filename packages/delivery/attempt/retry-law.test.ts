import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReceiverAnswer } from "../port.ts";
import { backOffBoundMs, classifyAnswer, mayHaveTaken, parseRetryAfterMs, retryWaitMs, type AttemptFailure } from "./retry-law.ts";

const accepts202 = (status: number): boolean => status === 202;
const answered = (status: number, retryAfter: string | null = null): ReceiverAnswer => ({
  kind: "answered",
  status,
  retryAfter,
  body: new Uint8Array(),
});
const always = (fraction: number) => ({ fraction: () => fraction, hex: () => "" });
const failure = (members: Partial<AttemptFailure> = {}): AttemptFailure => ({
  class: "transient",
  attempts: 1,
  retryAfter: null,
  nowMs: Date.UTC(2026, 10, 20, 12),
  deadlineMs: null,
  attemptTimeoutMs: 5_000,
  ...members,
});
const minutes = 60_000;

describe("the class of an answer (I12)", () => {
  it.each([
    [202, "acknowledged"],
    ...[408, 425, 429, 500, 502, 503, 504, 599].map((status) => [status, "transient"] as const),
    ...[401, 403, 404, 405, 407, 410, 421].map((status) => [status, "address"] as const),
    ...[300, 301, 302, 303, 307, 308, 399].map((status) => [status, "address"] as const),
    ...[200, 201, 203, 204, 206, 299].map((status) => [status, "address"] as const),
    ...[400, 402, 406, 409, 411, 412, 413, 415, 418, 422, 451, 499].map((status) => [status, "refused"] as const),
    ...[100, 101, 199, 600, 999].map((status) => [status, "transient"] as const),
  ] as const)("I12: %i is %s [7.3] [D3 classes]", (status, expected) => {
    expect(classifyAnswer(answered(status), accepts202)).toBe(expected);
  });

  it("I12: no response is transient, and about the address where nobody could be asked", () => {
    expect(classifyAnswer({ kind: "silent", reason: "ECONNREFUSED" }, accepts202)).toBe("transient");
    expect(classifyAnswer({ kind: "silent", reason: "timeout" }, accepts202)).toBe("transient");
    expect(classifyAnswer({ kind: "silent", reason: "no-address" }, accepts202)).toBe("address");
  });

  it("I12: the caller says what acknowledges, before everything else", () => {
    expect(classifyAnswer(answered(409), (status) => status === 202 || status === 409)).toBe("acknowledged");
    expect(classifyAnswer(answered(204), (status) => status >= 200 && status < 300)).toBe("acknowledged");
  });
});

describe("what an answer that does not acknowledge leaves open", () => {
  const never = (): boolean => false;

  it.each([
    ...[400, 401, 403, 404, 405, 408, 409, 410, 422, 425, 429, 499].map((status) => [status, false] as const),
    ...[301, 302, 307, 308].map((status) => [status, false] as const),
    ...[200, 201, 204, 299].map((status) => [status, true] as const),
    ...[500, 502, 503, 504, 599].map((status) => [status, true] as const),
    ...[101, 199, 600].map((status) => [status, true] as const),
  ] as const)("after %i the message may have been taken: %s [D3 evidence]", (status, expected) => {
    expect(mayHaveTaken(answered(status), never)).toBe(expected);
  });

  it("after no response the message may have been taken, whatever the reason, unless nobody was asked", () => {
    for (const reason of ["timeout", "ECONNRESET", "ECONNREFUSED"]) expect(mayHaveTaken({ kind: "silent", reason }, never)).toBe(true);
    expect(mayHaveTaken({ kind: "silent", reason: "no-address" }, never)).toBe(false);
  });

  it('a code that means "seen before" says that it may have been taken, even if it refuses', () => {
    expect(mayHaveTaken(answered(409), (status) => status === 409)).toBe(true);
  });
});

describe("the wait before the next attempt (I12)", () => {
  it("I12: transient: full jitter below 1 s, doubling to 60 s [7.8] [D3 back-off]", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (attempts, fraction) => {
          const ms = retryWaitMs(failure({ attempts }), always(fraction));
          const boundMs = Math.min(60_000, 1_000 * 2 ** (attempts - 1));
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThanOrEqual(boundMs);
          expect(ms).toBe(Math.round(fraction * boundMs));
        },
      ),
    );
    expect([1, 2, 3, 6, 7, 8, 50].map(backOffBoundMs)).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it("I12: about the address: 1 to 5 min, whatever Retry-After says [D3 address]", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), fc.nat(100), (fraction, attempts) => {
        const ms = retryWaitMs(failure({ class: "address", attempts, retryAfter: "1" }), always(fraction));
        expect(ms).toBeGreaterThanOrEqual(1 * minutes);
        expect(ms).toBeLessThanOrEqual(5 * minutes);
      }),
    );
  });

  it.each([
    ["0", 1_000],
    ["1", 1_000],
    ["30", 30_000],
    [" 30 ", 30_000],
    ["900", 900_000],
    ["901", 900_000],
    ["1000000000", 900_000],
    ["9".repeat(400), 900_000],
    ["Fri, 20 Nov 2026 12:00:30 GMT", 30_000],
    ["Friday, 20-Nov-26 12:00:30 GMT", 30_000],
    ["Fri Nov 20 12:00:30 2026", 30_000],
    ["Sat, 20 Nov 1999 12:00:00 GMT", 1_000],
    ["Sat, 20 Nov 9999 12:00:00 GMT", 900_000],
  ])("I12: Retry-After %j waits %i ms, clamped to 1 s … 15 min [D3 retry-after]", (header, expected) => {
    expect(parseRetryAfterMs(header, failure().nowMs)).toBe(expected);
    expect(retryWaitMs(failure({ retryAfter: header }), always(0.5))).toBe(expected);
  });

  it.each([
    "",
    "soon",
    "-5",
    "1.5",
    "1e3",
    "0x10",
    "Fri, 31 Feb 2026 12:00:00 GMT",
    "Fri, 20 Nov 2026 25:00:00 GMT",
    "2026-11-20T12:00:30Z",
  ])("I12: Retry-After %j is ignored", (header) => {
    expect(parseRetryAfterMs(header, failure().nowMs)).toBeNull();
    expect(retryWaitMs(failure({ retryAfter: header }), always(0.5))).toBe(500);
  });

  it("I12: any text gives no wait, or one within the clamp", () => {
    const anyHeader = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    const isKept = (header: string): boolean => {
      const ms = parseRetryAfterMs(header, failure().nowMs);
      return ms === null || (ms >= 1_000 && ms <= 900_000);
    };
    expect(fc.check(fc.property(anyHeader, isKept))).toMatchObject({ failed: false });
  });

  it("I12: Retry-After leaves one attempt before the deadline", () => {
    const { nowMs } = failure();
    expect(retryWaitMs(failure({ retryAfter: "600", deadlineMs: nowMs + 60_000 }), always(0))).toBe(55_000);
    expect(retryWaitMs(failure({ retryAfter: "600", deadlineMs: nowMs + 2_000 }), always(0))).toBe(1_000);
    expect(retryWaitMs(failure({ retryAfter: "30", deadlineMs: nowMs + 60_000 }), always(0))).toBe(30_000);
  });
});
