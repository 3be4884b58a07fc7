// What a service needs beyond its process, as values of a table: each names the variables that it reads, and opens.
//
// #1 Needs are opened one after another in the order of the table. The owner of `opened` closes them in reverse order,
//    also where a later one fails.

import type { Configuration, KafkaSetting, KeySetting, RegistrySetting, ServiceEnvironment, VariableName } from "@sluice/config";
import { type BrokerService, createRegistrySerde, type Serde } from "@sluice/contracts";
import type { Logger, Metrics, Random, Time } from "@sluice/kernel";
import { createKafkaMessaging, type Messaging } from "@sluice/messaging";
import { createSealingSerde, type KeyService } from "@sluice/secrecy";
import { openPatiently, type OpeningWait } from "./open-patiently.ts";
import { requireTopics } from "./checks/topic-check.ts";
import { kafkaConnection, kafkaVariables } from "./connections/kafka-connection.ts";
import { keyVariables, openDataKeys, openKeyService } from "./connections/key-service.ts";
import { registryConnection, registryVariables } from "./connections/registry-connection.ts";
import { watchTopics } from "./checks/watch-topics.ts";
import { requirePartitions } from "./checks/partition-check.ts";

export interface Opening<N extends VariableName = VariableName> {
  /** The name of the process, as it is known to the broker. */
  readonly name: string;
  readonly environment: Pick<ServiceEnvironment, N>;
  readonly configuration: Configuration;
  readonly time: Time;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Aborts when the process is asked to end. */
  readonly stopping: AbortSignal;
  /** Closes what was opened. */
  readonly opened: AsyncDisposableStack;
}

export interface Need<T, N extends VariableName = VariableName> {
  /** What people call it, in `/readyz` and in the log; by default the name that the service gives it. */
  readonly label?: string;
  readonly variables: readonly N[];
  /** It needs the secrets of the configuration file; without such a need a process has none of them. */
  readonly usesSecrets?: true;
  open(opening: Opening<N>): T | Promise<T>;
}

export type Needs = Readonly<Record<string, Need<unknown>>>;
export type Opened<N extends Needs> = { readonly [K in keyof N]: Awaited<ReturnType<N[K]["open"]>> };

export function needVariables(needs: Needs): readonly VariableName[] {
  return [...new Set(Object.values(needs).flatMap(({ variables }) => variables))];
}

/** With `wait`, what may come later is waited for; without it, the first failure is thrown. */
export async function openNeeds<N extends Needs>(needs: N, opening: Opening, wait?: OpeningWait): Promise<Opened<N>> {
  const values: Record<string, unknown> = {};
  for (const [name, need] of Object.entries(needs)) {
    const open = (attempt: AsyncDisposableStack) => need.open({ ...opening, opened: attempt });
    values[name] = wait === undefined ? await open(opening.opened) : await openPatiently(need.label ?? name, open, opening, wait);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one value for each need
  return values as Opened<N>;
}

/** A need that reads no variable, such as a file that the configuration names. */
export function derivedNeed<T>(open: (opening: Opening<never>) => T | Promise<T>): Need<T, never> {
  return { variables: [], open };
}

/** The folder of the documentation site; null: there is none. */
export const helpFolder: Need<string | null, "SLUICE_HELP_FOLDER"> = {
  variables: ["SLUICE_HELP_FOLDER"],
  open: ({ environment }) => environment.SLUICE_HELP_FOLDER,
};

/** Address of the page of a trace, with `{traceId}` in it; null: there is none. */
export const tracePage: Need<string | null, "SLUICE_TRACES_PAGE"> = {
  variables: ["SLUICE_TRACES_PAGE"],
  open: ({ environment }) => environment.SLUICE_TRACES_PAGE,
};

/**
 * Attempts for one schema before the need as a whole is opened again, which says why. The first schema has one: a
 * registry that does not answer is named within its time to answer.
 */
const attemptsMax = 2;

/** Reads and writes sealed records too, with the keys of the key service. */
export const registry: Need<Serde, RegistrySetting | KeySetting> = {
  label: "registry",
  variables: [...registryVariables, ...keyVariables],
  async open({ environment, stopping: signal, ...opening }) {
    const keys = await openDataKeys(environment, opening.configuration, opening);
    const serde = await createRegistrySerde({
      ...(await registryConnection(environment, opening)),
      time: opening.time,
      signal,
      attemptsMax,
      firstAttemptsMax: 1,
    });
    return createSealingSerde({ serde, keys });
  },
};

/** The key service itself, for what is more than sealing; null: none is configured. */
export const keyService: Need<KeyService | null, KeySetting> = {
  variables: keyVariables,
  open: ({ environment, ...opening }) => openKeyService(environment, opening),
};

export interface BrokerOptions {
  /** Most milliseconds that a record waits for others while many are sent. */
  readonly busyLingerMaxMs?: number;
  /** Least milliseconds between two fetches while records come in quick succession. */
  readonly fetchSpacingMs?: number;
}

/** Opens only if the topics of the service are there and have the configured number of partitions. */
export function broker(service: BrokerService, options: BrokerOptions = {}): Need<Messaging, KafkaSetting> {
  return {
    variables: kafkaVariables,
    async open({ name, environment, ...opening }) {
      const { configuration, time, logger, metrics, opened } = opening;
      const connection = await kafkaConnection(name, environment, opening);
      await requireTopics(connection, service, environment, logger);
      const messaging = createKafkaMessaging({ connection, ...options, time, logger, metrics });
      opened.defer(() => messaging.close());
      await requirePartitions(messaging, service, configuration.partitionCount);
      watchTopics(connection, service, opening);
      return messaging;
    },
  };
}
