// The environment variables as people read them, from the schemas that services read them by.

import { settingNames } from "./connection-settings.ts";
import { variables, type VariableName } from "./environment.ts";

export interface SettingRow {
  readonly name: VariableName;
  readonly text: string;
  /** As it would be written; null: it may be left out, and nothing stands for it. */
  readonly default: string | null;
  readonly isRequired: boolean;
}

export function listSettings(): readonly SettingRow[] {
  return settingNames(variables).map((name) => {
    const setting = variables[name];
    // oxlint-disable-next-line unicorn/no-useless-undefined -- a variable that is not set is read as undefined
    const read = setting.safeParse(undefined);
    return { name, text: setting.description ?? "", default: read.success ? written(read.data) : null, isRequired: !read.success };
  });
}

function written(value: unknown): string | null {
  if (typeof value === "boolean") return value ? "on" : "off";
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}
