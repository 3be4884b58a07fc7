// A folder for secret files of a test. Everything that a test opens is closed after it.

import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";

export interface SecretFolder {
  /** Puts a whole file in place atomically, and resolves with its path. */
  readonly write: (name: string, content: string) => Promise<string>;
  remove(): Promise<void>;
}

export interface FolderEnvironment {
  readonly defer: (close: () => unknown) => void;
  readonly folder: () => Promise<SecretFolder>;
}

/** To be called once in each test file. */
export function openFolders(): FolderEnvironment {
  const opened: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close();
  });
  return {
    defer: (close) => void opened.push(close),
    async folder() {
      const folder = await openSecretFolder();
      opened.push(() => folder.remove());
      return folder;
    },
  };
}

export async function openSecretFolder(): Promise<SecretFolder> {
  const path = await mkdtemp(join(tmpdir(), "sluice-secrets-"));
  return {
    async write(name, content) {
      await writeFile(join(path, `${name}.new`), content);
      await rename(join(path, `${name}.new`), join(path, name));
      return join(path, name);
    },
    remove: () => rm(path, { recursive: true }),
  };
}
