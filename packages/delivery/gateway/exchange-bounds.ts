// Limits the bytes that one exchange may bring.
//
// #1 The kept part of the body has its own limit. This one covers everything else that a parser would read until the
//    deadline: an endless status line, chunk extensions, or interim answers.

import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import { ConnectFailure } from "./connect.ts";

/** Far more than a valid answer has, together with what a socket reads ahead. */
export const exchangeBytesMax = 1024 * 1024;

export function createBoundedConnector(connect: buildConnector.connector): buildConnector.connector {
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
    // Another request was written since, so the bytes from now on belong to another exchange.
    if (socket.bytesWritten !== written) [written, before] = [socket.bytesWritten, seen];
    seen = socket.bytesRead;
    if (seen - before > exchangeBytesMax) socket.destroy(new ConnectFailure("answer-too-long"));
  });
}
