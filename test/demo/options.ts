// Reads the arguments of `./sluice demo`.

import { parseArgs } from "node:util";
import { serviceNames, type ServiceName } from "@sluice/environment";

export interface DemoOptions {
  /** Writes the result as one JSON document to standard output, and progress to standard error. */
  readonly isJson: boolean;
  /** Service that is killed in the middle of its work and started again a second later; null for none. */
  readonly kill: ServiceName | null;
  /** Number of good debits, in addition to the special ones. */
  readonly debits: number;
  /** Keeps the run's directory with logs, configuration and history. */
  readonly isKept: boolean;
  /** Plays in one process over memory, also where the real servers could run. */
  readonly isInMemory: boolean;
  /** With TLS, logins, rights and sealed personal data. */
  readonly isSecured: boolean;
  /** Leaves everything up after the verdict, until Ctrl-C. */
  readonly isStaying: boolean;
}

export type OptionsReading = { readonly ok: true; readonly options: DemoOptions } | { readonly ok: false; readonly problem: string };

const debitsDefault = 200;
const debitsMax = 5_000;

export function readDemoOptions(args: readonly string[]): OptionsReading {
  let values: { json?: boolean; kill?: string; debits?: string; keep?: boolean; "in-memory"?: boolean; secured?: boolean; stay?: boolean };
  try {
    const known = {
      json: { type: "boolean" },
      kill: { type: "string" },
      debits: { type: "string" },
      keep: { type: "boolean" },
      "in-memory": { type: "boolean" },
      secured: { type: "boolean" },
      stay: { type: "boolean" },
    } as const;
    ({ values } = parseArgs({ args: [...args], options: known, allowPositionals: false }));
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : "unreadable arguments" };
  }
  const kill = serviceNames.find((name) => name === values.kill) ?? null;
  if (values.kill !== undefined && kill === null) return { ok: false, problem: `--kill must be one of ${serviceNames.join(", ")}` };
  const debits = Number(values.debits ?? debitsDefault);
  if (!Number.isInteger(debits) || debits < 1 || debits > debitsMax) {
    return { ok: false, problem: `--debits must be a whole number from 1 to ${debitsMax}` };
  }
  const isInMemory = values["in-memory"] ?? false;
  if (isInMemory && kill !== null) return { ok: false, problem: "--kill needs services in processes of their own: not with --in-memory" };
  const isSecured = values.secured ?? false;
  if (isInMemory && isSecured) return { ok: false, problem: "--secured needs servers and processes: not with --in-memory" };
  const isStaying = values.stay ?? false;
  return {
    ok: true,
    options: { isJson: values.json ?? false, kill, debits, isKept: values.keep ?? false, isInMemory, isSecured, isStaying },
  };
}
