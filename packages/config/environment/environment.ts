// The environment variables of the services, read by one table.
//
// #1 All problems are reported at once, each under the name of its variable, as those of the configuration file are.
// #2 No problem's text repeats a value, because it may be a secret.
// #3 An empty variable counts as not set.

import { Fault, logLevels } from "@sluice/kernel";
import { z } from "zod";
import { formatProblems, problemAt } from "../file/problem.ts";
import type { FileVariables } from "../file/variables.ts";
import { alarmSettings } from "./alarm-settings.ts";
import { auditSettings } from "./audit-settings.ts";
import { findConnectionProblems, kafkaSettings, registrySettings, storeSettings } from "./connection-settings.ts";
import { keySettings } from "./key-settings.ts";
import { helpSettings } from "./help-settings.ts";
import { apiSettings, findListenerProblems, listenerSettings, opsSettings } from "./listener-settings.ts";
import { operationsSettings } from "./operations-settings.ts";
import { nameSettings } from "./name-settings.ts";
import { instant, optionalSetting, text } from "./setting-types.ts";
import { traceSettings } from "./trace-settings.ts";

const processSettings = {
  SLUICE_CONFIG: text.describe("Path of the configuration file."),
  SLUICE_LOG_LEVEL: z
    .enum(logLevels, `must be one of ${logLevels.join(", ")}`)
    .default("info")
    .describe(`Least level of log lines: ${logLevels.map((level) => `\`${level}\``).join(", ")}.`),
  SLUICE_RELEASE: optionalSetting(text).describe("Name of the release that runs, shown in `sluice_build_info`; the image can set it."),
} as const;

/** Settings of the mode `all` alone. */
const clockSettings = {
  SLUICE_CLOCK_START: optionalSetting(instant).describe(
    "What the clock of the mode `all` shows at the start, such as `2026-11-20T09:00:00+02:00`; the machine's time where it is not given.",
  ),
} as const;

/** Every variable that a service may read, with its default; one without a default is required. */
export const variables = {
  ...processSettings,
  ...opsSettings,
  ...listenerSettings,
  ...kafkaSettings,
  ...registrySettings,
  ...storeSettings,
  ...apiSettings,
  ...nameSettings,
  ...auditSettings,
  ...keySettings,
  ...helpSettings,
  ...alarmSettings,
  ...operationsSettings,
  ...traceSettings,
  ...clockSettings,
} as const;

export type VariableName = keyof typeof variables;
export type ServiceEnvironment = { readonly [N in VariableName]: z.infer<(typeof variables)[N]> };

/** Reads these variables. Throws Fault `runtime.environment` that names every missing or wrong one. */
export function readEnvironment<N extends VariableName>(environment: FileVariables, names: readonly N[]): Pick<ServiceEnvironment, N> {
  const shape = Object.fromEntries(names.map((name) => [name, variables[name]]));
  const given = Object.fromEntries(names.map((name) => [name, environment[name] === "" ? undefined : environment[name]]));
  const read = z.object(shape).safeParse(given);
  const problems = [
    ...(read.success ? [] : read.error.issues.map(({ path, message }) => problemAt(path, message))),
    ...findConnectionProblems(given, new Set(names)),
    ...findListenerProblems(given, new Set(names)),
  ];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the shape has these names and their schemas
  if (read.success && problems.length === 0) return read.data as Pick<ServiceEnvironment, N>;
  throw new Fault("runtime.environment", `environment: ${formatProblems(problems).join("; ")}`, { isRetryable: false });
}
