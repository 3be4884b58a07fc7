// Reads members of a decoded record without trusting its shape.

export function readRecordMember(value: unknown, ...path: readonly string[]): unknown {
  let member = value;
  for (const name of path) {
    if (typeof member !== "object" || member === null) return undefined;
    member = Reflect.get(member, name);
  }
  return member;
}

/** Returns an empty string where there is no text. */
export function readRecordText(value: unknown, ...path: readonly string[]): string {
  const member = readRecordMember(value, ...path);
  return typeof member === "string" ? member : "";
}

export function readRecordTexts(value: unknown, ...path: readonly string[]): readonly string[] | null {
  const member = readRecordMember(value, ...path);
  return Array.isArray(member) ? member.map(String) : null;
}

/** Returns NaN where there is no number. Decimal text counts as a number. */
export function readRecordNumber(value: unknown, ...path: readonly string[]): number {
  const member = readRecordMember(value, ...path);
  return typeof member === "number" || (typeof member === "string" && member !== "") ? Number(member) : Number.NaN;
}

/** Returns -1 where there is no whole number. */
export function readRecordOffset(value: unknown, ...path: readonly string[]): bigint {
  const member = readRecordMember(value, ...path);
  const isWhole = (typeof member === "string" && /^-?\d+$/.test(member)) || (typeof member === "number" && Number.isSafeInteger(member));
  return isWhole ? BigInt(member) : -1n;
}
