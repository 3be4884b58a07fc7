// Moves the parts that stand in a document more than once into its components, and refers to them.

type Path = readonly string[];
type Part = Readonly<Record<string, unknown>>;

/** Parts of one kind, such as answers. */
export interface SharedKind {
  /** The member of `components` that holds them. */
  readonly component: string;
  /** Returns the name of a part at this place, or in this operation; null: it is none of this kind. */
  readonly nameAt: (path: Path, part: Part, operation: string | null) => string | null;
  /** Members that stay where a part was, beside the reference. */
  readonly beside?: readonly string[];
  /** A component that is more than the part itself: the part is its member `schema`. */
  readonly wrap?: (part: Part) => Part;
}

/** Kinds of an OpenAPI document, the outer ones first. */
export const openApiKinds: readonly SharedKind[] = [
  { component: "requestBodies", nameAt: (path, _, operation) => (path.at(-1) === "requestBody" ? operation : null) },
  { component: "responses", nameAt: nameAnswer },
  { component: "parameters", nameAt: (path, { name }) => (path.at(-2) === "parameters" ? String(name) : null) },
  { component: "schemas", nameAt: nameText, beside: ["description"] },
  { component: "examples", nameAt: (path) => (path.at(-2) === "examples" ? (path.at(-1) ?? null) : null) },
];

/** Answers of Sluice are called Status, answers to its webhooks Answer. */
function nameAnswer(path: Path): string | null {
  if (path.at(-2) !== "responses") return null;
  return `${path[0] === "webhooks" ? "Answer" : "Status"}${path.at(-1)}`;
}

/** Names the form of a text: by its format, or as ISO 20022 does (`Max35Text`). */
function nameText(path: Path, { type, format, minLength, maxLength, pattern }: Part): string | null {
  if (typeof pattern !== "string" || !path.includes("schemas")) return null;
  if (typeof format === "string") return format.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
  if (typeof maxLength !== "number") return null;
  const isAscii = pattern.startsWith("^[!-~]");
  return `Max${maxLength}${isAscii ? "Ascii" : ""}Text${minLength === undefined ? "OrEmpty" : ""}${Array.isArray(type) ? "OrNumber" : ""}`;
}

/** Returns a document of the same meaning in which no part of these kinds stands twice. */
export function shareParts(document: Part, kinds: readonly SharedKind[]): Part {
  return kinds.reduce(shareKind, document);
}

function shareKind(document: Part, kind: SharedKind): Part {
  const counts = new Map<string, number>();
  changeParts(document, [], (path, part) => {
    if (!isOfKind(kind, path, part)) return null;
    const text = JSON.stringify(splitPart(kind, part).shared);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return null;
  });
  const components: Part = Object(document["components"]);
  const named = new Map(Object.entries<Part>(Object(components[kind.component])));
  const names = new Map([...named].map(([name, part]) => [JSON.stringify(part), name]));
  const share = (path: Path, part: Part): Part | null => {
    if (!isOfKind(kind, path, part)) return null;
    const { shared, beside } = splitPart(kind, part);
    const text = JSON.stringify(shared);
    if (!names.has(text) && (counts.get(text) ?? 0) < 2) return null;
    const name = names.get(text) ?? freeName(document, named, kind, path, part);
    if (!names.has(text)) {
      names.set(text, name);
      named.set(name, shared);
      const inner = Object.fromEntries(Object.entries(shared).map(([key, value]) => [key, changeParts(value, [...path, key], share)]));
      named.set(name, kind.wrap?.(inner) ?? inner);
    }
    return { $ref: `#/components/${kind.component}/${name}${kind.wrap === undefined ? "" : "/schema"}`, ...beside };
  };
  const changed: Part = Object(changeParts(document, [], share));
  if (names.size === 0) return changed;
  const own: Part = Object(Object(changed["components"])[kind.component]);
  const all = Object.entries({ ...Object.fromEntries(named), ...own }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...changed, components: { ...Object(changed["components"]), [kind.component]: Object.fromEntries(all) } };
}

function splitPart({ beside = [] }: SharedKind, part: Part): { readonly shared: Part; readonly beside: Part } {
  const isBeside = ([name]: readonly [string, unknown]): boolean => beside.includes(name);
  return {
    shared: Object.fromEntries(Object.entries(part).filter((member) => !isBeside(member))),
    beside: Object.fromEntries(Object.entries(part).filter(isBeside)),
  };
}

function isOfKind(kind: SharedKind, path: Path, part: Part): boolean {
  const isComponent = path[0] === "components" && path[1] === kind.component && path.length === 3;
  return !isComponent && !("$ref" in part) && kind.nameAt(path, part, "") !== null;
}

/** Returns the value with every object for which `change` answers something else replaced by that. */
function changeParts(value: unknown, path: Path, change: (path: Path, part: Part) => Part | null): unknown {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) === null) return value;
  if (Array.isArray(value)) return value.map((item, place) => changeParts(item, [...path, String(place)], change));
  const part: Part = Object(value);
  const changed = change(path, part);
  if (changed !== null) return changed;
  const isExample = path.at(-2) === "examples" || path.at(-1) === "example";
  if (isExample) return part;
  return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, changeParts(member, [...path, key], change)]));
}

/** Names a part; the later one of two different parts of one name has its operation or a number behind its name. */
function freeName(document: Part, named: ReadonlyMap<string, Part>, kind: SharedKind, path: Path, part: Part): string {
  const operation = findOperation(document, path);
  const wanted = kind.nameAt(path, part, operation) ?? "";
  const names = [wanted, ...(operation === null ? [] : [`${wanted}-${operation}`]), ...[2, 3, 4, 5].map((place) => `${wanted}-${place}`)];
  const found = names.find((name) => !named.has(name));
  if (found === undefined) throw new Error(`too many different parts are called ${wanted}`);
  return found;
}

function findOperation(document: Part, [root = "", path = "", method = ""]: Path): string | null {
  const operation: unknown = Object(Object(Object(document[root]))[path])[method];
  const { operationId }: { readonly operationId?: string } = Object(operation);
  return operationId ?? null;
}
