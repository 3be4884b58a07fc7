import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { problemResponse } from "./problem.ts";

interface ErrorDetail {
  readonly message: string;
  readonly detail: string;
}

test("an error answer equals the interface's sample, member by member", async () => {
  const sample = JSON.parse(readFileSync(new URL("../../../data/messages/error-detail.json", import.meta.url), "utf8")) as ErrorDetail;
  const answer = problemResponse(400, sample.message, sample.detail);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(await answer.json()).toEqual(sample);
});

test("an error answer carries further headers, such as Retry-After", () => {
  expect(problemResponse(503, "Unavailable", "Try again.", { "retry-after": "1" }).headers.get("retry-after")).toBe("1");
});
