// The kit is held against the receiver that banks can take, and against banks that do something wrong.

import { createMemoryInbox, createReceiver, readKeys } from "@sluice/receiver";
import { expect, test } from "vitest";
import { runCases, type CasePorts } from "./conformance-cases.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const nowMs = Date.UTC(2026, 10, 20, 6);

type Answer = (request: Request) => Promise<Response> | Response;

async function goodBank(): Promise<Answer> {
  const keys = await readKeys([secret]);
  if (!keys.ok) throw new Error(keys.reason);
  return createReceiver({
    keys: keys.keys,
    inbox: createMemoryInbox({ idsMax: 1_000, effect: () => Promise.resolve() }),
    nowMs: () => nowMs,
  });
}

async function play(answer: Answer, given: Partial<CasePorts> = {}) {
  const results = await runCases({
    nowMs: () => nowMs,
    secret,
    async post(path, headers, body) {
      const { status } = await answer(new Request(`http://bank.test${path}`, { method: "POST", headers, body }));
      return { status: status === 599 ? null : status, tookMs: 1 };
    },
    ...given,
  });
  return {
    names: results.map(({ name }) => name),
    wrong: results.flatMap(({ name, wrong }) => (wrong === null ? [] : [`${name}: ${wrong}`])),
  };
}

test("the receiver of this repository does nothing wrong", async () => {
  const { names, wrong } = await play(await goodBank());
  expect(wrong).toEqual([]);
  expect(names).toHaveLength(10);
});

test("without a secret no signature is tried", async () => {
  const { names, wrong } = await play(() => new Response(null, { status: 202 }), { secret: null });
  expect(wrong).toEqual([]);
  expect(names.filter((name) => name.includes("signature") || name.includes("time"))).toEqual([]);
});

test("a bank that verifies nothing is shown three times", async () => {
  const { wrong } = await play(() => new Response(null, { status: 202 }));
  expect(wrong.map((text) => text.split(":")[0])).toEqual([
    "refuses a forged signature with 401",
    "refuses a missing signature with 401",
    "refuses a time of ten minutes ago with 401",
  ]);
});

test.each([
  [400, "gives the message up"],
  [404, "a fault of the address"],
  [200, "a fault of the address"],
  [503, "again and again"],
  [599, "no answer within 5 s"],
])("a bank that always answers %i learns what Sluice would do", async (status, text) => {
  const { wrong } = await play(() => new Response(null, { status }), { secret: null });
  expect(wrong[0]).toMatch(new RegExp(`^takes a debit: .*${text}`));
});

test("a bank that takes a message only once, that wants order, or that knows all members, is shown", async () => {
  const seen = new Set<string | null>();
  const once = await play(
    (request) => {
      const id = request.headers.get("webhook-id");
      const isNew = !seen.has(id);
      seen.add(id);
      return new Response(null, { status: isNew ? 202 : 500 });
    },
    { secret: null },
  );
  expect(once.wrong).toEqual([expect.stringContaining("takes the same debit again")]);
  let last = 0;
  const inOrder = await play(
    (request) => {
      const number = Number(request.headers.get("sluice-sequence") ?? 0);
      const isNext = number === 0 || number === 1 || number === last + 1;
      if (number > 0) last = number;
      return new Response(null, { status: isNext ? 202 : 422 });
    },
    { secret: null },
  );
  expect(inOrder.wrong).toEqual([expect.stringContaining("takes an event after a gap")]);
  const strict = await play(
    async (request) => new Response(null, { status: (await request.text()).includes("addedByALaterVersion") ? 400 : 202 }),
    { secret: null },
  );
  expect(strict.wrong).toEqual([expect.stringContaining("ignores a member")]);
});
