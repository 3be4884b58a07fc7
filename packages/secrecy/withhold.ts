// Leaves the personal members of a record out. Which members those are, the schemas say: `"personal": true` in avro/.
//
// #1 Where the only personal member is the last one, and bytes, the encoded record is the one without it, and those
//    bytes. So an event with its body is encoded once, and not twice.

import { type PersonalMembers, personalMembers, type RecordName, type Records, schemaVersions } from "@sluice/contracts";

const noBytes = new Uint8Array();

/** The members of one record, as a list that is made once. */
type Members = readonly (readonly [name: string, blank: "null" | "text" | "bytes" | Members])[];

const membersOf = new Map(Object.entries(personalMembers).map(([name, members]) => [name, listMembers(members)] as const));
const lastBytes = new Map(Object.entries(personalMembers).flatMap(([name, members]) => findLastBytes(name, members)));

export function hasPersonalMembers(name: RecordName): boolean {
  return membersOf.has(name);
}

export function withholdPersonal<N extends RecordName>(name: N, value: Records[N]): Records[N] {
  const members = membersOf.get(name);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tree follows the schema of this record
  return members === undefined ? value : (withhold(value, members) as Records[N]);
}

/**
 * Makes the encoded record of the encoded one without its personal members (#1); null: it must be encoded itself.
 * Avro ends the shorter one with the length 0.
 */
export function spliceLastBytes(name: RecordName, value: object, clear: Uint8Array): Uint8Array | null {
  const member = lastBytes.get(name);
  const bytes: unknown = member === undefined ? null : Reflect.get(value, member);
  if (!(bytes instanceof Uint8Array)) return null;
  const length = encodeLength(bytes.length);
  const from = clear.length - 1;
  const whole = Buffer.allocUnsafe(from + length.length + bytes.length);
  whole.set(clear.subarray(0, from));
  whole.set(length, from);
  whole.set(bytes, from + length.length);
  return whole;
}

/** As Avro writes a long that is not negative: twice its value, seven bits a byte, the lowest first. */
function encodeLength(length: number): readonly number[] {
  const bytes: number[] = [];
  let left = 2 * length;
  for (; left > 0x7f; left = Math.floor(left / 0x80)) bytes.push((left & 0x7f) | 0x80);
  return [...bytes, left];
}

function listMembers(members: PersonalMembers): Members {
  return Object.entries(members).map(([name, blank]) => [name, typeof blank === "string" ? blank : listMembers(blank)] as const);
}

function findLastBytes(name: string, members: PersonalMembers): readonly (readonly [name: string, member: string])[] {
  const [only, ...others] = Object.entries(members);
  if (only?.[1] !== "bytes" || others.length > 0) return [];
  const last = Object.entries(schemaVersions)
    .find(([known]) => known === name)?.[1]
    .at(-1);
  const schema: { readonly fields: readonly { readonly name: string; readonly type: unknown }[] } = JSON.parse(last ?? "");
  const field = schema.fields.at(-1);
  return field?.name === only[0] && field.type === "bytes" ? [[name, field.name]] : [];
}

function withhold(value: unknown, members: Members): unknown {
  if (Array.isArray(value)) return value.map((item) => withhold(item, members));
  if (typeof value !== "object" || value === null) return null;
  const copy: Record<string, unknown> = { ...value };
  for (const [name, blank] of members) {
    if (blank === "null") copy[name] = null;
    else if (blank === "text") copy[name] = "";
    else copy[name] = blank === "bytes" ? noBytes : withhold(copy[name], blank);
  }
  return copy;
}
