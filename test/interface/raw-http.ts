// Exchanges bytes with an HTTP/1.1 server. The sent bytes need not be HTTP, but the answers must be.

import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface RawExchange {
  readonly bytes: Uint8Array | string;
  /** Parts that are sent after `bytes`, one every `laterEveryMs`. */
  readonly later?: readonly (Uint8Array | string)[];
  readonly laterEveryMs?: number;
  /** Ends the connection after these bytes. */
  readonly isEnd?: boolean;
  /** The exchange ends after this many answers, or when the peer closes. 1 by default. */
  readonly answersMax?: number;
}

export interface RawEnd {
  readonly answers: readonly RawAnswer[];
  readonly how: "closed" | "answered" | "silent" | "reset";
  /** The received bytes that are no answer. */
  readonly rest: string;
}

const patienceMs = 20_000;

export async function exchangeBytes(port: number, asked: RawExchange): Promise<RawEnd> {
  const { promise, resolve } = Promise.withResolvers<RawEnd>();
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let received: Buffer = Buffer.alloc(0);
  const answersMax = asked.answersMax ?? 1;
  const end = (how: RawEnd["how"]): void => {
    clearTimeout(patience);
    clearInterval(dribbling);
    socket.destroy();
    resolve({ ...parseAnswers(received, answersMax), how });
  };
  const patience = setTimeout(() => end("silent"), patienceMs);
  const later = [...(asked.later ?? [])];
  const dribbling = setInterval(() => {
    const next = later.shift();
    if (next !== undefined && socket.writable) socket.write(next);
  }, asked.laterEveryMs ?? 50);
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (parseAnswers(received, answersMax).answers.length >= answersMax) end("answered");
  });
  socket.on("end", () => end("closed"));
  socket.on("close", () => end("closed"));
  socket.on("error", () => end("reset"));
  socket.write(asked.bytes);
  if (asked.isEnd === true) socket.end();
  return await promise;
}

function parseAnswers(received: Buffer, answersMax: number): Pick<RawEnd, "answers" | "rest"> {
  const answers: RawAnswer[] = [];
  let at = 0;
  while (answers.length < answersMax) {
    const headEnd = received.indexOf("\r\n\r\n", at);
    if (headEnd < 0) break;
    const [line = "", ...lines] = received.toString("latin1", at, headEnd).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1] ?? Number.NaN);
    const headers = new Map(
      lines.map((header) => [header.split(":", 1)[0]?.toLowerCase() ?? "", header.slice(header.indexOf(":") + 1).trim()]),
    );
    const length = Number(headers.get("content-length") ?? 0);
    if (received.length < headEnd + 4 + length) break;
    const body = received.toString("utf8", headEnd + 4, headEnd + 4 + length);
    at = headEnd + 4 + length;
    // An interim answer (100) is followed by the final answer.
    if (status !== 100) answers.push({ status, headers, body });
  }
  return { answers, rest: received.toString("latin1", at) };
}
