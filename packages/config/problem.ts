// One thing that is wrong with a configuration file, and where: `banks[0].baseUrl`. A text never repeats a value.

export interface Problem {
  readonly path: string;
  readonly text: string;
}

export type Path = readonly PropertyKey[];

export function pathText(path: Path): string {
  return path.map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`)).join("");
}

export function problem(path: Path, text: string): Problem {
  return { path: pathText(path), text };
}
