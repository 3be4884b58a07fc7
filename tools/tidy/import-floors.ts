// ARCHITECTURE.md shows the import fences as a table of floors, for people. Both say the same.
//
// #1 Each package that imports a list of its own has that list in its row: values, then types.
// #2 A package imports from floors below its own.

import type { FileTree, Rule, TidyFinding } from "./file-tree.ts";

const page = "ARCHITECTURE.md";

interface Fence {
  /** Names of packages; a part of a package, such as `domain/schemes`, is not shown. */
  readonly values: readonly string[];
  readonly types?: readonly string[];
}

/** `fences` maps a folder to what it may import. The page has services, and what may import everything, in words. */
export function importFloors(fences: Readonly<Record<string, Fence>>): Rule {
  return (tree) => {
    const rows = readRows(tree);
    const floors = new Map(rows.map(({ folder, floor }) => [folder, floor]));
    return Object.entries(fences)
      .filter(([folder, { values }]) => !values.includes("*") && !folder.startsWith("services/"))
      .flatMap(([folder, fence]): readonly TidyFinding[] => {
        const row = rows.find((one) => one.folder === folder);
        if (row === undefined) return [{ path: page, text: `no row for ${folder}` }];
        const imports = formatImports(fence);
        const level = [...fence.values, ...(fence.types ?? [])].filter((name) => (floors.get(`packages/${name}`) ?? 0) >= row.floor);
        return [
          ...(row.imports === imports ? [] : [{ path: page, text: `${folder} imports ${imports}` }]),
          ...level.map((name) => ({ path: page, text: `${folder} is not above ${name}` })),
        ];
      });
  };
}

function formatImports({ values, types = [] }: Fence): string {
  const whole = values.filter((name) => !name.includes("/"));
  const parts = [whole.join(", "), types.length === 0 ? "" : `types of ${types.join(", ")}`].filter((part) => part !== "");
  return parts.length === 0 ? "nothing" : parts.join("; ");
}

interface Row {
  readonly folder: string;
  readonly floor: number;
  readonly imports: string;
}

function readRows(tree: FileTree): readonly Row[] {
  return [...(tree.get(page) ?? "").matchAll(/^\| (\d+) \| ([^|]+) \| ([^|]+) \|$/gm)].flatMap(([, floor, names = "", imports = ""]) =>
    names.split(", ").map((name) => ({
      folder: name.includes("/") || name === "tools" ? name : `packages/${name}`,
      floor: Number(floor),
      imports,
    })),
  );
}
