// Which files of an installed package no process of the image can read. The build removes them.
//
// #1 Licences and notices stay, whatever they are called.
// #2 Node strips no types below `node_modules`, so a TypeScript file there is never run; the same holds for types.
// #3 Source maps are for a debugger. Stack traces name the lines of the files that run.
// #4 Of the viewer of documents the console serves one bundle; the others are the same program again.
// #5 Tests and examples are folders at a package's root, next to what it exports.

const licence = /^(licen[cs]e|notice|copying|copyright|authors|patents)/i;
const unreadEndings = /\.(map|ts|cts|mts|tsx|flow|md|markdown|tsbuildinfo)$/i;
const unreadBundles = /^swagger-ui(-es-bundle|-es-bundle-core|-standalone-preset)?\.js$/;
const unreadFolders = /^(test|tests|__tests__|example|examples|bench|benchmark|benchmarks|docs)$/i;

/** `path` is relative to the package's root, with slashes. */
export function isUnread(path: string): boolean {
  const parts = path.split("/");
  const name = parts.at(-1) ?? "";
  if (licence.test(name) || /\.LICENSE\.txt$/i.test(name)) return false;
  if (unreadEndings.test(name) || unreadBundles.test(path)) return true;
  return parts.length > 1 && unreadFolders.test(parts[0] ?? "");
}
