// The bank of a trial of outages: it answers 503 at once while it is down, and 202 when it is up.

import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { Time } from "@sluice/runtime";
import type { SameOnEveryAttempt } from "./delivery-heard.ts";
import { messageIn } from "./delivery-request.ts";
import type { OutageHeard } from "./outage-heard.ts";

export interface OutageBank {
  readonly url: string;
  rise(): void;
}

const host = "127.0.0.1";

/** What is opened is closed by `opened`. */
export async function openOutageBank(heard: OutageHeard, time: Time, opened: AsyncDisposableStack): Promise<OutageBank> {
  let isUp = false;
  function answer(message: SameOnEveryAttempt, response: ServerResponse): void {
    const acknowledged = heard.arrived(message, time.monotonicMs());
    if (isUp) acknowledged();
    response.writeHead(isUp ? 202 : 503, { "content-length": "0" }).end();
  }
  const server = createServer((request, response) => {
    void messageIn(request).then(
      (message) => answer(message, response),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  opened.defer(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  return { url: `http://${host}:${typeof address === "object" && address !== null ? address.port : 0}`, rise: () => void (isUp = true) };
}
