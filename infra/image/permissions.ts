// What the process of a service may do besides computing and using the network, by Node's permission model.
//
// #1 It reads the image's own files, the files and folders that variables name, `/etc/sluice`, where the chart mounts
//    what the configuration file names, and the folders of SLUICE_READ_FOLDERS. Each file is named alone, so that a
//    file in `/etc` does not open `/etc`.
// #2 It writes to nothing but a local keyring, in which it makes keys, and the cache of compiled code: Node uses that
//    cache only where it may write to it, and without it a start takes twice as much of a processor.
// #3 It starts no process and no thread, and loads no compiled addon: no service does.
// #4 A symbolic link is followed to wherever it leads. Secrets of Kubernetes are such links.

import { join, resolve } from "node:path";

type Environment = Readonly<Partial<Record<string, string>>>;

/** No object has `__proto__`, so what a caller sends cannot reach a prototype by it. */
export const withoutProto = "--disable-proto=delete";

/** Files that the code itself names: those that find hosts, and what metrics of the process are read from. */
const ownFiles = [
  "/etc/hosts",
  "/etc/resolv.conf",
  "/proc/self/fd",
  "/proc/self/limits",
  "/proc/self/status",
  // The store's driver tells the store whether it runs in a container.
  "/.dockerenv",
] as const;

const mountedFolder = "/etc/sluice";

/** `root` is the folder of the image's own files. Relative paths begin in the working directory, as everywhere. */
export function buildPermissions(environment: Environment, root: string): readonly string[] {
  const named = Object.entries(environment).flatMap(([name, value = ""]) => (value === "" ? [] : [{ name, path: resolve(value) }]));
  const ending = (end: string) => named.filter(({ name }) => name.endsWith(end)).map(({ path }) => path);
  const files = [...ending("_FILE"), ...ending("SLUICE_CONFIG"), ...ownFiles];
  const writable = [...ending("NODE_COMPILE_CACHE"), ...ending("SLUICE_KEYRING_FOLDER")].map(inside);
  const more = (environment["SLUICE_READ_FOLDERS"] ?? "").split(",").filter((folder) => folder !== "");
  const folders = [root, mountedFolder, ...ending("_FOLDER"), ...more.map((folder) => resolve(folder))].map(inside);
  return [
    "--permission",
    "--allow-net",
    // Node warns of --allow-net at each start.
    "--disable-warning=ExperimentalWarning",
    ...[...new Set([...folders, ...writable, ...files])].map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
  ];
}

/** The folder and what it has. */
function inside(folder: string): string {
  return join(folder, "/");
}
