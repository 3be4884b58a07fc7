// Every schema of the wire is on the map in avro/README.md, and the map names no other. The kept versions of a record
// (avro/versions/<record>/<n>.avsc) are on it by their record.

import type { Rule } from "./file-tree.ts";

const mapPath = "avro/README.md";

export const wireMap: Rule = (tree) => {
  const map = tree.get(mapPath) ?? "";
  const linked = new Set([...map.matchAll(/\]\(([a-z0-9/-]+\.avsc)\)/g)].map(([, link = ""]) => `avro/${link}`));
  const schemas = [...tree.keys()].filter((path) => path.startsWith("avro/") && path.endsWith(".avsc"));
  return [
    ...schemas
      .filter((path) => !linked.has(path.replace(/\/versions\/([a-z0-9-]+)\/\d+\.avsc$/, "/$1.avsc")))
      .map((path) => ({ path, text: `is not on the map, ${mapPath}` })),
    ...[...linked].filter((path) => !tree.has(path)).map((path) => ({ path: mapPath, text: `names ${path}, which is not there` })),
  ];
};
