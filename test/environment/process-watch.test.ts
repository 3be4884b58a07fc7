import { expect, test } from "vitest";
import { readMemory, sumMetric } from "./process-watch.ts";

const text = `# HELP a_total help
# TYPE a_total counter
a_total{state="HELD",partition="1"} 3
a_total{state="HELD",partition="2"} 4
a_total{state="RELEASED",partition="2"} 50
a_total_more 9
b 1.5e3
`;

test("a metric is added up over the series that have the label", () => {
  expect(sumMetric(text, "a_total", 'state="HELD"')).toBe(7);
  expect(sumMetric(text, "a_total")).toBe(57);
  expect(sumMetric(text, "b")).toBe(1_500);
  expect(sumMetric("", "a_total")).toBe(0);
});

test("the memory of a process that has ended is null", async () => {
  expect(await readMemory(2 ** 30)).toBeNull();
});
