// Replaces `${NAME}` in strings of the file by variables of the environment, so that the file holds no addresses and no
// secrets.
//
// #1 A missing or empty variable is a problem at the member that refers to it. The text names the variable and no
//    value.
// #2 A secret (a bearer token, a signing key) must come from the environment as a whole.
// #3 A process that calls no bank needs no variable of a secret, and takes none that is there.

import { type Path, type Problem, problemAt } from "./problem.ts";

const secretsLeftOut: unique symbol = Symbol("secrets left out");

export type FileVariables = Readonly<Record<string, string | undefined>> & { readonly [secretsLeftOut]?: true };

/** #3 */
export function leaveOutSecrets(environment: FileVariables): FileVariables {
  return { ...environment, [secretsLeftOut]: true };
}

const reference = /\$\{([^}]*)\}/g;
const name = /^[A-Z][A-Z0-9_]*$/;
/** Names of members that hold secrets, anywhere in the file. */
export const secretMembers: ReadonlySet<PropertyKey> = new Set(["bearerToken", "secret"]);

/** Returns the same tree with every reference replaced. References that cannot be replaced are added to `problems`. */
export function resolveVariables(value: unknown, environment: FileVariables, problems: Problem[], path: Path = []): unknown {
  if (typeof value === "string") return replaceReferences(value, environment, problems, path);
  if (Array.isArray(value)) return value.map((member: unknown, index) => resolveVariables(member, environment, problems, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, resolveVariables(member, environment, problems, [...path, key])]),
  );
}

function replaceReferences(text: string, environment: FileVariables, problems: Problem[], path: Path): string {
  if (secretMembers.has(path.at(-1) ?? "")) {
    const isWhole = /^\$\{[^}]*\}$/.test(text);
    if (!isWhole) problems.push(problemAt(path, "a secret must not be in the file: name a variable of the environment, ${NAME}"));
    if (!isWhole || environment[secretsLeftOut] === true) return unresolved;
  }
  return text.replaceAll(reference, (_, wanted: string) => {
    const found = name.test(wanted) ? environment[wanted] : undefined;
    if (found !== undefined && found !== "") return found;
    const what = name.test(wanted) ? `the environment has no ${wanted}` : "not the name of a variable: capitals, digits and _";
    problems.push(problemAt(path, what));
    return unresolved;
  });
}

/** Replaces a missing value, so that the member gets no second problem about its form, and a secret by #3. */
const unresolved = "\u0000unresolved";

export function isUnresolvedVariable(value: unknown): boolean {
  return typeof value === "string" && value.includes(unresolved);
}
