// Reading a decoded record's members without trusting its shape.

export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  let member = value;
  for (const name of path) {
    if (typeof member !== "object" || member === null) return undefined;
    member = Reflect.get(member, name);
  }
  return member;
}

/** Empty where there is no text. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const member = memberAt(value, ...path);
  return typeof member === "string" ? member : "";
}

export function textsAt(value: unknown, ...path: readonly string[]): readonly string[] | null {
  const member = memberAt(value, ...path);
  return Array.isArray(member) ? member.map(String) : null;
}

/** NaN where there is no number; decimal text counts as one. */
export function numberAt(value: unknown, ...path: readonly string[]): number {
  const member = memberAt(value, ...path);
  return typeof member === "number" || (typeof member === "string" && member !== "") ? Number(member) : Number.NaN;
}

/** -1 where there is no whole number. */
export function offsetAt(value: unknown, ...path: readonly string[]): bigint {
  const member = memberAt(value, ...path);
  const isWhole = (typeof member === "string" && /^-?\d+$/.test(member)) || (typeof member === "number" && Number.isSafeInteger(member));
  return isWhole ? BigInt(member) : -1n;
}
