// Checks at which addresses a receiver may be reached. Pure.
//
// #1 Public addresses are allowed, and those that the receiver's configuration lists. Private, loopback, link-local
//    (where clouds keep their metadata), shared, documentation, multicast and reserved ones are refused unless listed,
//    whatever a name resolves to.
// #2 An IPv4 address inside an IPv6 one is checked as itself if it is mapped; one carried by NAT64 or 6to4 is public
//    only if the IPv4 address is.
//    A listed IPv6 block allows no IPv4 address unless it is a block of mapped ones.
// #3 Without TLS only listed addresses are allowed, because everybody on the way could read the message.

import { BlockList, isIP, isIPv4 } from "node:net";

/** Reasons of an answer without response; both are about the address. */
export type AddressRefusal = "address-not-allowed" | "tls-required";
export type AddressCheck = (address: string) => AddressRefusal | null;

/** `allowed` has CIDR blocks and single addresses. */
export function createAddressCheck(allowed: readonly string[], isSecured: boolean): AddressCheck {
  const listed = buildListed(allowed);
  return (given) => {
    const address = plain(given);
    const family = isIP(address);
    if (family === 0) return "address-not-allowed";
    if (listed(address)) return null;
    if (!isPublic(address)) return "address-not-allowed";
    return isSecured ? null : "tls-required";
  };
}

/** Strips the zone of a link-local address, and writes a mapped IPv4 address as IPv4. */
function plain(given: string): string {
  const [address = ""] = given.split("%");
  if (isIP(address) !== 6) return address;
  const groups = parseGroups(address);
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff ? formatIPv4(groups[6]!, groups[7]!) : address;
}

function isPublic(address: string): boolean {
  if (isIPv4(address)) return !specialIPv4.check(address, "ipv4");
  if (nat64.check(address, "ipv6")) return isPublic(formatIPv4(parseGroups(address)[6]!, parseGroups(address)[7]!));
  if (sixToFour.check(address, "ipv6")) return isPublic(formatIPv4(parseGroups(address)[1]!, parseGroups(address)[2]!));
  return globalUnicast.check(address, "ipv6") && !specialIPv6.check(address, "ipv6");
}

function formatIPv4(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

/** Parses eight groups of 16 bits. URL writes every form of an IPv6 address as RFC 5952 does, in hex throughout. */
function parseGroups(address: string): readonly number[] {
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const read = (text: string): readonly number[] => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [read(head), read(tail)];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

/**
 * A block allows addresses of its own family only: the platform's list takes `::/0` for all of IPv4 too, because it
 * compares an IPv4 address as a mapped one.
 */
function buildListed(blocks: readonly string[]): (address: string) => boolean {
  const plainBlocks = blocks.map(plainBlock);
  const ipv4 = buildBlockList(plainBlocks.filter((block) => !block.includes(":")));
  const ipv6 = buildBlockList(plainBlocks.filter((block) => block.includes(":")));
  return (address) => (isIPv4(address) ? ipv4.check(address, "ipv4") : ipv6.check(address, "ipv6"));
}

/** Writes a block of mapped IPv4 addresses as IPv4. */
function plainBlock(block: string): string {
  const [address = "", bits = "128"] = block.split("/");
  const written = plain(address);
  const ipv4Bits = Number(bits) - mappedBits;
  return written === address || ipv4Bits < 0 ? block : `${written}/${ipv4Bits}`;
}

/** The bits in front of the IPv4 address in a mapped one. */
const mappedBits = 96;

function buildBlockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = "", bits] = block.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    list.addSubnet(address, bits === undefined ? (family === "ipv4" ? 32 : 128) : Number(bits), family);
  }
  return list;
}

const nat64 = buildBlockList(["64:ff9b::/96"]);
const sixToFour = buildBlockList(["2002::/16"]);
const globalUnicast = buildBlockList(["2000::/3"]);

/** IANA's registry of special purposes; IPv6 outside 2000::/3 needs no line. */
const specialIPv6 = buildBlockList(["2001::/23", "2001:db8::/32", "3fff::/20"]);
const specialIPv4 = buildBlockList([
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
