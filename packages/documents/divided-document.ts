// A document in several files: one that is read first, and one for each subject, so that none is too long to be read.
// The first names all others by OpenAPI's own references, so that any tool reads them as one document.
//
// #1 A component that the paths of one subject alone need stands beside them, every other one in the first file.
// #2 A component keeps its name, so that joining only takes the file off each reference.

type Part = Readonly<Record<string, unknown>>;

/** The kinds of components, each with its components by name. */
type Components = Readonly<Record<string, Part>>;

/** Divides a document into its files, by their paths: `first` has its head, and a folder of that name the subjects. */
export function divideDocument(document: Part, first: string, subjectOf: (path: string) => string): ReadonlyMap<string, Part> {
  const paths: Part = Object(document["paths"]);
  const components: Components = Object(document["components"]);
  const homes = findHomes(paths, components, subjectOf);
  const folder = first.replace(/\.yaml$/, "");
  const componentsAt = (home: string | null): Components =>
    Object.fromEntries(
      Object.entries(components)
        .map(([kind, parts]) => [kind, keepParts(parts, (name) => (homes.get(`${kind}/${name}`) ?? null) === home)] as const)
        .filter(([, parts]) => Object.keys(parts).length > 0),
    );
  const head = Object.keys(paths).map((path) => [path, { $ref: `${folder}/${subjectOf(path)}.yaml#/paths/${escapePointer(path)}` }]);
  const subjects = new Set(Object.keys(paths).map(subjectOf));
  return new Map<string, Part>([
    [first, { ...document, paths: Object.fromEntries(head), components: componentsAt(null) }],
    ...[...subjects].map((subject): [string, Part] => {
      const file = { paths: keepParts(paths, (path) => subjectOf(path) === subject), components: componentsAt(subject) };
      const divided = changeReferences(file, (to) => (homes.get(componentOf(to)) === subject ? to : `../${first}${to}`));
      return [`${folder}/${subject}.yaml`, Object(divided)];
    }),
  ]);
}

/** Joins the files of a document; one that is not divided stays as it is. */
export function joinDocument(first: Part, read: (file: string) => Part): Part {
  const references = Object.values(Object(first["paths"])).map((item) => String(Reflect.get(Object(item), "$ref") ?? ""));
  const files = new Set(references.filter((to) => to !== "").map((to) => to.replace(/#.*$/, "")));
  if (files.size === 0) return first;
  const subjects = [...files].map(read);
  const paths: Part = Object.assign({}, ...subjects.map((subject) => subject["paths"]));
  const order = Object.keys(Object(first["paths"])).map((path) => [path, paths[path]]);
  const parts = [first, ...subjects].flatMap((file) => Object.entries<Part>(Object(file["components"])));
  const components = [...Map.groupBy(parts, ([kind]) => kind)].map(([kind, own]) => {
    const named = own.flatMap(([, part]) => Object.entries(part)).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return [kind, Object.fromEntries(named)];
  });
  const whole = { ...first, paths: Object.fromEntries(order), components: Object.fromEntries(components) };
  return Object(changeReferences(whole, (to) => to.replace(/^[^#]*/, "")));
}

/** The subject that alone needs a component (#1); null: several do. */
function findHomes(paths: Part, components: Components, subjectOf: (path: string) => string): ReadonlyMap<string, string | null> {
  const homes = new Map<string, string | null>();
  const visit = (value: unknown, subject: string): void => {
    for (const target of listReferences(value).map(componentOf)) {
      const home = homes.get(target);
      if (home === null || home === subject) continue;
      const isFirst = home === undefined;
      homes.set(target, isFirst ? subject : null);
      const [kind = "", name = ""] = target.split("/");
      visit(components[kind]?.[name], subject);
    }
  };
  for (const [path, item] of Object.entries(paths)) visit(item, subjectOf(path));
  return homes;
}

/** The kind and the name of a component, as `schemas/ErrorDetail`. */
function componentOf(reference: string): string {
  return reference.split("/").slice(2, 4).join("/");
}

function escapePointer(path: string): string {
  return path.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D");
}

function keepParts(parts: Part, isKept: (name: string) => boolean): Part {
  return Object.fromEntries(Object.entries(parts).filter(([name]) => isKept(name)));
}

function listReferences(value: unknown): readonly string[] {
  const found: string[] = [];
  changeReferences(value, (to) => {
    found.push(to);
    return to;
  });
  return found;
}

/** Numbers that keep their digits have no prototype, and stay what they are. */
function changeReferences(value: unknown, change: (reference: string) => string): unknown {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) === null) return value;
  if (Array.isArray(value)) return value.map((item) => changeReferences(item, change));
  const changed = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const isReference = name === "$ref" && typeof member === "string";
    return [name, isReference ? change(member) : changeReferences(member, change)] as const;
  });
  return Object.fromEntries(changed);
}
