import { expect, test } from "vitest";
import type { Tracer } from "@sluice/kernel";
import { seededRandom } from "@sluice/testkit";
import { traceparentFrom } from "./traceparent.ts";

const uetr = "0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60";
const callers = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

function ports(samples: boolean | null) {
  const tracer: Tracer = { samples: () => samples === true, below: (above) => above, apart: () => callers, record: () => {} };
  return { random: seededRandom(1), ...(samples === null ? {} : { tracer }) };
}

test("where nothing is traced a caller's context is handed on, and a new one is not sampled [D8 trace]", () => {
  expect(traceparentFrom(callers, uetr, ports(null))).toBe(callers);
  expect(traceparentFrom(null, uetr, ports(null))).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
});

test("a trace that begins here has the UETR as its id, and says whether it is sampled", () => {
  const id = uetr.replaceAll("-", "");
  expect(traceparentFrom(null, uetr, ports(true))).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-01$`));
  expect(traceparentFrom("00-zz-1-01", uetr, ports(false))).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
});

test("a caller's trace goes on below a span of ours, and the flag is our own decision [D8 trace]", () => {
  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736";
  expect(traceparentFrom(callers, uetr, ports(true))).toMatch(new RegExp(`^${trace}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
  expect(traceparentFrom(callers, uetr, ports(false))).toMatch(new RegExp(`^${trace}-(?!00f067aa0ba902b7)[0-9a-f]{16}-00$`));
});

test.each([
  `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
  `00-4bf92f3577b34da6a3ce929d0e0e4736-${"0".repeat(16)}-01`,
  `ff${callers.slice(2)}`,
])("%s is no context, and a trace begins here", (header) => {
  expect(traceparentFrom(header, uetr, ports(true))).toContain(uetr.replaceAll("-", ""));
});

test("a caller's tracestate is kept, whether anything is traced here or not [D8 trace]", () => {
  const trace = `${callers} congo=t61rcWkgMzE`;
  expect(traceparentFrom(trace, uetr, ports(null))).toBe(trace);
  expect(traceparentFrom(trace, uetr, ports(true))).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01 congo=t61rcWkgMzE$/);
  expect(traceparentFrom("00-zz-1-01 congo=t61rcWkgMzE", uetr, ports(true))).not.toContain("congo");
});
