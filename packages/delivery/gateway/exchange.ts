// One request and its answer.
//
// #1 An answer counts only if it was read to its end, or to 64 KiB. A cut or late one counts as no response, because
//    the receiver's meaning is unknown.
// #2 One deadline covers waiting for a connection, connecting, sending and reading. A request without a connection at
//    its deadline is not sent. An answer that is already in the socket is read first: the receiver must not suffer for
//    a process that was busy.
// #3 No redirect is followed, nothing is decompressed, no request is sent twice, and interim answers are ignored.

import type { Time } from "@sluice/kernel";
import type { Dispatcher } from "undici";
import type { TimeoutGroup, TimeoutListener } from "../timeout-group.ts";
import { ConnectFailure } from "./connect.ts";
import type { ReceiverAnswer } from "../port.ts";

export const answerBytesMax = 64 * 1024;

export interface Exchange {
  readonly client: Pick<Dispatcher, "dispatch">;
  /** OPTIONS sends no body. */
  readonly method: "POST" | "OPTIONS";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The group of timeouts of its length. */
  readonly timeouts: TimeoutGroup;
}

/** Never rejects. */
export function runExchange(time: Time, { client, method, path, headers, body, timeouts }: Exchange): Promise<ReceiverAnswer> {
  return new Promise((resolve) => {
    const reading = new AnswerReading(time, resolve);
    reading.deadline = timeouts.start(reading);
    try {
      client.dispatch({ method, path, headers, body: method === "OPTIONS" ? null : body }, reading);
    } catch (error) {
      reading.end(noResponse(failureReason(error)));
    }
  });
}

export const noResponse = (reason: string): ReceiverAnswer => ({ kind: "silent", reason });

const noBytes = Buffer.alloc(0);

/** Receives undici's events of one request. The first end counts, and cuts the connection where more would come. */
class AnswerReading implements Dispatcher.DispatchHandler, TimeoutListener {
  deadline: Disposable | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #isEnded = false;
  #status = 0;
  #retryAfter: string | null = null;
  #bytes = 0;
  #chunks: Uint8Array[] | null = null;
  readonly #time: Time;
  readonly #resolve: (answer: ReceiverAnswer) => void;

  constructor(time: Time, resolve: (answer: ReceiverAnswer) => void) {
    this.#time = time;
    this.#resolve = resolve;
  }

  /** #2 */
  onTimeout(): void {
    this.deadline = this.#time.after(0, () => this.end(noResponse("timeout")));
  }

  end(answer: ReceiverAnswer): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.deadline?.[Symbol.dispose]();
    this.#resolve(answer);
    this.#controller?.abort(new ConnectFailure("ended"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isEnded) controller.abort(new ConnectFailure("ended"));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    const retryAfter = headers["retry-after"];
    this.#retryAfter = (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isEnded) return;
    this.#chunks ??= [];
    this.#chunks.push(chunk.subarray(0, answerBytesMax - this.#bytes));
    this.#bytes += chunk.byteLength;
    if (this.#bytes >= answerBytesMax) this.end(this.#answer());
  }

  onResponseEnd(): void {
    // The connection is sound and may be used again, so it is not aborted.
    this.#controller = null;
    this.end(this.#answer());
  }

  onResponseError(_: Dispatcher.DispatchController, error: unknown): void {
    this.#controller = null;
    this.end(noResponse(failureReason(error)));
  }

  #answer(): ReceiverAnswer {
    const body = this.#chunks === null ? noBytes : Buffer.concat(this.#chunks);
    return { kind: "answered", status: this.#status, retryAfter: this.#retryAfter, body };
  }
}

const timeoutCodes: ReadonlySet<string> = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** A stable code, never the message, because a message may contain an address. */
function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return timeoutCodes.has(code) ? "timeout" : code;
}
