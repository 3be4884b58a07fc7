// Draws the answers of a bank by its profile, as data. They are a function of the seed.
//
// #1 A healed bank is healthy. The throttling bank never stops: half of the time it answers 429 with a Retry-After.
// #2 A hostile bank never refuses for good, because that rightly ends a delivery, and it asks for no wait of minutes.
// #3 After answers about the address (200, 404, redirects) a message waits for minutes, so brief trials have none.

import type { Random } from "@sluice/kernel";
import type { BankProfile } from "./plan.ts";

export type ProfileAnswer =
  | {
      readonly kind: "answer";
      readonly afterMs: number;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly bodyBytes: number;
    }
  /** The text is written in place of an answer, and then the connection is cut. */
  | { readonly kind: "raw"; readonly text: string }
  /** `count` interim answers (103), then 202. */
  | { readonly kind: "interim"; readonly count: number }
  | { readonly kind: "silent" };

export interface AnswerConditions {
  readonly profile: BankProfile;
  readonly isHealed: boolean;
  readonly isBrief: boolean;
  /** Whether the bank answers the message with 500 for ever, healed or not. */
  readonly isFailing?: boolean;
  readonly nowMs: number;
  /** Address of a healthy bank, as the target of redirects. */
  readonly otherBankUrl: string;
}

const healthyMsMax = 5;
const slowMs = { min: 200, max: 2_500 } as const;
const throttlePeriodMs = 6_000;
const interimMax = 20;
const giantBytes = 1_048_576;

export function drawAnswer(conditions: AnswerConditions, random: Random): ProfileAnswer {
  const { profile, isHealed, nowMs } = conditions;
  if (conditions.isFailing === true) return answer(500);
  if (profile === "throttling") return throttled(nowMs, random);
  if (isHealed) return accepted(random);
  if (profile === "away") return answer(503);
  if (profile === "slow") return answer(202, { afterMs: slowMs.min + random.fraction() * (slowMs.max - slowMs.min) });
  if (profile === "black hole") return { kind: "silent" };
  if (profile === "hostile") return hostile(conditions, random);
  return accepted(random);
}

function accepted(random: Random): ProfileAnswer {
  return answer(202, { afterMs: random.fraction() * healthyMsMax });
}

/** #1 */
function throttled(nowMs: number, random: Random): ProfileAnswer {
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

function hostile({ isBrief, otherBankUrl }: AnswerConditions, random: Random): ProfileAnswer {
  const pick = <T>(choices: readonly [T, ...T[]]): T => choices[Math.floor(random.fraction() * choices.length)] ?? choices[0];
  // #3
  const aboutAddress: readonly ProfileAnswer[] = isBrief
    ? []
    : [
        answer(200),
        answer(404),
        answer(301, { headers: { location: otherBankUrl } }),
        answer(307, { headers: { location: otherBankUrl } }),
      ];
  return pick<ProfileAnswer>([
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
  options: { readonly afterMs?: number; readonly headers?: Readonly<Record<string, string>>; readonly bodyBytes?: number } = {},
): ProfileAnswer {
  return { kind: "answer", status, afterMs: options.afterMs ?? 0, headers: options.headers ?? {}, bodyBytes: options.bodyBytes ?? 0 };
}
