// The ACLs of the brokers: what each principal may do, made of the table of rights.
//
// #1 What is missing is created. Nothing is ever taken away: what a principal may do beyond its rights is named, and a
//    person decides, because the principal may have another purpose too.
// #2 Every ACL allows one operation on one resource by its whole name, from any host.
// #3 What the wildcard principal may do is named too, because each of ours may do it.
// #4 Brokers without an authorizer are refused, because ACLs would have no effect there.

import kafkajs, { type AclEntry, type Admin } from "kafkajs";
import { Fault, type Logger } from "@sluice/kernel";
import { brokerUnavailable } from "../faults.ts";
import { createKafkaClient, type KafkaConnection } from "../kafka/client.ts";

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

export interface AclSpec {
  /** As the brokers know it, for example `User:sluice-ingress`. */
  readonly principal: string;
  readonly kind: "topic" | "group";
  readonly name: string;
  readonly operation: "read" | "write" | "describe" | "describe-configs";
}

/** One sentence for each ACL. */
export interface AclsPlan {
  readonly missing: readonly string[];
  /** What our principals may do, and need not (#1, #3). */
  readonly excess: readonly string[];
}

export interface AclOptions {
  readonly connection: KafkaConnection;
  readonly acls: readonly AclSpec[];
  readonly logger: Logger;
}

const kinds = { topic: AclResourceTypes.TOPIC, group: AclResourceTypes.GROUP } as const;
const operations = {
  read: AclOperationTypes.READ,
  write: AclOperationTypes.WRITE,
  describe: AclOperationTypes.DESCRIBE,
  "describe-configs": AclOperationTypes.DESCRIBE_CONFIGS,
} as const;
const anyHost = "*";
/** The brokers' code for: there is no authorizer. */
const withoutAuthorizer = "SECURITY_DISABLED";

/** Changes nothing. Rejects with `messaging.no-authorizer`, or `messaging.unavailable` (retryable). */
export async function planAcls(options: AclOptions): Promise<AclsPlan> {
  return await withAdmin(options, async (admin) => compareAcls(await readAcls(admin, options.acls), options.acls.map(toEntry)));
}

/** #1, idempotent. Rejects as `planAcls` does. */
export async function provisionAcls(options: AclOptions): Promise<void> {
  await withAdmin(options, async (admin) => {
    const found = new Set((await readAcls(admin, options.acls)).map(textOf));
    const missing = options.acls.map(toEntry).filter((entry) => !found.has(textOf(entry)));
    if (missing.length > 0) await admin.createAcls({ acl: missing });
    for (const entry of missing) options.logger.info("acls.created", { acl: textOf(entry) });
  });
}

async function withAdmin<T>({ connection, logger }: AclOptions, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = createKafkaClient(connection, logger).admin();
  try {
    await admin.connect();
    return await work(admin);
  } catch (error) {
    if (error instanceof kafkajs.KafkaJSProtocolError && error.type === withoutAuthorizer) {
      throw new Fault("messaging.no-authorizer", "the brokers have no authorizer: ACLs would have no effect", { isRetryable: false });
    }
    throw error instanceof Fault ? error : brokerUnavailable("the ACLs cannot be read or created", error);
  } finally {
    await admin.disconnect();
  }
}

/** #3 Returns the principals of the specs, and those that stand for every one of their type. */
export function principalsOf(specs: readonly AclSpec[]): ReadonlySet<string> {
  return new Set(specs.flatMap(({ principal }) => [principal, `${principal.slice(0, principal.indexOf(":"))}:*`]));
}

/** Reads all ACLs of these principals. */
async function readAcls(admin: Admin, specs: readonly AclSpec[]): Promise<readonly AclEntry[]> {
  const found: AclEntry[] = [];
  for (const principal of principalsOf(specs)) {
    const { resources } = await admin.describeAcls({
      resourceType: AclResourceTypes.ANY,
      resourcePatternType: ResourcePatternTypes.ANY,
      principal,
      operation: AclOperationTypes.ANY,
      permissionType: AclPermissionTypes.ANY,
    });
    for (const { acls, ...resource } of resources) found.push(...acls.map((acl) => ({ ...resource, ...acl })));
  }
  return found;
}

export function compareAcls(found: readonly AclEntry[], wanted: readonly AclEntry[]): AclsPlan {
  const [has, wants] = [new Set(found.map(textOf)), new Set(wanted.map(textOf))];
  return { missing: [...wants.difference(has)], excess: [...has.difference(wants)] };
}

/** #2 */
export function toEntry({ principal, kind, name, operation }: AclSpec): AclEntry {
  return {
    principal,
    host: anyHost,
    operation: operations[operation],
    permissionType: AclPermissionTypes.ALLOW,
    resourceType: kinds[kind],
    resourceName: name,
    resourcePatternType: ResourcePatternTypes.LITERAL,
  };
}

function textOf({ principal, host, operation, permissionType, resourceType, resourceName, resourcePatternType }: AclEntry): string {
  const may = permissionType === AclPermissionTypes.DENY ? "may not" : "may";
  const pattern = resourcePatternType === ResourcePatternTypes.LITERAL ? "" : ` (${nameIn(ResourcePatternTypes, resourcePatternType)})`;
  const from = host === anyHost ? "" : ` from ${host}`;
  return `${principal} ${may} ${nameIn(AclOperationTypes, operation)} ${nameIn(AclResourceTypes, resourceType)} ${resourceName}${pattern}${from}`;
}

/** The word for a number of kafkajs's tables, such as `describe-configs`. */
function nameIn(table: Readonly<Record<string, number | string>>, value: number): string {
  const [name] = Object.entries(table).find(([, number]) => number === value) ?? [String(value)];
  return name.toLowerCase().replaceAll("_", "-");
}
