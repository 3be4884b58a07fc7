// Repeats one message over real HTTP. Ingress has no state, so it answers each attempt alike, and the scheduler
// recognizes repeats.

import { buildDirectDebit, sampleToken, encodeBody } from "@sluice/testkit";
import { Pool } from "undici";
import { expect, it } from "vitest";
import { startListeningIngress } from "./listening-ingress.fixture.ts";

const times = 1_000;

it("I1: the same message 1,000 times at once: each is answered 202 and is in the journal, equal to the others [D4 repeat] [D3.9] [D4.5]", async () => {
  await using given = await startListeningIngress();
  await using stack = new AsyncDisposableStack();
  const pool = new Pool(given.url, { connections: 64, pipelining: 1 });
  stack.defer(() => pool.destroy());
  const headers = { authorization: `Bearer ${sampleToken("first")}`, "content-type": "application/json" };
  const body = encodeBody(buildDirectDebit());
  const answers = await Promise.all(
    Array.from({ length: times }, async () => {
      const answer = await pool.request({ method: "POST", path: "/transactions/outbound/direct-debit", headers, body });
      await answer.body.dump();
      return answer.statusCode;
    }),
  );
  expect(new Set(answers)).toEqual(new Set([202]));
  const hashes = given.journal().map(({ value }) => ("contentHash" in value ? value.contentHash : ""));
  expect(hashes).toHaveLength(times);
  expect(new Set(hashes).size).toBe(1);
});
