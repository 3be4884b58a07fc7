import { sampleHeldToken, showAuthorization } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createCallers } from "./callers.ts";
import { logInRefused } from "./log-in-answer.ts";

const endsAtMs = Date.UTC(2027, 0, 31);
const [token1, token1Next, token2] = ["token-1", "token-1-next", "token-2"].map((text) => sampleHeldToken(text));
const dated = { ...sampleHeldToken("token-dated", endsAtMs), id: "first-2027" };
const firstBank = { id: "first-bank", kind: "bank", tokens: [token1!, token1Next!, dated], certificates: null } as const;
const clearing = { id: "clearing", kind: "connector", tokens: [token2!], certificates: null } as const;
let nowMs = endsAtMs;
const callers = createCallers([firstBank, clearing], () => nowMs);
const unknown = { ok: false, reason: "unknown", holder: null, tokenId: null, certificateId: null };

test("a caller is identified by any of its tokens, with its kind and the id of the token that it used [D10.3] [D2.15]", async () => {
  const known = (id: string, kind: string, tokenId: string) => ({ ok: true, holder: { id, kind, tokenId, certificateId: null } });
  expect(await callers.identify(showAuthorization("Bearer token-1"))).toEqual(known("first-bank", "bank", token1!.sha256.slice(0, 12)));
  expect(await callers.identify(showAuthorization("bearer token-1-next"))).toEqual(
    known("first-bank", "bank", token1Next!.sha256.slice(0, 12)),
  );
  expect(await callers.identify(showAuthorization("Bearer token-2"))).toEqual(known("clearing", "connector", token2!.sha256.slice(0, 12)));
  expect(await callers.identify(showAuthorization("Bearer token-dated"))).toEqual(known("first-bank", "bank", "first-2027"));
});

test.each([
  null,
  "",
  "Bearer",
  "Bearer ",
  "Bearer token-3",
  "Basic token-1",
  "token-1",
  "Bearer token-1 ",
  "Bearer token-1, Bearer token-1",
  `Bearer ${token1!.sha256}`,
  `Bearer ${"a".repeat(2000)}`,
])("%j identifies nobody", async (authorization) => {
  expect(await callers.identify(showAuthorization(authorization))).toEqual(unknown);
});

test("a token counts up to its end; afterwards its holder learns that, and the others of the holder still count [D10.87]", async () => {
  nowMs = endsAtMs + 1;
  const refused = await callers.identify(showAuthorization("Bearer token-dated"));
  expect(refused).toEqual({ ok: false, reason: "token-expired", holder: "first-bank", tokenId: "first-2027", certificateId: null });
  expect((await callers.identify(showAuthorization("Bearer token-1"))).ok).toBe(true);
  if (refused.ok) return;
  const response = logInRefused(refused, "A known bearer token is needed.");
  const challenge = 'Bearer error="invalid_token", error_description="token-expired"';
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, challenge]);
  expect(await response.json()).toMatchObject({ schema: "ErrorDetail", message: "Token expired" });
});

test("a replaced token is invalid at once, while the new one and the caller's other one are valid", async () => {
  const rotating = createCallers([firstBank, clearing], () => 0);
  rotating.replace([{ ...firstBank, tokens: [token1Next!, sampleHeldToken("token-1-last")] }, clearing]);
  expect(await rotating.identify(showAuthorization("Bearer token-1"))).toEqual(unknown);
  for (const token of ["token-1-next", "token-1-last", "token-2"])
    expect((await rotating.identify(showAuthorization(`Bearer ${token}`))).ok).toBe(true);
});

test("a hash that is not 64 hex digits is refused, and known callers stay known", async () => {
  const wrong = { ...token1!, sha256: "abc" };
  expect(() => createCallers([{ id: "bank", kind: "bank", tokens: [wrong], certificates: null }], () => 0)).toThrow("caller bank");
  const kept = createCallers([firstBank], () => 0);
  expect(() => kept.replace([clearing, { ...firstBank, tokens: [wrong] }])).toThrow("caller first-bank");
  expect([
    (await kept.identify(showAuthorization("Bearer token-1"))).ok,
    (await kept.identify(showAuthorization("Bearer token-2"))).ok,
  ]).toEqual([true, false]);
});
