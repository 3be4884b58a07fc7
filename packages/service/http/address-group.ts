// The address under which connections are counted: an IPv4 address, or the first 64 bits of an IPv6 address, because
// one machine can use all the others.

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const groupsOfNetwork = 4;
const groupsOfAddress = 8;

/** A text that is no address stands for itself. */
export function addressGroup(address: string): string {
  const ipv4 = mapped.exec(address)?.[1] ?? null;
  if (ipv4 !== null) return ipv4;
  if (!address.includes(":")) return address;
  const [bare = ""] = address.split("%");
  const [head = "", tail = null] = bare.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === null || tail === "" ? [] : tail.split(":");
  const gap = tail === null ? 0 : Math.max(0, groupsOfAddress - before.length - after.length);
  const groups = [...before, ...Array.from({ length: gap }, () => "0"), ...after];
  return `${groups
    .slice(0, groupsOfNetwork)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
