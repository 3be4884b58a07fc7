import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { expectAnswer, findMatrixMistakes, generateMatrix } from "./matrix.ts";

const listener = { says: "Messages", knows: ["bank"], stranger: 401 };

test("docs/security/matrix.md agrees with its source", () => {
  expect(generateMatrix(fileURLToPath(new URL("../../..", import.meta.url)), true)).toEqual([]);
});

test("two rows of one name, and a listener that is none, are named", () => {
  const route = { at: "gone", route: "GET /", may: "bank", answer: 200 };
  const matrix = { listeners: {}, routes: [route, route], ways: [{ way: "nothing", says: "nothing" }] };
  expect(findMatrixMistakes(matrix)).toEqual(["gone GET / has two rows", "there is no listener gone", "there is no listener gone"]);
});

test.each([
  ["nobody", {}, 401, "unknown"],
  ["of a kind that is not known there", { is: "operator", roles: ["read"] }, 401, "unknown"],
  ["refused for what it shows", { is: "bank", refused: "token-expired" }, 401, "token-expired"],
  ["refused for another address", { is: "bank", refused: "token-expired", refusedFor: "GET " }, 202, null],
  ["of a kind that may", { is: "bank" }, 202, null],
  ["another that may", { is: "bank", isOther: true }, 404, null],
] as const)("who is %s is answered so", (_, way, status, reason) => {
  const route = { at: "ingress", route: "POST /", may: "bank", answer: 202, other: 404 };
  expect(expectAnswer(listener, route, { way: "one", says: "one", ...way })).toMatchObject({ status, reason });
});

test.each([
  [{ roles: ["read"] }, 200],
  [{ roles: ["act"] }, 403],
  [{ roles: ["read"], ofBank: "own" }, 200],
  [{ roles: ["read"], ofBank: "other" }, 403],
] as const)("an operator with %j is answered so", (way, status) => {
  const route = { at: "control", route: "GET /", may: "read", answer: 200, ofBank: "own" } as const;
  const answer = expectAnswer({ ...listener, knows: ["operator"] }, route, { way: "one", says: "one", is: "operator", ...way });
  expect(answer).toMatchObject({ status, isRefused: status === 403 });
});
