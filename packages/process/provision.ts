// Creates what must exist before the services start: topics, schemas in the registry, collections and indexes, and the
// ACLs of the services where they are asked for. Or says what it would create, and how what exists differs, and changes
// nothing.
//
// #1 Idempotent, and safe to run several times at once. An existing topic is never changed, and no ACL is taken away.
// #2 A topic that exists and would break order or lose money is refused before schemas and indexes are created.

import type { ConfiguredTopics, ServiceEnvironment } from "@sluice/config";
import { type BrokerService, brokerRightsOf, brokerServices, findMissingSchemas, registerSchemas } from "@sluice/contracts";
import { type Logger, silentLogger, type Time } from "@sluice/kernel";
import { type AclSpec, buildTopicSpecs, planAcls, planTopics, provisionAcls, provisionTopics } from "@sluice/messaging";
import { kafkaConnection, kafkaVariables } from "./connections/kafka-connection.ts";
import { registryConnection, registryVariables } from "./connections/registry-connection.ts";
import { openStore, storeVariables } from "./connections/store-connection.ts";

export const provisionVariables = [...kafkaVariables, ...registryVariables, ...storeVariables] as const;

export interface Provisioning {
  readonly environment: Pick<ServiceEnvironment, (typeof provisionVariables)[number]>;
  readonly topics: Partial<Pick<ConfiguredTopics, "retentionMs">> & Omit<ConfiguredTopics, "retentionMs">;
  readonly partitionCount: number;
  readonly time: Time;
  readonly logger?: Logger;
  /** The principal of each service at the brokers; left out, ACLs are neither read nor created. */
  readonly principalOf?: (service: BrokerService) => string;
}

export interface ProvisionPlan {
  readonly missing: {
    readonly topics: readonly string[];
    readonly acls: readonly string[];
    readonly schemas: readonly string[];
    readonly indexes: readonly string[];
  };
  /** What the services may do at the brokers, and need not. */
  readonly excessAcls: readonly string[];
  /** How existing topics differ from the configuration. */
  readonly differences: readonly {
    readonly topic: string;
    readonly what: string;
    readonly wanted: string;
    readonly found: string;
    readonly isDangerous: boolean;
  }[];
}

const noAcls = { missing: [], excess: [] } as const;

async function openServers(
  { environment, topics, partitionCount, time, logger = silentLogger, principalOf }: Provisioning,
  opened: AsyncDisposableStack,
) {
  const options = { time, logger, opened };
  const [connection, registry, store] = await Promise.all([
    kafkaConnection("sluice-provisioning", environment, options),
    registryConnection(environment, options),
    openStore(environment, options),
  ]);
  return {
    topics: { connection, specs: buildTopicSpecs({ partitionCount, ...topics }), logger },
    acls: principalOf === undefined ? null : { connection, acls: listAcls(principalOf), logger },
    registry: { ...registry, time },
    store,
  };
}

function listAcls(principalOf: (service: BrokerService) => string): readonly AclSpec[] {
  return brokerServices.flatMap((service) => brokerRightsOf(service).map((right) => ({ principal: principalOf(service), ...right })));
}

/**
 * Rejects with `messaging.topics-differ`, which names what is dangerous, with `messaging.no-authorizer`, or with what
 * is away.
 */
export async function provision(provisioning: Provisioning): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const servers = await openServers(provisioning, opened);
  await provisionTopics(servers.topics);
  if (servers.acls !== null) await provisionAcls(servers.acls);
  await Promise.all([registerSchemas(servers.registry), servers.store.prepare()]);
}

/** Changes nothing. */
export async function planProvisioning(provisioning: Provisioning): Promise<ProvisionPlan> {
  await using opened = new AsyncDisposableStack();
  const { topics, acls, registry, store } = await openServers(provisioning, opened);
  const [{ missing, differences }, rights, schemas, indexes] = await Promise.all([
    planTopics(topics),
    acls === null ? noAcls : planAcls(acls),
    findMissingSchemas(registry),
    store.missingIndexes(),
  ]);
  return { missing: { topics: missing, acls: rights.missing, schemas, indexes }, excessAcls: rights.excess, differences };
}
