// The software bill of materials of the image, in CycloneDX: `pnpm sbom` of what the Dockerfile installs, and the parts
// of Node that run it.
//
// #1 The same lock file and the same Node give the same bytes: what pnpm draws for each run (a number, a time) is left
//    out, and lists are sorted.
// #2 The packages of the workspace are Sluice itself, so they are no components. Sluice depends on every component that
//    no other component needs. pnpm's own list of what a workspace package needs differs from run to run.

export interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly group?: string;
  readonly purl: string;
  readonly "bom-ref": string;
  readonly licenses?: readonly unknown[];
}

export interface Dependency {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
}

export interface Sbom {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string; readonly component: { readonly "bom-ref": string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

const ownPackages = "pkg:npm/%40sluice/";

/** The words of the Dockerfile's installation that choose packages; the SBOM is of the same. */
export function readFilters(dockerfile: string): readonly string[] {
  return [...dockerfile.matchAll(/--filter '([^']+)'/g)].flatMap(([, filter = ""]) => ["--filter", filter]);
}

/** `versions` are those of `process.versions`: Node and the libraries in it. */
export function completeSbom(made: Sbom, versions: Readonly<Record<string, string | undefined>>): Sbom {
  const { serialNumber: _number, metadata, components, dependencies, ...rest } = made;
  const { timestamp: _time, ...about } = metadata;
  const runtime = Object.entries(versions).flatMap(([name, version]) => (version === undefined ? [] : [runtimePart(name, version)]));
  const node = runtime.find(({ name }) => name === "node");
  const inNode = runtime.filter((part) => part !== node).map((part) => part["bom-ref"]);
  const isOwn = (ref: string): boolean => ref === metadata.component["bom-ref"] || ref.startsWith(ownPackages);
  const listed = dependencies.filter(({ ref }) => !isOwn(ref));
  const ofNode = node === undefined ? [] : [{ ref: node["bom-ref"], dependsOn: inNode }];
  const links = [...listed, ...ofNode];
  const all = [...components.filter((one) => !isOwn(one["bom-ref"])), ...runtime];
  const needed = new Set(links.flatMap(({ dependsOn = [] }) => dependsOn));
  const direct = all.map((one) => one["bom-ref"]).filter((ref) => !needed.has(ref));
  return {
    ...rest,
    metadata: about,
    components: all.toSorted((a, b) => compare(a["bom-ref"], b["bom-ref"])),
    dependencies: [...links, { ref: metadata.component["bom-ref"], dependsOn: direct }]
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.toSorted(compare) }))
      .toSorted((a, b) => compare(a.ref, b.ref)),
  };
}

function runtimePart(name: string, version: string): Component {
  const purl = `pkg:generic/${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
  return { type: name === "node" ? "platform" : "library", name, version, purl, "bom-ref": purl };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
