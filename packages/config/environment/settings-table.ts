// The environment variables as people read them, from the schemas that services read them by.

import type { z } from "zod";
import { variables, type VariableName } from "./environment.ts";

export interface SettingRow {
  readonly name: VariableName;
  readonly text: string;
  /** As it would be written; null: it may be left out, and nothing stands for it. */
  readonly default: string | null;
  readonly isRequired: boolean;
}

export function listSettings(): readonly SettingRow[] {
  return Object.entries(variables).map(([name, setting]: [string, z.ZodType]) => {
    const read = setting.safeParse(undefined);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table
    return {
      name: name as VariableName,
      text: setting.description ?? "",
      default: read.success ? written(read.data) : null,
      isRequired: !read.success,
    };
  });
}

function written(value: unknown): string | null {
  if (typeof value === "boolean") return value ? "on" : "off";
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}
