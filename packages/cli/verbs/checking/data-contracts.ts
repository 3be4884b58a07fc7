// The part `analytics` of `./sluice test`: datacontract-cli lints the data contracts of docs/data-contracts.
//
// #1 It must first find a planted fault, because a linter that misses it would find nothing.
// #2 Each contract counts as one test, and so does the planted fault.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "@sluice/environment";
import { analyticsFolders, bringAnalyticsPrograms } from "../analytics/analytics-folders.ts";
import { noCounts, type TestCounts } from "./test-counts.ts";

const contractsFolder = join(projectRoot, "docs", "data-contracts");
/** Milliseconds for one contract; one takes a second. */
const lintMaxMs = 120_000;

export async function testDataContracts(progress: (text: string) => void): Promise<TestCounts> {
  const linter = join(await bringAnalyticsPrograms("the part analytics", progress), "datacontract");
  const contracts = readdirSync(contractsFolder).filter((file) => file.endsWith(".odcs.yaml"));
  const failures = contracts.flatMap((file) => complaintOf(linter, join(contractsFolder, file)) ?? []);
  const [first = ""] = contracts;
  const planted = join(analyticsFolders.planted, "planted.odcs.yaml");
  mkdirSync(analyticsFolders.planted, { recursive: true });
  writeFileSync(planted, readFileSync(join(contractsFolder, first), "utf8").replace("logicalType: object", "logicalType: table"));
  if (complaintOf(linter, planted) === null) failures.push("the linter does not find a planted fault");
  for (const failure of failures) progress(failure);
  const all = contracts.length + 1;
  return { ...noCounts, passed: all - failures.length, failed: failures.length };
}

function complaintOf(linter: string, path: string): string | null {
  const { status, stdout, stderr } = spawnSync(linter, ["lint", path, "--all-errors"], { encoding: "utf8", timeout: lintMaxMs });
  return status === 0 ? null : `${path}:\n${stdout ?? ""}${stderr ?? ""}`;
}
