// The process that ingress is compared with: a bare `node:http` server that reads each body and answers 202. It prints
// one line, its port.

import { createServer } from "node:http";

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.once("end", () => {
    Buffer.concat(chunks);
    response.writeHead(202, { "content-length": "0" }).end();
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === "object" ? address?.port : null })}\n`);
});
// It ends with the process that started it.
process.stdin.on("end", () => process.exit(0)).resume();
