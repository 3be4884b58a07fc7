// Puts the components of a document back where they are referred to, so that a test finds an answer or an example in
// its operation. References to schemas stay, because schemas may contain themselves and a validator reads them.

const schemaReference = /^#\/components\/schemas\/[^/]+$/;

export function resolveReferences<T>(document: T): T {
  const resolved: T = resolve(document, document);
  return resolved;
}

function resolve(part: unknown, document: unknown): any {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((item) => resolve(item, document));
  const { $ref }: { readonly $ref?: unknown } = part;
  if (typeof $ref === "string" && $ref.startsWith("#/components/") && !schemaReference.test($ref)) {
    const names = $ref.slice(2).split("/");
    return resolve(
      names.reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), document),
      document,
    );
  }
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, resolve(member, document)]));
}
