// The serde of running services: at the start it registers every version of every record under its TopicRecordName
// subject with FULL_TRANSITIVE, and later it asks the registry for ids that it does not know.
//
// #1 Ids are resolved once at the start; encoding and decoding known ids never needs the registry again.
// #2 Registering is idempotent, and several services may do it at once. A process that dies between registering a
//    subject and setting its level leaves the registry's default NONE behind, which the library refuses; the next
//    process repairs it. Any other level was set by somebody on purpose and is never overwritten.
// #3 The library merges retry options into its own defaults permanently, so it gets none; retries are done here, on
//    `time`.

import { COMPATIBILITY, SchemaRegistry, SchemaType } from "@kafkajs/confluent-schema-registry";
import { Fault, sleep, type Time } from "@sluice/kernel";
import type { Serde } from "../api.ts";
import { avroOptions } from "./avro-types.ts";
import { type RecordName, schemaVersions } from "../generated/records.ts";
import { recordMap } from "./record-map.ts";
import { createSerde, type WriterSchema } from "./serde.ts";

export interface RegistryOptions {
  /** Address of the registry's Confluent API, without a trailing slash, for example `http://…/apis/ccompat/v7`. */
  readonly url: string;
  readonly time: Time;
  /** Attempts to register one schema at the start. The waits between them double from 250 ms to 5 s. */
  readonly attemptsMax?: number;
  readonly answerTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

const level = COMPATIBILITY.FULL_TRANSITIVE;
const firstWaitMs = 250;
const waitMaxMs = 5_000;

/**
 * Registers every schema and returns the serde. Rejects with `contracts.registry-unavailable` (retryable) or
 * `contracts.registry-refused`.
 */
export async function createRegistrySerde(options: RegistryOptions): Promise<Serde> {
  const registry = new SchemaRegistry({ host: options.url, retry: { retries: 0 } }, { [SchemaType.AVRO]: avroOptions() });
  const schemas: WriterSchema[] = [];
  const newestIds = new Map<RecordName, number>();
  for (const { subject, record } of subjects()) {
    for (const schema of schemaVersions[record]) {
      const id = await withRetries(options, () => register(registry, options, subject, schema));
      schemas.push({ id, name: record, schema });
      newestIds.set(record, id);
    }
  }
  return createSerde(schemas, newestIds, (id) => lookUp(registry, options, id));
}

/** Lists every subject with its record: `<topic>-sluice.<Record>`. */
export function subjects(): readonly { readonly subject: string; readonly record: RecordName }[] {
  return recordMap.map(({ topic, record }) => ({ subject: `${topic}-sluice.${record}`, record }));
}

async function register(registry: SchemaRegistry, options: RegistryOptions, subject: string, schema: string): Promise<number> {
  const given = { type: SchemaType.AVRO, schema } as const;
  try {
    const { id } = await withDeadline(options, () => registry.register(given, { subject, compatibility: level }));
    return id;
  } catch (error) {
    if (error instanceof Error && error.name === "ConfluentSchemaRegistryCompatibilityError") await repairLevel(options, subject);
    throw asFault(error, subject);
  }
}

/** Sets the level of a subject that still has the registry's default. */
async function repairLevel(options: RegistryOptions, subject: string): Promise<void> {
  const address = `${options.url}/config/${encodeURIComponent(subject)}`;
  const found = await withDeadline(options, async (signal) => {
    const answer = await fetch(address, { signal });
    const body: unknown = await answer.json();
    return typeof body === "object" && body !== null && "compatibilityLevel" in body ? body.compatibilityLevel : null;
  }).catch((error: unknown) => Promise.reject(asFault(error, subject)));
  if (found === level) return;
  if (found !== "NONE") {
    const text = `${subject} has the compatibility level ${String(found)}, not ${level}: set it by hand`;
    throw new Fault("contracts.registry-refused", text, { isRetryable: false });
  }
  const headers = { "content-type": "application/vnd.schemaregistry.v1+json" };
  const body = JSON.stringify({ compatibility: level });
  await withDeadline(options, (signal) => fetch(address, { method: "PUT", headers, body, signal })).catch((error: unknown) =>
    Promise.reject(asFault(error, subject)),
  );
}

async function lookUp(registry: SchemaRegistry, options: RegistryOptions, id: number): Promise<string> {
  try {
    const found = await withDeadline(options, () => registry.getSchema(id));
    return JSON.stringify("schema" in found && typeof found.schema === "function" ? found.schema({ exportAttrs: true }) : null);
  } catch (error) {
    if (readStatus(error) === 404)
      throw new Fault("contracts.unknown-schema", `the registry does not know schema ${id}`, { isRetryable: true });
    throw new Fault("contracts.registry-unavailable", `schema ${id}: ${describeError(error)}`, { isRetryable: true, cause: error });
  }
}

async function withRetries(options: RegistryOptions, action: () => Promise<number>): Promise<number> {
  const attemptsMax = options.attemptsMax ?? 30;
  for (let attempt = 1, waitMs = firstWaitMs; ; attempt += 1, waitMs = Math.min(waitMs * 2, waitMaxMs)) {
    try {
      return await action();
    } catch (error) {
      const isLast = attempt >= attemptsMax || options.signal?.aborted === true;
      if (isLast || !(error instanceof Fault) || !error.isRetryable) throw error;
      await sleep(options.time, waitMs, options.signal);
    }
  }
}

/** The library has no timeout of its own. */
function withDeadline<T>(options: RegistryOptions, action: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const answerTimeoutMs = options.answerTimeoutMs ?? 5_000;
  const abort = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const timer = options.time.after(answerTimeoutMs, () => {
      reject(new Error(`no answer within ${answerTimeoutMs} ms`));
      abort.abort();
    });
    action(abort.signal)
      .finally(() => timer[Symbol.dispose]())
      .then(resolve, reject);
  });
}

function asFault(error: unknown, subject: string): Fault {
  if (error instanceof Fault) return error;
  const isRefused = isRefusal(error);
  const code = isRefused ? "contracts.registry-refused" : "contracts.registry-unavailable";
  return new Fault(code, `${subject}: ${describeError(error)}`, { isRetryable: !isRefused, cause: error });
}

/**
 * Tells whether the registry refused for good. A 409 for a schema means incompatible; for a level it means that another
 * process has just set it. A 400 is not a refusal, because the library reports a failed connection as one.
 */
function isRefusal(error: unknown): boolean {
  const status = readStatus(error);
  if (status === 409) return error instanceof Error && "url" in error && String(error.url).startsWith("post ");
  return status !== null && [401, 403, 422].includes(status);
}

function readStatus(error: unknown): number | null {
  return typeof error === "object" && error !== null && "status" in error && typeof error.status === "number" ? error.status : null;
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : "no answer";
}
