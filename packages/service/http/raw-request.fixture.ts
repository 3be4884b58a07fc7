// Sends to a listener what no HTTP client would send.

import { once } from "node:events";
import { connect } from "node:net";

/** Sends raw text, and resolves with everything received once the peer has closed. */
export async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
  socket.on("error", () => socket.destroy());
  socket.write(text);
  await once(socket, "close");
  return answer;
}
