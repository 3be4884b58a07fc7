// Leaves the personal members of a record out. Which members those are, the schemas say: `"personal": true` in avro/.

import { type PersonalMembers, personalMembers, type RecordName, type Records } from "@sluice/contracts";

const noBytes = new Uint8Array();

export function hasPersonalMembers(name: RecordName): boolean {
  return personalMembers[name] !== undefined;
}

export function withholdPersonal<N extends RecordName>(name: N, value: Records[N]): Records[N] {
  const members = personalMembers[name];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tree follows the schema of this record
  return members === undefined ? value : (withhold(value, members) as Records[N]);
}

function withhold(value: unknown, members: PersonalMembers): unknown {
  if (Array.isArray(value)) return value.map((item) => withhold(item, members));
  if (typeof value !== "object" || value === null) return null;
  const copy: Record<string, unknown> = { ...value };
  for (const [name, blank] of Object.entries(members)) {
    if (blank === "null") copy[name] = null;
    else if (blank === "text") copy[name] = "";
    else copy[name] = blank === "bytes" ? noBytes : withhold(copy[name], blank);
  }
  return copy;
}
