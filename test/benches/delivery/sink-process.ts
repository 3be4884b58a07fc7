// The process of the bank that a bench delivers to. It answers 202 as soon as it has read a request, and records the
// webhook-ids in the order of arrival. On a second port `GET /` returns how many it received since the last `DELETE /`,
// and `PUT /` returns which. It prints one line, its ports.
//
// #1 It uses as little processor time as a bank can, because it shares the machine with the measured service. It parses
//    only enough HTTP to separate requests.

import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { machineTime } from "@sluice/kernel";

let ids: string[] = [];
let firstMs = 0;
let lastMs = 0;

const endOfHead = "\r\n\r\n";
const accepted = Buffer.from("HTTP/1.1 202 Accepted\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n");

const bank = createServer({ noDelay: true }, (socket) => {
  let unread: Buffer = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
    for (let end = endOfRequest(unread); end !== null; end = endOfRequest(unread)) unread = take(unread, end, socket);
  });
  // The caller may cut its connections.
  socket.on("error", () => socket.destroy());
});

interface RequestEnd {
  readonly headBytes: number;
  readonly bytes: number;
}

/** Returns null while the request is incomplete. */
function endOfRequest(bytes: Buffer): RequestEnd | null {
  const headBytes = bytes.indexOf(endOfHead);
  if (headBytes < 0) return null;
  const requestBytes = headBytes + endOfHead.length + Number(header(bytes, headBytes, "\r\ncontent-length: "));
  return bytes.length < requestBytes ? null : { headBytes, bytes: requestBytes };
}

function take(bytes: Buffer, end: RequestEnd, socket: Socket): Buffer {
  ids.push(header(bytes, end.headBytes, "\r\nwebhook-id: "));
  lastMs = machineTime.monotonicMs();
  if (ids.length === 1) firstMs = lastMs;
  socket.write(accepted);
  return bytes.subarray(end.bytes);
}

/** Finds a header as undici writes it; returns an empty text if it is missing. */
function header(bytes: Buffer, headBytes: number, start: string): string {
  const at = bytes.indexOf(start, 0, "latin1");
  if (at < 0 || at > headBytes) return "";
  const from = at + start.length;
  return bytes.toString("latin1", from, bytes.indexOf("\r", from, "latin1"));
}

const questions = createHttpServer((request, response) => {
  if (request.method === "GET") return answer(response, JSON.stringify({ count: ids.length, tookMs: lastMs - firstMs }));
  if (request.method === "PUT") return answer(response, JSON.stringify(ids));
  [ids, firstMs, lastMs] = [[], 0, 0];
  return answer(response, "");
});

function answer(response: ServerResponse, text: string): void {
  response.writeHead(200).end(text);
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has such an address
  return (server.address() as AddressInfo).port;
}

process.stdout.write(`${JSON.stringify({ port: await listening(bank), questions: await listening(questions) })}\n`);
// It ends with the process that started it.
process.stdin.on("end", () => process.exit(0)).resume();
