// Where the lake, its worker and its programs are, below `.sluice/analytics`.

import { join } from "node:path";
import { pythonRequirements } from "@sluice/analytics";
import { projectRoot } from "@sluice/environment/run-program";
import { bringPythonEnvironment } from "../checking/python-environment.ts";

const folder = join(projectRoot, ".sluice", "analytics");

export const analyticsFolders = {
  /** Jars of the worker, installed once. */
  packages: join(folder, "java"),
  /** The worker of `analytics up`, and its lake. */
  worker: join(folder, "worker"),
  planted: join(folder, "planted"),
} as const;

/** Brings the pinned Python programs once, and returns the folder with their commands. */
export async function bringAnalyticsPrograms(neededBy: string, progress: (text: string) => void): Promise<string> {
  const programs = {
    name: "DuckDB, pyiceberg and datacontract-cli",
    neededBy,
    requirements: pythonRequirements,
    folder: join(folder, "python"),
  };
  return join(await bringPythonEnvironment(programs, progress), "bin");
}
