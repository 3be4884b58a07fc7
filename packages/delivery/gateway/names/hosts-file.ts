// Reads the hosts file of the machine. Pure.
//
// #1 A name has all addresses of all its lines, IPv4 first, as the system's own resolver answers.
// #2 `localhost` is the loopback also where no line says so, and is never asked for (RFC 6761, 6.3).

import { isIP } from "node:net";
import { addressesPerNameMax, canonicalName, type ResolvedAddress } from "./resolved-address.ts";

export type HostsTable = ReadonlyMap<string, readonly ResolvedAddress[]>;

const loopback: readonly ResolvedAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

export function parseHostsFile(text: string): HostsTable {
  const table = new Map<string, ResolvedAddress[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map(canonicalName)) {
      const found = table.get(name) ?? [];
      table.set(name, found);
      const isNew = found.every((known) => known.address !== address);
      if (isNew && found.length < addressesPerNameMax) found.push({ address, family });
    }
  }
  for (const found of table.values()) found.sort((one, other) => one.family - other.family);
  // #2
  return table.has("localhost") ? table : new Map([...table, ["localhost", loopback]]);
}
