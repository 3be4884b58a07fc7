// What an endpoint learns from one attempt.

import type { AnswerClass } from "../attempt/retry-law.ts";

export interface AttemptAnswer {
  readonly class: AnswerClass;
  readonly uetr: string;
  /** The attempts on the message before this one. */
  readonly failedBefore: number;
  /** Null where there was no answer. */
  readonly status: number | null;
  readonly isTimeout: boolean;
  readonly isDuplicateCode: boolean;
  readonly retryAfter: string | null;
  readonly tookMs: number;
  /** When the attempt began, and when its answer came, in milliseconds of the monotonic clock. */
  readonly startedMs: number;
  readonly nowMs: number;
}
