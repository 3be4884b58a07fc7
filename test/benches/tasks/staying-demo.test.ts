// Tests that the tasks find in the demo's text what it tells a stranger.

import { formatStay } from "@sluice/demo";
import { expect, test } from "vitest";
import { readStay } from "./staying-demo.ts";

const operators = ["thandi", "sipho"].map((id) => ({ id, name: id, roles: ["read"] as const, token: `token-of-${id}` }));
const waiting = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";

test("address, people and tasks are read from what the demo says", () => {
  const said = formatStay(
    { controlUrl: "http://127.0.0.1:4711/control/v1", operators },
    { businessDate: "2026-11-27", waiting, openItems: 2 },
  );
  expect(readStay(`progress\n\n${said}\n`)).toEqual({
    origin: "http://127.0.0.1:4711",
    tokens: ["token-of-thandi", "token-of-sipho"],
    waiting,
    bank: "acacia",
    day: "ZA_EFT:2026-11-27",
  });
});

test("a text that lacks one of them is refused by its name", () => {
  expect(() => readStay("The console: http://127.0.0.1:1/")).toThrow("the demo does not say  decides");
});
