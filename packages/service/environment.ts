// Reads environment variables against a table and reports all errors at once. Only a service's `config.ts` passes
// `process.env`. Errors never repeat a value, because it may be a secret.

import { Fault } from "@sluice/kernel";

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export type VariableReading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** The variable of one setting, and how it is read. */
export interface EnvironmentSetting<T> {
  readonly name: string;
  read(text: string | undefined): VariableReading<T>;
}

export type EnvironmentSettings<T> = { readonly [K in keyof T]: EnvironmentSetting<T[K]> };

/** Reads all settings. Throws Fault `runtime.environment` that names every missing or wrong variable. */
export function readEnvironment<T extends object>(environment: EnvironmentVariables, settings: EnvironmentSettings<T>): T {
  const values: Partial<T> = {};
  const problems: string[] = [];
  for (const key in settings) {
    const setting = settings[key];
    const text = environment[setting.name];
    const variable = setting.read(text === "" ? undefined : text);
    if (variable.ok) values[key] = variable.value;
    else problems.push(`${setting.name} ${variable.problem}`);
  }
  if (isComplete(values, settings)) return values;
  throw new Fault("runtime.environment", `environment: ${problems.join("; ")}`, { isRetryable: false });
}

function isComplete<T extends object>(values: Partial<T>, settings: EnvironmentSettings<T>): values is T {
  return Object.keys(settings).every((key) => key in values);
}

/** A setting of any text; required if it has no fallback. */
export function textVariable(name: string, fallback?: string): EnvironmentSetting<string> {
  return setting(name, fallback, (value) => ({ ok: true, value }));
}

/** A setting of texts separated by commas, at least one; blanks around them are dropped. */
export function listVariable(name: string, fallback?: readonly string[]): EnvironmentSetting<readonly string[]> {
  return setting(name, fallback, (value) => {
    const entries = value
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
    return entries.length > 0 ? { ok: true, value: entries } : { ok: false, problem: "must name at least one, separated by commas" };
  });
}

export function integerVariable(
  name: string,
  bounds: { readonly min: number; readonly max: number; readonly fallback?: number },
): EnvironmentSetting<number> {
  const { min, max, fallback } = bounds;
  return setting(name, fallback, (value) => {
    const parsed = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return parsed >= min && parsed <= max
      ? { ok: true, value: parsed }
      : { ok: false, problem: `must be a whole number from ${min} to ${max}` };
  });
}

export function choiceVariable<const V extends string>(name: string, allowed: readonly V[], fallback?: NoInfer<V>): EnvironmentSetting<V> {
  return setting(name, fallback, (value) => {
    const found = allowed.find((entry) => entry === value);
    return found === undefined ? { ok: false, problem: `must be one of ${allowed.join(", ")}` } : { ok: true, value: found };
  });
}

/** A setting of an address with one of these schemes, such as `http` or `mongodb`; a trailing slash is dropped. */
export function addressVariable(name: string, schemes: readonly string[], fallback?: string): EnvironmentSetting<string> {
  return setting(name, fallback, (value) =>
    schemes.some((scheme) => value.startsWith(`${scheme}://`)) && URL.canParse(value)
      ? { ok: true, value: value.replace(/\/+$/, "") }
      : { ok: false, problem: `must be an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}` },
  );
}

function setting<T>(name: string, fallback: T | undefined, parse: (value: string) => VariableReading<T>): EnvironmentSetting<T> {
  return {
    name,
    read(value) {
      if (value !== undefined) return parse(value);
      return fallback === undefined ? { ok: false, problem: "is not set" } : { ok: true, value: fallback };
    },
  };
}
