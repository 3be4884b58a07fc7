// What a bank of each temper answers, as data; what is drawn is drawn from the seed.
//
// #1 Healed, all are healthy. The one that throttles goes on: half of the time it answers 429 and says how long.
// #2 A hostile bank refuses nothing for good (that would end a delivery, and rightly), and asks for no wait of minutes.
// #3 Answers about the address (200, 404, redirects) make a message wait for minutes: brief trials do without.

import type { Random } from "@sluice/runtime";
import type { Temper } from "./delivery-plan.ts";

export type BankAnswer =
  | {
      readonly kind: "answer";
      readonly afterMs: number;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly bodyBytes: number;
    }
  /** Written as it is in place of an answer, then the connection is cut. */
  | { readonly kind: "raw"; readonly text: string }
  /** So many interim answers (103), then 202. */
  | { readonly kind: "interim"; readonly count: number }
  | { readonly kind: "silent" };

export interface AnswerQuestion {
  readonly temper: Temper;
  readonly isHealed: boolean;
  readonly isBrief: boolean;
  readonly nowMs: number;
  /** Of a healthy bank, where a redirect leads. */
  readonly elsewhere: string;
}

const healthyMsMax = 5;
const slowMs = { min: 200, max: 2_500 } as const;
const throttlePeriodMs = 6_000;
const interimMax = 20;
const giantBytes = 1_048_576;

export function answerOf(question: AnswerQuestion, random: Random): BankAnswer {
  const { temper, isHealed, nowMs } = question;
  if (temper === "throttling") return throttled(nowMs, random);
  if (isHealed) return accepted(random);
  if (temper === "slow") return answer(202, { afterMs: slowMs.min + random.fraction() * (slowMs.max - slowMs.min) });
  if (temper === "black hole") return { kind: "silent" };
  if (temper === "hostile") return hostile(question, random);
  return accepted(random);
}

function accepted(random: Random): BankAnswer {
  return answer(202, { afterMs: random.fraction() * healthyMsMax });
}

/** #1 */
function throttled(nowMs: number, random: Random): BankAnswer {
  const inPeriodMs = nowMs % throttlePeriodMs;
  if (inPeriodMs >= throttlePeriodMs / 2) return accepted(random);
  return answer(429, { headers: { "retry-after": String(Math.ceil((throttlePeriodMs / 2 - inPeriodMs) / 1_000)) } });
}

/** #2 */
const strangeWaits = [
  "-5",
  "0",
  "",
  "soon",
  "1e3",
  "0x10",
  "Wed, 21 Oct 2015 07:28:00 GMT",
  "Wed, 99 Foo 2026 99:99:99 GMT",
  "3, 4",
] as const;
const rawAnswers = [
  "",
  "HTTP/1.1 202 Acc",
  "HTTP/1.1 202 Accepted\r\ncontent-length: 10\r\n\r\nhalf",
  "HTTP/1.1 503 Service Unavailable\r\ntransfer-encoding: chunked\r\n\r\nffffffff\r\nab",
  "\u0000\u0001\u0002 no protocol at all\r\n\r\n",
  "HTTP/9.9 999 What\r\n\r\n",
  "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
  `HTTP/1.1 202 Accepted\r\nx-filling: ${"x".repeat(32_768)}\r\n\r\n`,
] as const;

function hostile({ isBrief, elsewhere }: AnswerQuestion, random: Random): BankAnswer {
  const pick = <T>(of: readonly [T, ...T[]]): T => of[Math.floor(random.fraction() * of.length)] ?? of[0];
  // #3
  const aboutAddress: readonly BankAnswer[] = isBrief
    ? []
    : [answer(200), answer(404), answer(301, { headers: { location: elsewhere } }), answer(307, { headers: { location: elsewhere } })];
  return pick<BankAnswer>([
    accepted(random),
    { kind: "interim", count: Math.ceil(random.fraction() * interimMax) },
    { kind: "raw", text: pick(rawAnswers) },
    { kind: "raw", text: pick(rawAnswers) },
    answer(503, { headers: { "retry-after": pick(strangeWaits) } }),
    answer(500, { bodyBytes: giantBytes }),
    { kind: "silent" },
    ...(random.fraction() < 0.3 ? aboutAddress : []),
  ]);
}

function answer(
  status: number,
  given: { readonly afterMs?: number; readonly headers?: Readonly<Record<string, string>>; readonly bodyBytes?: number } = {},
): BankAnswer {
  return { kind: "answer", status, afterMs: given.afterMs ?? 0, headers: given.headers ?? {}, bodyBytes: given.bodyBytes ?? 0 };
}
