import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findInstalledPackages } from "./installed-packages.ts";
import { readNotice, renderNotices } from "./notices.ts";
import { prunePackage } from "./prune.ts";
import { completeSbom, readFilters } from "./sbom.ts";
import { isUnread } from "./unread-files.ts";
import { projectRoot as root } from "./entries.ts";
import { runPnpm } from "./write-papers.ts";

const dockerfile = readFileSync(join(root, "infra/image/Dockerfile"), "utf8");
const versions = { node: "26.10.0", openssl: "3.5.4", v8: undefined };
const temporary = mkdtempSync(join(tmpdir(), "sluice-papers-"));
afterAll(() => rmSync(temporary, { recursive: true }));

describe("the bill of materials", () => {
  const bill = completeSbom(runPnpm(root), versions);
  const purls = bill.components.map(({ purl }) => purl);

  it("is the same for the same lock file and the same Node, byte for byte", () => {
    const again = JSON.stringify(completeSbom(runPnpm(root), versions));
    expect(again === JSON.stringify(bill)).toBe(true);
    expect(/serialNumber|timestamp/.test(again)).toBe(false);
  });

  it("has what production needs, at the versions of the catalog, with its licence", () => {
    const catalog = [...readFileSync(join(root, "pnpm-workspace.yaml"), "utf8").matchAll(/^ {2}"?([@\w/.-]+)"?: "?(\d[\w.-]*)"?$/gm)];
    const pinned = new Map(catalog.map(([, name = "", version = ""]) => [name, version]));
    for (const name of ["kafkajs", "mongodb", "undici", "zod"]) {
      expect(pinned.get(name)).toMatch(/^\d/);
      expect(purls).toContain(`pkg:npm/${name}@${pinned.get(name)}`);
    }
    const unlicensed = bill.components.filter(({ purl, licenses = [] }) => purl.startsWith("pkg:npm/") && licenses.length === 0);
    expect(unlicensed.map(({ purl }) => purl)).toEqual([]);
  });

  it("has nothing of the tests' tools, and names Node with the libraries in it", () => {
    expect(purls.filter((purl) => /npm\/(vitest|typescript|oxlint|knip|testcontainers)@/.test(purl))).toEqual([]);
    expect(purls.filter((purl) => purl.startsWith("pkg:generic/"))).toEqual(["pkg:generic/node@26.10.0", "pkg:generic/openssl@3.5.4"]);
    const ofRoot = bill.dependencies.find(({ ref }) => ref === bill.metadata.component["bom-ref"]);
    expect(ofRoot?.dependsOn).toContain("pkg:generic/node@26.10.0");
  });

  it("is of what the Dockerfile installs", () => {
    expect(readFilters(dockerfile)).toContain("@sluice/ingress...");
    expect(readFilters(dockerfile).filter((word) => word !== "--filter")).toHaveLength(8);
  });
});

describe("the notices", () => {
  it("have the licence text of every installed package that brings one, and name those that bring none", () => {
    const notices = findInstalledPackages(root).map((folder) => readNotice(folder));
    const kafkajs = notices.find(({ name }) => name === "kafkajs");
    expect(kafkajs?.text).toContain("MIT License");
    const text = renderNotices([kafkajs!, { name: "bare", version: "1.0.0", licence: "MIT", purl: "pkg:npm/bare@1.0.0", text: null }]);
    expect(text.indexOf("bare 1.0.0\nMIT\n")).toBeLessThan(text.indexOf("kafkajs 2.2.4\nMIT\n"));
    expect(text).toContain("The package brings no text of its licence.");
  });
});

describe("what is removed from installed packages", () => {
  it.each([
    ["dist/index.js", false],
    ["dist/index.js.map", true],
    ["src/index.ts", true],
    ["types/index.d.cts", true],
    ["package.json", false],
    ["README.md", true],
    ["LICENSE.md", false],
    ["test/LICENSE", false],
    ["swagger-ui-bundle.js.LICENSE.txt", false],
    ["test/data.txt", true],
    ["lib/test/helper.js", false],
    ["examples/run.js", true],
    ["docs.js", false],
    ["swagger-ui-bundle.js", false],
    ["swagger-ui-es-bundle-core.js", true],
    ["swagger-ui.css", false],
  ])("%s: %s", (path, expected) => {
    expect(isUnread(path)).toBe(expected);
  });

  it("goes, and the rest stays as it is", () => {
    const folder = join(temporary, "package");
    mkdirSync(join(folder, "lib"), { recursive: true });
    for (const file of ["index.js", "lib/a.js", "lib/a.js.map", "lib/a.d.ts", "LICENSE"]) writeFileSync(join(folder, file), "text");
    expect(prunePackage(folder)).toBe(8);
    expect(new Set<unknown>(readdirSync(folder, { recursive: true }))).toEqual(new Set(["LICENSE", "index.js", "lib", "lib/a.js"]));
  });

  it("is not what the installed packages export", () => {
    const exported = findInstalledPackages(root).flatMap((folder) => {
      const { main = "index.js" }: { readonly main?: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return /\.(js|cjs|mjs|json|node)$/.test(main) && isUnread(main.replace(/^\.\//, "")) ? [`${folder}: ${main}`] : [];
    });
    expect(exported).toEqual([]);
  });
});

describe("the Dockerfile's bases", () => {
  it("are build arguments: Node's image, which a build for production pins by its digest, and nothing at all", () => {
    expect(dockerfile.match(/^FROM .*$/gm)?.slice(0, 3)).toEqual([
      "FROM ${BUILD} AS built",
      "FROM scratch AS base",
      "FROM ${RUNTIME} AS runtime",
    ]);
    expect(dockerfile).toMatch(/^ARG BUILD=node:26-slim$/m);
    expect(dockerfile).toMatch(/^ARG RUNTIME=base$/m);
  });
});
