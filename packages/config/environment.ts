// `${NAME}` in a string of the file is taken from the environment: addresses and secrets never stand in the file.
//
// #1 A missing or empty variable is a problem at the place that asks for it; the text names the variable and no value.
// #2 A secret (a bearer token, a signing key) is taken from the environment as a whole, or not at all.

import { problem } from "./problem.ts";
import type { Path, Problem } from "./problem.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const reference = /\$\{([^}]*)\}/g;
const name = /^[A-Z][A-Z0-9_]*$/;
/** By name, wherever they stand. */
export const secretMembers: ReadonlySet<PropertyKey> = new Set(["bearerToken", "secret"]);

/** The same tree with every reference replaced; what could not be is told to `problems` and left out. */
export function withEnvironment(value: unknown, environment: Environment, problems: Problem[], path: Path = []): unknown {
  if (typeof value === "string") return replaced(value, environment, problems, path);
  if (Array.isArray(value)) return value.map((member: unknown, index) => withEnvironment(member, environment, problems, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withEnvironment(member, environment, problems, [...path, key])]),
  );
}

function replaced(text: string, environment: Environment, problems: Problem[], path: Path): string {
  if (secretMembers.has(path.at(-1) ?? "") && !/^\$\{[^}]*\}$/.test(text)) {
    problems.push(problem(path, "a secret never stands in the file: name a variable of the environment, ${NAME}"));
    return unresolved;
  }
  return text.replaceAll(reference, (_, wanted: string) => {
    const found = name.test(wanted) ? environment[wanted] : undefined;
    if (found !== undefined && found !== "") return found;
    const what = name.test(wanted) ? `the environment has no ${wanted}` : "not the name of a variable: capitals, digits and _";
    problems.push(problem(path, what));
    return unresolved;
  });
}

/** Stands for what is missing, so that the member gets no second problem about its form. */
const unresolved = "\u0000unresolved";

export function isUnresolved(value: unknown): boolean {
  return typeof value === "string" && value.includes(unresolved);
}
