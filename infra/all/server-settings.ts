// The mode `all` keeps everything in memory, and forgets it when it ends. So it never runs where real servers are
// named: somebody would believe that their journal has what banks were answered 202 for.

/** Returns a sentence that names the settings of real servers; null: there are none. No value is repeated. */
export function findServerSettings(environment: Readonly<Record<string, string | undefined>>, names: readonly string[]): string | null {
  const given = names.filter((name) => (environment[name] ?? "") !== "");
  if (given.length === 0) return null;
  return `this mode keeps everything in memory and is for tests, but real servers are named: ${given.join(", ")}. Start the services instead, or unset these variables`;
}
