// Says which Sluice this is: the commit of the working copy, where there is one.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

export function describeVersion(): string {
  const { status, stdout } = spawnSync("git", ["-C", root, "log", "-1", "--format=%h of %cs"], { encoding: "utf8" });
  const commit = status === 0 && stdout.trim() !== "" ? stdout.trim() : "without a commit";
  return `sluice ${commit}, Node ${process.versions.node}`;
}
