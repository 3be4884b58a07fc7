// One problem of the configuration file or the environment, with its path, such as `banks[0].baseUrl` or
// `KAFKA_BROKERS`. A text never repeats a value.

export interface Problem {
  readonly path: string;
  readonly text: string;
}

export type Path = readonly PropertyKey[];

function formatPath(path: Path): string {
  return path.map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`)).join("");
}

export function problemAt(path: Path, text: string): Problem {
  return { path: formatPath(path), text };
}

/** Formats problems for a log line or an error, each in the form `banks[0].baseUrl: must be an address`. */
export function formatProblems(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ path, text }) => `${path}: ${text}`);
}
