import kafkajs from "kafkajs";
import { expect, test } from "vitest";
import { type AclSpec, compareAcls, principalsOf, toEntry } from "./broker-acls.ts";

const read: AclSpec = { principal: "User:sluice-validator", kind: "topic", name: "sluice.journal.v1", operation: "read" };
const configs: AclSpec = { ...read, operation: "describe-configs" };
const group: AclSpec = { ...read, kind: "group", name: "sluice.validator" };

test("what every user may do is asked for too, once for each type of principal", () => {
  const other = { ...read, principal: "User:sluice-ingress" };
  expect([...principalsOf([read, group, other])]).toEqual(["User:sluice-validator", "User:*", "User:sluice-ingress"]);
});

test("ACLs that are there are neither missing nor too many", () => {
  const entries = [read, configs, group].map(toEntry);
  expect(compareAcls(entries, entries.toReversed())).toEqual({ missing: [], excess: [] });
});

test("each ACL that is missing is named", () => {
  expect(compareAcls([toEntry(read)], [read, configs, group].map(toEntry)).missing).toEqual([
    "User:sluice-validator may describe-configs topic sluice.journal.v1",
    "User:sluice-validator may read group sluice.validator",
  ]);
});

test("what a principal may do beyond its rights is named: a prefix, another host, another operation, a denial", () => {
  const wanted = toEntry(read);
  const others = [
    { ...wanted, resourcePatternType: kafkajs.ResourcePatternTypes.PREFIXED },
    { ...wanted, host: "10.0.0.1" },
    { ...wanted, operation: kafkajs.AclOperationTypes.ALL },
    { ...wanted, permissionType: kafkajs.AclPermissionTypes.DENY },
  ];
  expect(compareAcls([wanted, ...others], [wanted])).toEqual({
    missing: [],
    excess: [
      "User:sluice-validator may read topic sluice.journal.v1 (prefixed)",
      "User:sluice-validator may read topic sluice.journal.v1 from 10.0.0.1",
      "User:sluice-validator may all topic sluice.journal.v1",
      "User:sluice-validator may not read topic sluice.journal.v1",
    ],
  });
});
