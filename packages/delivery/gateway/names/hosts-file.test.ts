import { expect, test } from "vitest";
import { parseHostsFile } from "./hosts-file.ts";
import { addressesPerNameMax } from "./resolved-address.ts";

const v4 = (address: string) => ({ address, family: 4 });
const v6 = (address: string) => ({ address, family: 6 });

test("a name has the addresses of all its lines, IPv4 first, whatever its case", () => {
  const table = parseHostsFile(
    "fd00::7\tBank.Default bank\n 10.1.2.3  bank.default. # not: other.bank\r\n10.1.2.3 bank.default\n10.1.2.4 bank.default",
  );
  expect(table.get("bank.default")).toEqual([v4("10.1.2.3"), v4("10.1.2.4"), v6("fd00::7")]);
  expect(table.get("bank")).toEqual([v6("fd00::7")]);
  expect(["other.bank", "not:", "Bank.Default", ""].filter((name) => table.has(name))).toEqual([]);
});

test("a line without an address, and one without a name, are not read", () => {
  const table = parseHostsFile("bank 10.1.2.3\n10.1.2.3\n10.1.2 bank\n# 10.1.2.3 bank\n\n999.1.1.1 bank");
  expect([...table.keys()]).toEqual(["localhost"]);
});

test("localhost is the loopback unless a line says otherwise", () => {
  expect(parseHostsFile("").get("localhost")).toEqual([v4("127.0.0.1"), v6("::1")]);
  expect(parseHostsFile("127.0.0.9 localhost").get("localhost")).toEqual([v4("127.0.0.9")]);
});

test("I15: a name keeps a bounded number of addresses", () => {
  const lines = Array.from({ length: 200 }, (_, index) => `10.0.0.${index} bank`).join("\n");
  expect(parseHostsFile(lines).get("bank")).toHaveLength(addressesPerNameMax);
});
