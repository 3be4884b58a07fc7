// One problem of a configuration file with its path, such as `banks[0].baseUrl`. A text never repeats a value.

export interface Problem {
  readonly path: string;
  readonly text: string;
}

export type Path = readonly PropertyKey[];

export function formatPath(path: Path): string {
  return path.map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`)).join("");
}

export function problemAt(path: Path, text: string): Problem {
  return { path: formatPath(path), text };
}
