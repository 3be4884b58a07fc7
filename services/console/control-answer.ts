// The console's answers to operators as HTTP. A text that comes in parts is pulled by the reader: nothing is kept but the part that goes.

import { problem } from "@sluice/http";
import type { ControlAnswer } from "./control-handler.ts";

export interface Sending {
  /** The last part has gone, or nobody takes any more. */
  leave(): void;
  /** The text broke off: the reader's connection ends without an end of the body. */
  broken(error: unknown): void;
}

const unstored = { "cache-control": "no-store" } as const;

/** `failed`: our own mistake; it is in the log. */
export function controlResponse(answer: ControlAnswer | "failed", sending: Sending): Response {
  if (answer === "failed") return problem(500, "Internal error", "The question could not be answered.");
  if (answer.kind === "unavailable") return problem(503, "Not available now", answer.detail, { "retry-after": "1" });
  if (answer.kind === "refused") return problem(answer.status, answer.message, answer.detail);
  if (answer.kind === "text") return textResponse(answer, sending);
  const headers = { "content-type": "application/json", ...unstored };
  return new Response(JSON.stringify(answer.body, bigintAsText), { status: answer.kind === "found" ? 200 : 202, headers });
}

export function refusedInvalid(detail: string): Response {
  return problem(400, "Not a question that can be answered", detail);
}

function textResponse({ contentType, text }: Extract<ControlAnswer, { readonly kind: "text" }>, sending: Sending): Response {
  const headers = { "content-type": contentType, ...unstored };
  if (typeof text === "string") {
    sending.leave();
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
        sending.broken(error);
        controller.error(new Error("the text broke off"));
      }
      sending.leave();
    },
    async cancel() {
      sending.leave();
      await parts.return?.();
    },
  });
  return new Response(body, { headers });
}

function bigintAsText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
