import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createCallers } from "./callers.ts";

const sha = (token: string) => createHash("sha256").update(token).digest("hex");
const callers = createCallers([
  { id: "first-bank", tokenSha256: [sha("token-1"), sha("token-1-next")] },
  { id: "second-bank", tokenSha256: [sha("token-2")] },
]);

test("a caller is known by any of its tokens", () => {
  expect(callers.identify("Bearer token-1")).toBe("first-bank");
  expect(callers.identify("bearer token-1-next")).toBe("first-bank");
  expect(callers.identify("Bearer token-2")).toBe("second-bank");
});

test.each([
  null,
  undefined,
  "",
  "Bearer",
  "Bearer ",
  "Bearer token-3",
  "Basic token-1",
  "token-1",
  "Bearer token-1 ",
  `Bearer ${"a".repeat(2000)}`,
])("%j identifies nobody", (authorization) => {
  expect(callers.identify(authorization)).toBeNull();
});

test("a hash that is not 64 hex digits is refused at the start", () => {
  expect(() => createCallers([{ id: "bank", tokenSha256: ["abc"] }])).toThrow("caller bank");
});
