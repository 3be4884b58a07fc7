import * as fc from "fast-check";
import { expect, test } from "vitest";
import { narrowRights, readNarrowing } from "./narrow-rights.ts";

const named = { rolesClaim: "roles", bankClaim: "bank", schemesClaim: null };
const operator = { id: "thandi", roles: ["read", "act"], bank: null, schemes: null };
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
  expect(narrow("first", null)).toEqual({ id: "thandi", roles: ["read"], bank: "first", schemes: null });
  expect(narrow(["first"], "first")).toMatchObject({ bank: "first" });
  expect(narrow(undefined, "first")).toMatchObject({ bank: "first" });
  expect(narrow("second", "first")).toBeNull();
  expect([narrow(["first", "second"], null), narrow([], null), narrow(7, null)]).toEqual(Array(3).fill("unreadable"));
});

test("schemes of a claim narrow the operator's, and nobody has a scheme beyond the configuration [D10.133]", () => {
  const narrow = (claimed: unknown, own: readonly string[] | null, bank: string | null = null, bankClaimed?: string) => {
    const narrowing = readNarrowing({ ...named, rolesClaim: null, schemesClaim: "schemes" }, { schemes: claimed, bank: bankClaimed });
    return narrowing === null ? "unreadable" : (narrowRights({ ...operator, bank, schemes: own }, narrowing)?.schemes ?? "nothing");
  };
  expect([narrow(["ZA_EFT"], null), narrow("ZA_EFT", ["ZA_EFT", "ZA_RTC"])]).toEqual([["ZA_EFT"], ["ZA_EFT"]]);
  expect([narrow(["ZA_RTC"], ["ZA_EFT"]), narrow([], null), narrow(undefined, null), narrow(7, null)]).toEqual([
    "nothing",
    "nothing",
    "nothing",
    "unreadable",
  ]);
  expect(narrow(["ZA_EFT"], null, null, "first")).toBe("nothing");
  const ofBank = narrowRights({ ...operator, bank: "first" }, { roles: null, bank: null, schemes: ["ZA_EFT"] });
  expect(ofBank).toMatchObject({ bank: "first", schemes: null });
});

test("claims that the configuration does not name say nothing", () => {
  const unnamed = { rolesClaim: null, bankClaim: null, schemesClaim: null };
  const narrowing = readNarrowing(unnamed, { roles: ["approve"], bank: "first", schemes: ["ZA_EFT"] });
  expect(narrowing).toEqual({ roles: null, bank: null, schemes: null });
});

test("whatever claims say, nobody has a role or sees a bank beyond the configuration", () => {
  const banks = fc.constantFrom(null, "first", "second");
  const ofFile = fc.option(fc.subarray(["ZA_EFT", "ZA_RTC"], { minLength: 1 }), { nil: null });
  const claim = fc.option(
    fc.oneof(fc.string(), fc.subarray([...roles, "admin"]), fc.subarray(["first", "second"]), fc.subarray(["ZA_EFT", "ZA_RTC"])),
    { nil: undefined },
  );
  fc.assert(
    fc.property(
      fc.subarray(roles, { minLength: 1 }),
      banks,
      ofFile,
      claim,
      claim,
      claim,
      (own, bank, schemes, ofRoles, ofBank, ofSchemes) => {
        const narrowing = readNarrowing({ ...named, schemesClaim: "schemes" }, { roles: ofRoles, bank: ofBank, schemes: ofSchemes });
        const holder = { roles: own, bank, schemes: bank === null ? schemes : null };
        const left = narrowing === null ? null : narrowRights(holder, narrowing);
        if (left === null) return;
        expect(left.roles.every((role) => own.includes(role))).toBe(true);
        expect(bank === null || left.bank === bank).toBe(true);
        expect(left.bank === bank || left.roles.join() === "read").toBe(true);
        expect(holder.schemes === null || left.schemes?.every((scheme) => schemes?.includes(scheme))).toBe(true);
      },
    ),
  );
});
