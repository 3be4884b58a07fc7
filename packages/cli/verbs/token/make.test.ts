import { createTokens } from "@sluice/service";
import { seededRandom, showAuthorization } from "@sluice/testkit";
import { parse } from "yaml";
import { expect, test } from "vitest";
import { formatToken, makeToken } from "./make.ts";

const nowMs = Date.UTC(2026, 10, 24, 17);
const usual = { id: null, days: 365, nowMs };

test("a token that was made is known by its hash, under the id that was printed, up to the end that was printed", async () => {
  const made = makeToken(seededRandom("token"), { ...usual, id: "first-2027" });
  const notAfterMs = Date.parse(made.notAfter);
  let atMs = notAfterMs;
  const tokens = createTokens([{ id: "first", tokens: [{ ...made, notAfterMs }], certificates: null }], () => atMs);
  const shown = showAuthorization(`Bearer ${made.token}`);
  expect(await tokens.identify(shown)).toMatchObject({ ok: true, holder: { id: "first", tokenId: "first-2027" } });
  expect([made.token, made.notAfter]).toEqual([expect.stringMatching(/^sluice_[0-9a-f]{64}$/), "2027-11-24T17:00:00Z"]);
  atMs += 1;
  expect(await tokens.identify(shown)).toMatchObject({ ok: false, reason: "token-expired" });
});

test("two tokens are never the same, each is printed once, and its last line is an entry of the file", () => {
  const random = seededRandom("token");
  const [one, other] = [makeToken(random, usual), makeToken(random, usual)];
  expect(one.token).not.toBe(other.token);
  const text = formatToken(one);
  expect(text.split(one.token)).toHaveLength(2);
  const entry = text.split("\n").find((line) => line.startsWith("for tokens"));
  const { id, sha256, notAfter } = one;
  expect(parse(entry?.slice("for tokens".length).trim() ?? "")).toEqual([{ id, sha256, notAfter }]);
  expect(id).toBe(sha256.slice(0, 12));
});
