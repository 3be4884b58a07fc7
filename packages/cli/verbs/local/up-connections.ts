// Opens connections to the servers of what is up, with the settings that `up` was given: a verb in another terminal
// reaches them as the services do.

import { readEnvironment, type ServiceEnvironment, type VariableName } from "@sluice/config";
import { machineTime, silentLogger } from "@sluice/kernel";
import { openStore, storeVariables } from "@sluice/process/store";
import type { Store } from "@sluice/store";
import type { UpState } from "./up-state.ts";

type UpServers = Pick<UpState, "kafkaBrokers" | "schemaRegistryUrl" | "mongoUrl" | "database" | "connections">;

function readUpEnvironment<N extends VariableName>(up: UpServers, names: readonly N[]): Pick<ServiceEnvironment, N> {
  return readEnvironment({ ...up.connections, ...addressesOf(up) }, names);
}

/** The store of what is up; closed with `opened`. */
export async function openUpStore(up: UpServers, opened: AsyncDisposableStack): Promise<Store> {
  return await openStore(readUpEnvironment(up, storeVariables), { time: machineTime, logger: silentLogger, opened });
}

function addressesOf({ kafkaBrokers, schemaRegistryUrl, mongoUrl, database }: UpServers): Readonly<Record<string, string>> {
  return {
    KAFKA_BROKERS: kafkaBrokers,
    SCHEMA_REGISTRY_URL: schemaRegistryUrl,
    ...(mongoUrl === "" ? {} : { MONGO_URL: mongoUrl }),
    SLUICE_DATABASE: database,
  };
}
