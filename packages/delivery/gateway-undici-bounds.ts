// How much one exchange may bring.
//
// #1 The body that is kept has its own bound; this one holds for all else that a parser would go on taking until the deadline: a status line, a
//    chunk's extension or interim answers without end.

import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import { ConnectFailure } from "./gateway-undici-connect.ts";

/** Far more than an answer that counts has, with what a socket reads ahead. */
export const exchangeBytesMax = 1024 * 1024;

export function boundedConnector(connect: buildConnector.connector): buildConnector.connector {
  return (to, callback) => {
    connect(to, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      bound(socket);
      callback(null, socket);
    });
  };
}

function bound(socket: Socket): void {
  let seen = socket.bytesRead;
  let before = seen;
  let written = socket.bytesWritten;
  socket.on("readable", () => {
    // Another request has been written since: what comes from now on is of another exchange.
    if (socket.bytesWritten !== written) [written, before] = [socket.bytesWritten, seen];
    seen = socket.bytesRead;
    if (seen - before > exchangeBytesMax) socket.destroy(new ConnectFailure("answer-too-long"));
  });
}
