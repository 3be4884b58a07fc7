import { describe, expect, it } from "vitest";
import { createAddressCheck } from "./address-check.ts";

const open = [
  "8.8.8.8",
  "172.32.0.1",
  "100.128.0.1",
  "2606:4700::1111",
  "2a00:1450:4001::8a",
  "::ffff:8.8.8.8",
  "2002:808:808::1",
  "64:ff9b::8.8.8.8",
];
const special =
  "127.0.0.1 127.255.0.9 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.100.100.200 " +
  "168.63.129.16 192.0.0.192 198.18.0.1 224.0.0.1 255.255.255.255 192.0.2.1 203.0.113.9 " +
  ":: ::1 fd00:ec2::254 fe80::1 fe80::1%eth0 ff02::1 fec0::1 2001:db8::1 2001::1 3fff::1 64:ff9b:1::1";
/** IPv4 addresses inside IPv6: mapped in several spellings, compatible, NAT64, 6to4. */
const carrying =
  "::ffff:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:ffff:a00:1 ::127.0.0.1 64:ff9b::a00:1 64:ff9b::169.254.169.254 2002:7f00:1:: 2002:a9fe:a9fe::1";
const noAddress = ["bank.example", "", "1.2.3", "0x7f.1"];
const closed = [...`${special} ${carrying}`.split(" "), ...noAddress];

describe("the addresses at which a receiver may be reached", () => {
  it.each(open)("%s is public", (address) => expect(createAddressCheck([], true)(address)).toBeNull());

  it.each(closed)("%s is refused, with TLS and without", (address) => {
    expect(createAddressCheck([], true)(address)).toBe("address-not-allowed");
    expect(createAddressCheck([], false)(address)).toBe("address-not-allowed");
  });

  it("without TLS a public address is refused unless it is listed", () => {
    expect(open.map(createAddressCheck([], false))).toEqual(open.map(() => "tls-required"));
    expect(createAddressCheck(["8.8.8.0/24"], false)("8.8.8.8")).toBeNull();
  });

  it("a listed block allows its addresses to the bit, in every spelling", () => {
    const check = createAddressCheck(["10.20.0.0/16", "127.0.0.1", "fd12:3456::/32"], false);
    for (const address of ["10.20.255.255", "::ffff:10.20.0.1", "::ffff:a14:1", "127.0.0.1", "fd12:3456::9", "FD12:3456:0::9"]) {
      expect(check(address)).toBeNull();
    }
    for (const address of ["10.21.0.0", "10.19.255.255", "127.0.0.2", "fd12:3457::", "::1"]) {
      expect(check(address)).toBe("address-not-allowed");
    }
  });

  it("a block of all IPv6 addresses allows no IPv4 address that is not public, in any spelling", () => {
    for (const block of ["::/0", "::/1", "::/64", "::ffff:0:0/95", "0::0/0"]) {
      const check = createAddressCheck([block], true);
      for (const address of ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::ffff:127.0.0.1", "::ffff:a00:1"])
        expect([block, address, check(address)]).toEqual([block, address, "address-not-allowed"]);
    }
    expect(createAddressCheck(["::/0"], true)("fd00::1")).toBeNull();
    expect(createAddressCheck(["::ffff:0:0/96"], true)("127.0.0.1")).toBeNull();
    expect(createAddressCheck(["::ffff:10.1.2.3"], true)("10.1.2.3")).toBeNull();
    expect(createAddressCheck(["::ffff:10.1.2.3"], true)("10.1.2.4")).toBe("address-not-allowed");
  });

  it("a block of all addresses allows everything; a listed IPv4 block does not allow an IPv6 address that carries one of its addresses", () => {
    expect(
      closed
        .slice(0, -4)
        .map(createAddressCheck(["0.0.0.0/0", "::/0"], true))
        .filter(Boolean),
    ).toEqual([]);
    expect(createAddressCheck(["10.0.0.0/8"], true)("64:ff9b::a00:1")).toBe("address-not-allowed");
    expect(createAddressCheck(["::ffff:10.0.0.0/104"], true)("10.9.9.9")).toBeNull();
  });
});
