// The same message again, through real HTTP: ingress has no state, so each attempt is answered alike; what it means is the scheduler's.

import { directDebit, sampleToken, bodyOf } from "@sluice/testkit";
import { Pool } from "undici";
import { expect, it } from "vitest";
import { givenIngress } from "./given.ts";

const times = 1_000;

it("I1: the same message 1,000 times at once: each is answered 202 and stands in the journal, equal to the others [D4 repeat]", async () => {
  await using given = await givenIngress();
  await using stack = new AsyncDisposableStack();
  const pool = new Pool(given.url, { connections: 64, pipelining: 1 });
  stack.defer(() => pool.destroy());
  const headers = { authorization: `Bearer ${sampleToken("first")}`, "content-type": "application/json" };
  const body = bodyOf(directDebit());
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
