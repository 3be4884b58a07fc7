import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "@sluice/environment";
import { expect, test } from "vitest";
import { chartProfiles } from "./chart-profiles.ts";

test("the bench of starts gives each service the memory profile that the chart gives it", () => {
  const manifests = readFileSync(join(projectRoot, "infra/chart/golden/least.yaml"), "utf8");
  const chosen = [...manifests.matchAll(/args: \[([a-z-]+), ([a-z]+)\]/g)].map(([, service, profile]) => [service, profile]);
  expect(Object.fromEntries(chosen)).toEqual(chartProfiles);
});
