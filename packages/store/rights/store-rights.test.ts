import { expect, test } from "vitest";
import { buildStoreRoles, storeCollections, storePrograms, storeUses } from "./store-rights.ts";

test("a role names each collection once, and builds one by one up to the bound", () => {
  for (const { role, privileges } of buildStoreRoles("bank", 3)) {
    const names = privileges.map(({ resource }) => resource.collection);
    expect([role, new Set(names).size]).toEqual([role, names.length]);
    expect(privileges.every(({ resource }) => resource.db === "bank")).toBe(true);
  }
  const [scheduler] = buildStoreRoles("bank", 3);
  const builds = scheduler?.privileges.flatMap(({ resource }) =>
    resource.collection.startsWith("transactions_") ? [resource.collection] : [],
  );
  expect(builds).toEqual(["transactions_1", "transactions_2", "transactions_3"]);
});

test("only provisioning creates indexes of what is not a build, only a rebuild drops, and the console only reads", () => {
  for (const program of storePrograms) {
    const actions = storeUses[program].flatMap((use) => use.actions.map((action) => ({ collection: use.collection, action })));
    const creates = actions.some(({ collection, action }) => action === "createIndex" && collection !== "builds");
    expect([program, creates]).toEqual([program, program === "provision"]);
    expect([program, actions.some(({ action }) => action === "dropCollection")]).toEqual([program, program === "rebuild"]);
  }
  const consoleActions = storeUses.console.flatMap(({ actions }) => actions);
  expect(new Set(consoleActions)).toEqual(new Set(["find"]));
  expect(storeUses.console.map(({ collection }) => collection)).toEqual([...storeCollections]);
});
