// Writes the papers of the image while it is built, or for a look at them: `node infra/image/write-papers.ts FOLDER`.
// sbom.json is the bill of materials, and THIRD-PARTY-NOTICES.txt has the licence texts of all packages and of Node.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectRoot } from "./entries.ts";
import { findInstalledPackages } from "./installed-packages.ts";
import { readNotice, renderNotices } from "./notices.ts";
import { completeSbom, readFilters, type Sbom } from "./sbom.ts";

const outputBytesMax = 16_777_216;
/** Where builds of Node keep their licence, from the folder of the program. */
const nodeLicences = ["../LICENSE", "../share/doc/node/LICENSE", "../../LICENSE"];

if (import.meta.main) {
  const [, , folder = "."] = process.argv;
  mkdirSync(folder, { recursive: true });
  const sbom = completeSbom(runPnpm(projectRoot), process.versions);
  writeFileSync(join(folder, "sbom.json"), `${JSON.stringify(sbom, null, 2)}\n`);
  const notices = findInstalledPackages(projectRoot).map((one) => readNotice(one));
  const installed = new Set(sbom.components.map(({ purl }) => purl));
  writeFileSync(
    join(folder, "THIRD-PARTY-NOTICES.txt"),
    renderNotices([nodeNotice(), ...notices.filter(({ purl }) => installed.has(purl))]),
  );
}

/** The bill of what the Dockerfile installs, as pnpm makes it from the lock file and the installed packages. */
export function runPnpm(root: string): Sbom {
  const filters = readFilters(readFileSync(join(root, "infra", "image", "Dockerfile"), "utf8"));
  const words = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--sbom-spec-version", "1.6", "--prod", ...filters];
  const { status, stdout, stderr } = spawnSync("pnpm", words, { cwd: root, encoding: "utf8", maxBuffer: outputBytesMax });
  if (status !== 0) throw new Error(`pnpm sbom ended with ${status}: ${stderr}`);
  const made: Sbom = JSON.parse(stdout);
  return made;
}

function nodeNotice() {
  const { node: version } = process.versions;
  const file = nodeLicences.map((path) => join(dirname(process.execPath), path)).find((path) => existsSync(path));
  const text = file === undefined ? null : readFileSync(file, "utf8");
  return { name: "node", version, licence: "MIT, with the licences of the libraries in it", purl: `pkg:generic/node@${version}`, text };
}
