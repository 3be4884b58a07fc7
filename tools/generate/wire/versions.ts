// Every version of a schema is kept, self-contained and unchanged, in avro/versions/<record>/<n>.avsc; lock.json holds
// the SHA-256 of each file.
//
// #1 A released version is never rewritten, because readers hold records that it wrote.
// #2 `released` in lock.json is the newest released version; a newer one may be rewritten with --rewrite-unreleased.
// #3 A further version is only made on request, with --new-version.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Lock {
  /** The newest released version of a record, by its file; a record without one is absent. */
  readonly released: Readonly<Record<string, number>>;
  /** `<record>/<n>.avsc` → SHA-256 of the file, in hex. */
  readonly sha256: Readonly<Record<string, string>>;
}

export type VersionMode = "check" | "keep" | "new-version" | "rewrite-unreleased";

export interface VersionResult {
  /** The texts of all versions by record file, oldest first. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
  /** Complaints about this run, one sentence each. */
  readonly complaints: readonly string[];
}

function versionsFolder(root: string): string {
  return join(root, "avro", "versions");
}

function readLock(root: string): Lock {
  const path = join(versionsFolder(root), "lock.json");
  if (!existsSync(path)) return { released: {}, sha256: {} };
  const lock: Lock = JSON.parse(readFileSync(path, "utf8"));
  return lock;
}

/** Returns the texts of one record's versions, oldest first; throws where a number is missing. */
function readVersions(root: string, file: string): readonly string[] {
  const folder = join(versionsFolder(root), file);
  if (!existsSync(folder)) return [];
  const count = readdirSync(folder).length;
  return Array.from({ length: count }, (_, index) => readFileSync(join(folder, `${index + 1}.avsc`), "utf8"));
}

/** Updates the versions to the current schemas as far as `mode` allows, and complains about the rest. */
export function settleVersions(root: string, current: ReadonlyMap<string, string>, mode: VersionMode): VersionResult {
  const lock = readLock(root);
  const complaints = lockComplaints(root, lock);
  const versions = new Map<string, readonly string[]>();
  for (const [file, text] of current) {
    const kept = readVersions(root, file);
    const settled = kept.at(-1) === text ? kept : settle(file, kept, text, mode, lock, complaints);
    versions.set(file, settled);
  }
  if (mode !== "check" && complaints.length === 0) write(root, versions, lock);
  return { versions, complaints };
}

function settle(
  file: string,
  kept: readonly string[],
  text: string,
  mode: VersionMode,
  lock: Lock,
  complaints: string[],
): readonly string[] {
  if (kept.length === 0 && mode !== "check") return [text];
  if (mode === "new-version") return [...kept, text];
  const isReleased = kept.length <= (lock.released[file] ?? 0);
  if (mode === "rewrite-unreleased" && !isReleased) return [...kept.slice(0, -1), text];
  complaints.push(
    `avro/versions/${file} does not end with the current schema: run ./sluice generate --new-version${isReleased ? "" : " or --rewrite-unreleased"}`,
  );
  return kept;
}

function lockComplaints(root: string, lock: Lock): string[] {
  const complaints: string[] = [];
  const found = new Map<string, string>();
  const folder = versionsFolder(root);
  for (const file of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
    if (!file.isDirectory()) continue;
    readVersions(root, file.name).forEach((text, index) => found.set(`${file.name}/${index + 1}.avsc`, sha256(text)));
  }
  for (const [path, hash] of found) {
    if (lock.sha256[path] !== hash) complaints.push(`avro/versions/${path} differs from lock.json: a version is never changed`);
  }
  for (const path of Object.keys(lock.sha256)) {
    if (!found.has(path)) complaints.push(`avro/versions/${path} is in lock.json and gone: a version is never removed`);
  }
  return complaints;
}

function write(root: string, versions: ReadonlyMap<string, readonly string[]>, lock: Lock): void {
  const hashes: Record<string, string> = {};
  for (const [file, texts] of versions) {
    mkdirSync(join(versionsFolder(root), file), { recursive: true });
    texts.forEach((text, index) => {
      writeFileSync(join(versionsFolder(root), file, `${index + 1}.avsc`), text);
      hashes[`${file}/${index + 1}.avsc`] = sha256(text);
    });
  }
  const next: Lock = { released: lock.released, sha256: { ...lock.sha256, ...hashes } };
  writeFileSync(join(versionsFolder(root), "lock.json"), `${JSON.stringify(next, null, 2)}\n`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
