// A process: the bank that a bench delivers to. It answers 202 with an empty body as soon as it has read a request, and remembers the webhook-ids
// in the order of arrival. `GET /` says how many it heard since the last `DELETE /`, `PUT /` which. The first line of its output is its port.

import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { machineTime } from "@sluice/runtime";

let ids: string[] = [];
let firstMs = 0;
let lastMs = 0;

const server = createServer((request, response) => {
  if (request.method === "GET") return answer(response, JSON.stringify({ count: ids.length, tookMs: lastMs - firstMs }));
  if (request.method === "PUT") return answer(response, JSON.stringify(ids));
  if (request.method === "DELETE") {
    [ids, firstMs, lastMs] = [[], 0, 0];
    return answer(response, "");
  }
  request.resume();
  request.once("end", () => {
    const id = request.headers["webhook-id"];
    ids.push(typeof id === "string" ? id : "");
    lastMs = machineTime.monotonicMs();
    if (ids.length === 1) firstMs = lastMs;
    response.writeHead(202).end();
  });
});

function answer(response: ServerResponse, text: string): void {
  response.writeHead(200).end(text);
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === "object" ? address?.port : null })}\n`);
});
// It ends with whoever started it.
process.stdin.on("end", () => process.exit(0)).resume();
