import type { Time } from "@sluice/kernel";
import { expect, test } from "vitest";
import { createDocumentShare } from "./document-share.ts";
import type { ClientConnection } from "./track-connections.ts";

const documentBytes = 1_700_000;

function givenShare() {
  const clock = { nowMs: 0 };
  const time: Time = { nowMs: () => clock.nowMs, monotonicMs: () => clock.nowMs, after: () => ({ [Symbol.dispose]: () => {} }) };
  const share = createDocumentShare(time);
  const closing: (() => void)[] = [];
  const connection: ClientConnection = {
    remoteAddress: "192.0.2.1",
    onClose: (action) => void closing.push(action),
    authenticated: () => {},
  };
  const response = (bytes: number) => () => Promise.resolve(new Response(null, { headers: { "content-length": String(bytes) } }));
  const ask = async (bytes = documentBytes, over: ClientConnection | null = null): Promise<number> =>
    (await share.serve(over, response(bytes)))?.status ?? 0;
  return { clock, share, ask, connection, closing };
}

test("I15: documents get a megabyte a second, whatever is asked for", async () => {
  const { clock, ask } = givenShare();
  let sent = 0;
  for (let tick = 0; tick < 600; tick += 1) {
    for (let asked = 0; asked < 40; asked += 1) if ((await ask()) === 200) sent += documentBytes;
    clock.nowMs += 100;
  }
  expect(sent).toBeGreaterThan(60 * 1024 * 1024);
  expect(sent).toBeLessThan(68 * 1024 * 1024);
});

test("a first visit of the page is served at once, and after a refusal Retry-After says when", async () => {
  const { share, ask, clock } = givenShare();
  expect([await ask(), await ask(400_000), await ask(160_000)]).toEqual([200, 200, 200]);
  await ask(40_000_000);
  const refused = await share.serve(null, () => Promise.resolve(null));
  const waitSeconds = Number(refused?.headers.get("retry-after"));
  clock.nowMs += waitSeconds * 1_000 + 1;
  expect([refused?.status, waitSeconds > 30, await ask()]).toEqual([503, true, 200]);
});

test("I15: few documents are sent at once, each until its connection is closed", async () => {
  const { ask, connection, closing } = givenShare();
  const answers: number[] = [];
  for (let asked = 0; asked < 20; asked += 1) answers.push(await ask(1, connection));
  expect(answers.filter((status) => status === 200)).toHaveLength(16);
  closing[0]?.();
  expect([await ask(1, connection), await ask(1, connection)]).toEqual([200, 503]);
});
