// Which addresses a receiver may be reached at. Pure.
//
// #1 Public ones, and those that its configuration lists. Private, loopback, link-local (where clouds keep their metadata), shared,
//    documentation, multicast and reserved ones are refused unless they are listed, whatever a name resolves to.
// #2 An IPv4 address inside an IPv6 one counts as itself: mapped; and carried by NAT64 or 6to4, which are public only if it is.
// #3 Without TLS only listed ones: what is said to others on the way is not for them.

import { BlockList, isIP, isIPv4 } from "node:net";

/** Reasons of silence; both are about the address. */
export type AddressRefusal = "address-not-allowed" | "tls-required";
export type AddressCheck = (address: string) => AddressRefusal | null;

/** `allowed`: CIDR blocks and single addresses. */
export function addressCheck(allowed: readonly string[], isSecured: boolean): AddressCheck {
  const listed = blockListOf(allowed);
  return (given) => {
    const address = plain(given);
    const family = isIP(address);
    if (family === 0) return "address-not-allowed";
    if (listed.check(address, family === 4 ? "ipv4" : "ipv6")) return null;
    if (!isPublic(address)) return "address-not-allowed";
    return isSecured ? null : "tls-required";
  };
}

/** Without the zone of a link-local address; a mapped IPv4 address as IPv4. */
function plain(given: string): string {
  const [address = ""] = given.split("%");
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff ? ipv4Of(groups[6]!, groups[7]!) : address;
}

function isPublic(address: string): boolean {
  if (isIPv4(address)) return !specialIPv4.check(address, "ipv4");
  if (nat64.check(address, "ipv6")) return isPublic(ipv4Of(groupsOf(address)[6]!, groupsOf(address)[7]!));
  if (sixToFour.check(address, "ipv6")) return isPublic(ipv4Of(groupsOf(address)[1]!, groupsOf(address)[2]!));
  return globalUnicast.check(address, "ipv6") && !specialIPv6.check(address, "ipv6");
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

/** Eight groups of 16 bits. URL writes every form of an IPv6 address in the one of RFC 5952, in hex throughout. */
function groupsOf(address: string): readonly number[] {
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const read = (text: string): readonly number[] => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [read(head), read(tail)];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function blockListOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = "", bits] = block.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    list.addSubnet(address, bits === undefined ? (family === "ipv4" ? 32 : 128) : Number(bits), family);
  }
  return list;
}

const nat64 = blockListOf(["64:ff9b::/96"]);
const sixToFour = blockListOf(["2002::/16"]);
const globalUnicast = blockListOf(["2000::/3"]);

/** IANA's registry of special purposes; whatever of IPv6 lies outside 2000::/3 needs no line. */
const specialIPv6 = blockListOf(["2001::/23", "2001:db8::/32", "3fff::/20"]);
const specialIPv4 = blockListOf([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Not IANA's: the agent of Azure's machines.
  "168.63.129.16",
]);
