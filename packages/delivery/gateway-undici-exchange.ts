// One request and its answer.
//
// #1 An answer counts only if it was read to its end, or to 64 KiB; a cut or late one is silence, for nobody knows what the bank meant to say.
// #2 One deadline covers waiting for a connection, connecting, sending and reading. What is over before it has a connection is not sent.
//    An answer that lies in the socket is read first: a process that was busy until then is no fault of the bank's.
// #3 No redirect is followed, nothing is decompressed, no request is sent twice; interim answers say nothing.

import type { Time } from "@sluice/runtime";
import type { Dispatcher } from "undici";
import type { EqualWaits, Late } from "./equal-waits.ts";
import { ConnectFailure } from "./gateway-undici-connect.ts";
import type { BankAnswer } from "./port.ts";

export const answerBytesMax = 64 * 1024;

export interface Exchange {
  readonly way: Pick<Dispatcher, "dispatch">;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Of the length of its deadline. */
  readonly deadlines: EqualWaits;
}

/** Never rejects. */
export function exchange(time: Time, { way, path, headers, body, deadlines }: Exchange): Promise<BankAnswer> {
  return new Promise((resolve) => {
    const reading = new AnswerReading(time, resolve);
    reading.deadline = deadlines.begin(reading);
    try {
      way.dispatch({ method: "POST", path, headers, body }, reading);
    } catch (error) {
      reading.end(silence(reasonOf(error)));
    }
  });
}

export const silence = (reason: string): BankAnswer => ({ kind: "silent", reason });

const noBytes = Buffer.alloc(0);

/** What undici tells of one request. The first end counts, and cuts the connection where more would come. */
class AnswerReading implements Dispatcher.DispatchHandler, Late {
  deadline: Disposable | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #isEnded = false;
  #status = 0;
  #retryAfter: string | null = null;
  #bytes = 0;
  #chunks: Uint8Array[] | null = null;
  readonly #time: Time;
  readonly #resolve: (answer: BankAnswer) => void;

  constructor(time: Time, resolve: (answer: BankAnswer) => void) {
    this.#time = time;
    this.#resolve = resolve;
  }

  /** #2 */
  late(): void {
    this.deadline = this.#time.after(0, () => this.end(silence("timeout")));
  }

  end(answer: BankAnswer): void {
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
    // The connection is fine, and may be used again.
    this.#controller = null;
    this.end(this.#answer());
  }

  onResponseError(_: Dispatcher.DispatchController, error: unknown): void {
    this.#controller = null;
    this.end(silence(reasonOf(error)));
  }

  #answer(): BankAnswer {
    const body = this.#chunks === null ? noBytes : Buffer.concat(this.#chunks);
    return { kind: "answered", status: this.#status, retryAfter: this.#retryAfter, body };
  }
}

const timeoutCodes: ReadonlySet<string> = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** A stable code, never the message: that may hold an address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return timeoutCodes.has(code) ? "timeout" : code;
}
