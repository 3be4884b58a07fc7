import { createTokens } from "@sluice/service";
import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { formatToken, makeToken } from "./make.ts";

test("a token that was made is known by its hash, under the id that was printed", () => {
  const made = makeToken(seededRandom("token"));
  const tokens = createTokens([{ id: "first", tokenSha256: [made.sha256] }]);
  expect(tokens.identify(`Bearer ${made.token}`)).toMatchObject({ id: "first", tokenId: made.id });
  expect(made.token).toMatch(/^sluice_[0-9a-f]{64}$/);
});

test("two tokens are never the same, and each is printed once", () => {
  const random = seededRandom("token");
  const [one, other] = [makeToken(random), makeToken(random)];
  expect(one.token).not.toBe(other.token);
  expect(formatToken(one).split(one.token)).toHaveLength(2);
});
