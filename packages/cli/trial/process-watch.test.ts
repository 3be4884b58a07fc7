import { expect, test } from "vitest";
import { memoryOf, sumOf } from "./process-watch.ts";

const text = `# HELP a_total help
# TYPE a_total counter
a_total{state="HELD",lane="1"} 3
a_total{state="HELD",lane="2"} 4
a_total{state="RELEASED",lane="2"} 50
a_total_more 9
b 1.5e3
`;

test("a metric is summed over the labels that are meant", () => {
  expect(sumOf(text, "a_total", 'state="HELD"')).toBe(7);
  expect(sumOf(text, "a_total")).toBe(57);
  expect(sumOf(text, "b")).toBe(1_500);
  expect(sumOf("", "a_total")).toBe(0);
});

test("a process that is gone has no memory", async () => {
  expect(await memoryOf(2 ** 30)).toBeNull();
});
