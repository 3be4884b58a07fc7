// Runs the bank of an outage trial: it answers 503 at once while it is down, and 202 when it is up.

import { createServer, type ServerResponse } from "node:http";
import type { Time } from "@sluice/kernel";
import type { AttemptContent } from "../delivery/recorder.ts";
import { readBankRequest } from "../delivery/bank-request.ts";
import type { OutageRecorder } from "./recorder.ts";

export interface OutageBank {
  readonly url: string;
  recover(): void;
}

const host = "127.0.0.1";

/** Starts the bank; `opened` stops it. */
export async function openOutageBank(recorder: OutageRecorder, time: Time, opened: AsyncDisposableStack): Promise<OutageBank> {
  let isUp = false;
  function answer(message: AttemptContent, response: ServerResponse): void {
    const recordAcknowledgement = recorder.recordArrival(message, time.monotonicMs());
    if (isUp) recordAcknowledgement();
    response.writeHead(isUp ? 202 : 503, { "content-length": "0" }).end();
  }
  const server = createServer((request, response) => {
    void readBankRequest(request).then(
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
  return { url: `http://${host}:${typeof address === "object" && address !== null ? address.port : 0}`, recover: () => void (isUp = true) };
}
