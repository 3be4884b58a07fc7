import * as fc from "fast-check";
import { expect, test } from "vitest";
import { narrowRights, readNarrowing } from "./narrow-rights.ts";

const named = { rolesClaim: "roles", bankClaim: "bank" };
const operator = { id: "thandi", roles: ["read", "act"], bank: null };
const roles = ["read", "act", "approve"];

test("roles of a claim narrow the operator's, and none of them widens [D10.110]", () => {
  const narrow = (claims: object) => {
    const narrowing = readNarrowing(named, { ...claims });
    return narrowing === null ? "unreadable" : (narrowRights(operator, narrowing)?.roles ?? "nothing");
  };
  expect(narrow({ roles: ["act", "approve"] })).toEqual(["act"]);
  expect(narrow({ roles: "read" })).toEqual(["read"]);
  expect(narrow({ roles: ["read", "act", "approve", "admin"] })).toEqual(["read", "act"]);
  expect([narrow({ roles: ["approve"] }), narrow({ roles: [] }), narrow({})]).toEqual(["nothing", "nothing", "nothing"]);
  expect([narrow({ roles: [1] }), narrow({ roles: { read: true } }), narrow({ roles: roles.concat(Array(98).fill("x")) })]).toEqual(
    Array(3).fill("unreadable"),
  );
});

test("a bank of a claim leaves an operator of all banks that bank to read, and is nothing to an operator of another", () => {
  const narrow = (bank: unknown, own: string | null) => {
    const narrowing = readNarrowing(named, { roles, ...(bank === undefined ? {} : { bank }) });
    return narrowing === null ? "unreadable" : narrowRights({ ...operator, bank: own }, narrowing);
  };
  expect(narrow("first", null)).toEqual({ id: "thandi", roles: ["read"], bank: "first" });
  expect(narrow(["first"], "first")).toMatchObject({ bank: "first" });
  expect(narrow(undefined, "first")).toMatchObject({ bank: "first" });
  expect(narrow("second", "first")).toBeNull();
  expect([narrow(["first", "second"], null), narrow([], null), narrow(7, null)]).toEqual(Array(3).fill("unreadable"));
});

test("claims that the configuration does not name say nothing", () => {
  const narrowing = readNarrowing({ rolesClaim: null, bankClaim: null }, { roles: ["approve"], bank: "first" });
  expect(narrowing).toEqual({ roles: null, bank: null });
});

test("whatever claims say, nobody has a role or sees a bank beyond the configuration", () => {
  const banks = fc.constantFrom(null, "first", "second");
  const claim = fc.option(fc.oneof(fc.string(), fc.subarray([...roles, "admin"]), fc.subarray(["first", "second"])), { nil: undefined });
  fc.assert(
    fc.property(fc.subarray(roles, { minLength: 1 }), banks, claim, claim, (own, bank, ofRoles, ofBank) => {
      const narrowing = readNarrowing(named, { roles: ofRoles, bank: ofBank });
      const left = narrowing === null ? null : narrowRights({ roles: own, bank }, narrowing);
      if (left === null) return;
      expect(left.roles.every((role) => own.includes(role))).toBe(true);
      expect(bank === null || left.bank === bank).toBe(true);
      expect(left.bank === bank || left.roles.join() === "read").toBe(true);
    }),
  );
});
