// Turns answers to operators into HTTP responses. A text in parts is pulled by its reader: only the part that is being
// sent is in memory.

import { problemResponse } from "@sluice/service";
import type { ControlAnswer } from "./control-handler.ts";

export interface StreamCallbacks {
  /** The last part was sent, or the reader left. */
  onEnd(): void;
  /** The text broke off: the connection closes before the body is complete, so that the reader notices. */
  onError(error: unknown): void;
}

const unstored = { "cache-control": "no-store" } as const;

/** `failed` is a defect of ours; the logger has recorded it. */
export function toControlResponse(answer: ControlAnswer | "failed", sending: StreamCallbacks): Response {
  if (answer === "failed") return problemResponse(500, "Internal error", "The question could not be answered.");
  if (answer.kind === "unavailable") return problemResponse(503, "Not available now", answer.detail, { "retry-after": "1" });
  if (answer.kind === "refused") return problemResponse(answer.status, answer.message, answer.detail);
  if (answer.kind === "text") return textResponse(answer, sending);
  const headers = { "content-type": "application/json", ...unstored };
  return new Response(JSON.stringify(answer.body, bigintAsText), { status: answer.kind === "found" ? 200 : 202, headers });
}

export function invalidRequestResponse(detail: string): Response {
  return problemResponse(400, "Not a question that can be answered", detail);
}

function textResponse({ contentType, text }: Extract<ControlAnswer, { readonly kind: "text" }>, sending: StreamCallbacks): Response {
  const headers = { "content-type": contentType, ...unstored };
  if (typeof text === "string") {
    sending.onEnd();
    return new Response(text, { headers });
  }
  const parts = text[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await parts.next();
        if (next.done !== true) {
          controller.enqueue(encoder.encode(next.value));
          return;
        }
        controller.close();
      } catch (error) {
        sending.onError(error);
        controller.error(new Error("the text broke off"));
      }
      sending.onEnd();
    },
    async cancel() {
      sending.onEnd();
      await parts.return?.();
    },
  });
  return new Response(body, { headers });
}

export function bigintAsText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
