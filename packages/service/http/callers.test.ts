import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createCallers } from "./callers.ts";

const sha = (token: string) => createHash("sha256").update(token).digest("hex");
const firstBank = { id: "first-bank", kind: "bank", tokenSha256: [sha("token-1"), sha("token-1-next")] } as const;
const clearing = { id: "clearing", kind: "connector", tokenSha256: [sha("token-2")] } as const;
const callers = createCallers([firstBank, clearing]);

test("a caller is identified by any of its tokens, with its kind and the beginning of the hash of the token that it used [D10.3] [D2.15]", () => {
  expect(callers.identify("Bearer token-1")).toEqual({ id: "first-bank", kind: "bank", tokenId: sha("token-1").slice(0, 12) });
  expect(callers.identify("bearer token-1-next")).toEqual({ id: "first-bank", kind: "bank", tokenId: sha("token-1-next").slice(0, 12) });
  expect(callers.identify("Bearer token-2")).toEqual({ id: "clearing", kind: "connector", tokenId: sha("token-2").slice(0, 12) });
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
  "Bearer token-1, Bearer token-1",
  `Bearer ${sha("token-1")}`,
  `Bearer ${"a".repeat(2000)}`,
])("%j identifies nobody", (authorization) => {
  expect(callers.identify(authorization)).toBeNull();
});

test("a replaced token is invalid at once, while the new one and the caller's other one are valid", () => {
  const rotating = createCallers([firstBank, clearing]);
  rotating.replace([{ ...firstBank, tokenSha256: [sha("token-1-next"), sha("token-1-last")] }, clearing]);
  expect(rotating.identify("Bearer token-1")).toBeNull();
  for (const token of ["token-1-next", "token-1-last"]) expect(rotating.identify(`Bearer ${token}`)?.id).toBe("first-bank");
  expect(rotating.identify("Bearer token-2")?.id).toBe("clearing");
});

test("a hash that is not 64 hex digits is refused, and known callers stay known", () => {
  expect(() => createCallers([{ id: "bank", kind: "bank", tokenSha256: ["abc"] }])).toThrow("caller bank");
  const kept = createCallers([firstBank]);
  expect(() => kept.replace([clearing, { ...firstBank, tokenSha256: ["abc"] }])).toThrow("caller first-bank");
  expect([kept.identify("Bearer token-1")?.id, kept.identify("Bearer token-2")]).toEqual(["first-bank", null]);
});
