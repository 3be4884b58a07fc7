import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { problem } from "./problem.ts";

interface ErrorDetail {
  readonly message: string;
  readonly detail: string;
}

test("an error answer is the interface's sample, member by member", async () => {
  const sample = JSON.parse(readFileSync(new URL("../../data/messages/error-detail.json", import.meta.url), "utf8")) as ErrorDetail;
  const answer = problem(400, sample.message, sample.detail);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(await answer.json()).toEqual(sample);
});

test("headers of its own, such as Retry-After, go with it", () => {
  expect(problem(503, "Unavailable", "Try again.", { "retry-after": "1" }).headers.get("retry-after")).toBe("1");
});
