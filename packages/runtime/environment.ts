// Reads environment variables against a table and says everything that is wrong at once. Only a service's `config.ts` calls it with
// `process.env`. No value is ever repeated in an error: it may be a secret.

import { Fault } from "./fault.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type Variable<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** How one setting is read from its variable. */
export interface Setting<T> {
  readonly name: string;
  read(text: string | undefined): Variable<T>;
}

export type Settings<T> = { readonly [K in keyof T]: Setting<T[K]> };

/** Throws Fault `runtime.environment` that names every missing or wrong variable. */
export function readEnvironment<T extends object>(environment: Environment, settings: Settings<T>): T {
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

function isComplete<T extends object>(values: Partial<T>, settings: Settings<T>): values is T {
  return Object.keys(settings).every((key) => key in values);
}

/** Any text. Required where no default is given. */
export function text(name: string, fallback?: string): Setting<string> {
  return setting(name, fallback, (value) => ({ ok: true, value }));
}

/** Texts separated by commas, at least one; blanks around them are dropped. */
export function list(name: string, fallback?: readonly string[]): Setting<readonly string[]> {
  return setting(name, fallback, (value) => {
    const entries = value
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
    return entries.length > 0 ? { ok: true, value: entries } : { ok: false, problem: "must name at least one, separated by commas" };
  });
}

export function integer(name: string, bounds: { readonly min: number; readonly max: number; readonly fallback?: number }): Setting<number> {
  const { min, max, fallback } = bounds;
  return setting(name, fallback, (value) => {
    const parsed = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return parsed >= min && parsed <= max
      ? { ok: true, value: parsed }
      : { ok: false, problem: `must be a whole number from ${min} to ${max}` };
  });
}

export function oneOf<const V extends string>(name: string, allowed: readonly V[], fallback?: NoInfer<V>): Setting<V> {
  return setting(name, fallback, (value) => {
    const found = allowed.find((entry) => entry === value);
    return found === undefined ? { ok: false, problem: `must be one of ${allowed.join(", ")}` } : { ok: true, value: found };
  });
}

/** An address with one of these schemes, such as `http` or `mongodb`; a slash at its end is dropped. */
export function address(name: string, schemes: readonly string[], fallback?: string): Setting<string> {
  return setting(name, fallback, (value) =>
    schemes.some((scheme) => value.startsWith(`${scheme}://`)) && URL.canParse(value)
      ? { ok: true, value: value.replace(/\/+$/, "") }
      : { ok: false, problem: `must be an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}` },
  );
}

function setting<T>(name: string, fallback: T | undefined, parse: (value: string) => Variable<T>): Setting<T> {
  return {
    name,
    read(value) {
      if (value !== undefined) return parse(value);
      return fallback === undefined ? { ok: false, problem: "is not set" } : { ok: true, value: fallback };
    },
  };
}
