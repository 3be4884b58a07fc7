// The serde of running services, and what registers the schemas. Provisioning registers every version of every record
// under its subjects with FULL_TRANSITIVE. A service only reads the registry: at its start it asks for the id of each
// version, and later for the schemas of ids that it does not know.
//
// #1 Ids are resolved once at the start; encoding and decoding known ids never needs the registry again.
// #2 Registering is idempotent, and may be done several times at once. A process that dies between registering a
//    subject and setting its level leaves the registry's default NONE behind; the next one repairs it. Any other level
//    was set by somebody on purpose and is never overwritten.
// #3 A registry that refuses who we are is tried again as one that is away, because a password may be replaced on both
//    sides at different times.
// #4 A start asks once for each version, for several records at once, because a service is not ready before. The first
//    record is asked for alone: a registry that is away gets one request.
// #5 A schema that is not registered yet is said at once: a service waits for it as it waits for a topic.

import { Fault, sleep, type Time } from "@sluice/kernel";
import type { Serde } from "../api.ts";
import { type RecordName, schemaVersions } from "../generated/records.ts";
import { recordMap } from "./record-map.ts";
import { createRegistryClient, type RegistryAnswer, type RegistryClient, type RegistryConnection } from "./registry-client.ts";
import { createSerde, type WriterSchema } from "./serde.ts";

export interface RegistryOptions extends RegistryConnection {
  readonly time: Time;
  /** Attempts for one subject. The waits between them double from 250 ms to 5 s. */
  readonly attemptsMax?: number;
  /** Attempts for the first record, which is asked for alone; `attemptsMax` by default. */
  readonly firstAttemptsMax?: number;
  readonly signal?: AbortSignal;
}

const level = "FULL_TRANSITIVE";
/** What a subject has that nobody set a level for. */
const levelDefault = "NONE";
/** Records that are asked for at once; the versions of a record, and its subjects, one after another. */
const recordsAtOnceMax = 8;
const schemaMissing = "contracts.schema-missing";
const firstWaitMs = 250;
const waitMaxMs = 5_000;

/**
 * Asks for the id of every schema and returns the serde. Rejects with `contracts.registry-unavailable` (retryable),
 * `contracts.schema-missing` (retryable, because provisioning may still run) or `contracts.registry-refused`.
 */
export async function createRegistrySerde(options: RegistryOptions): Promise<Serde> {
  const registry = createRegistryClient(options, options.time);
  const schemas = await askForAll(options, (subject, versions) => findSubject(registry, subject, versions));
  const newestIds = new Map(schemas.map(({ name, id }) => [name, id]));
  return createSerde(schemas, newestIds, (id) => lookUp(registry, id));
}

/**
 * Registers every schema. Rejects with `contracts.registry-unavailable` (retryable) or `contracts.registry-refused`.
 */
export async function registerSchemas(options: RegistryOptions): Promise<void> {
  const registry = createRegistryClient(options, options.time);
  await askForAll(options, (subject, versions) => registerSubject(registry, subject, versions));
}

/**
 * Lists every subject with its record: `<topic>-sluice.<Record>`, and `<topic>-value` for what analysts read. Tools
 * that read a topic as a table ask for that name, and such a topic has one record.
 */
export function subjects(): readonly { readonly subject: string; readonly record: RecordName }[] {
  const byTopic = recordMap.filter(({ readBy }) => readBy.some((reader) => reader === "analysts"));
  return [
    ...byTopic.map(({ topic, record }) => ({ subject: `${topic}-value`, record })),
    ...recordMap.map(({ topic, record }) => ({ subject: `${topic}-sluice.${record}`, record })),
  ];
}

/** Names the subjects to which a schema is missing or whose level is not ours, one sentence each. Changes nothing. */
export async function findMissingSchemas(options: RegistryOptions): Promise<readonly string[]> {
  const registry = createRegistryClient(options, options.time);
  const found: string[] = [];
  for (const { subject, record } of subjects()) {
    const path = encodeURIComponent(subject);
    const missing: number[] = [];
    for (const [index, schema] of schemaVersions[record].entries()) {
      if ((await findVersion(registry, subject, schema)) === null) missing.push(index + 1);
    }
    if (missing.length > 0) {
      found.push(`${subject}: version ${missing.join(", ")} is not registered`);
      continue;
    }
    const { members } = await registry.ask("GET", `/config/${path}`);
    if (members["compatibilityLevel"] !== level) found.push(`${subject}: its compatibility level is not ${level}`);
  }
  return found;
}

type AskForSubject = (subject: string, versions: readonly string[]) => Promise<readonly number[]>;

/** #4. The schemas of a record are in the order of its versions. Stops at the first subject that is refused. */
async function askForAll(options: RegistryOptions, ask: AskForSubject): Promise<readonly WriterSchema[]> {
  const stopped = new AbortController();
  const signal = options.signal === undefined ? stopped.signal : AbortSignal.any([options.signal, stopped.signal]);
  const waiting = [...Map.groupBy(subjects(), ({ record }) => record)];
  const schemas: WriterSchema[] = [];

  async function askForNext(attemptsMax = options.attemptsMax): Promise<void> {
    const [name, ofRecord] = waiting.shift() ?? [];
    if (name === undefined || ofRecord === undefined) return;
    for (const { subject } of ofRecord) {
      const ids = await withRetries({ time: options.time, attemptsMax, signal }, () => ask(subject, schemaVersions[name]));
      schemas.push(...ids.map((id, version): WriterSchema => ({ id, name, schema: schemaVersions[name][version]! })));
    }
  }

  async function askForOthers(): Promise<void> {
    while (waiting.length > 0 && !stopped.signal.aborted) await askForNext();
  }

  await askForNext(options.firstAttemptsMax);
  try {
    await Promise.all(Array.from({ length: recordsAtOnceMax }, askForOthers));
  } catch (error) {
    stopped.abort();
    throw error;
  }
  return schemas;
}

/** #5. Returns the ids of the versions. */
async function findSubject(registry: RegistryClient, subject: string, versions: readonly string[]): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const [index, schema] of versions.entries()) {
    const id = await findVersion(registry, subject, schema);
    if (id === null) {
      const text = `${subject}: version ${index + 1} is not registered yet, which ./sluice provision does`;
      throw new Fault(schemaMissing, text, { isRetryable: true });
    }
    ids.push(id);
  }
  return ids;
}

/** Returns null where the subject does not have the schema. Asks only, although by POST. */
async function findVersion(registry: RegistryClient, subject: string, schema: string): Promise<number | null> {
  const answer = await registry.ask("POST", `/subjects/${encodeURIComponent(subject)}`, { schema });
  if (answer.status === 404) return null;
  const { id } = answer.members;
  if (answer.status !== 200 || typeof id !== "number") throw refusedOr(answer, subject, []);
  return id;
}

/** #2. Returns the ids of the versions. */
async function registerSubject(registry: RegistryClient, subject: string, versions: readonly string[]): Promise<readonly number[]> {
  const path = `/config/${encodeURIComponent(subject)}`;
  const found = await registry.ask("GET", path);
  if (found.status !== 200 && found.status !== 404) throw refusedOr(found, subject, []);
  let isNew = found.status === 404;
  const foundLevel = isNew ? level : found.members["compatibilityLevel"];
  if (foundLevel === levelDefault) await setLevel(registry, subject, path);
  else if (foundLevel !== level) {
    const text = `${subject} has the compatibility level ${String(foundLevel)}, not ${level}: set it by hand`;
    throw new Fault("contracts.registry-refused", text, { isRetryable: false });
  }
  const ids: number[] = [];
  for (const schema of versions) {
    const answer = await registry.ask("POST", `/subjects/${encodeURIComponent(subject)}/versions`, { schema });
    const { id } = answer.members;
    if (answer.status !== 200 || typeof id !== "number") throw refusedOr(answer, subject, [409, 422]);
    ids.push(id);
    // A registry may refuse a level for a subject that it does not have yet.
    if (isNew) await setLevel(registry, subject, path);
    isNew = false;
  }
  return ids;
}

async function setLevel(registry: RegistryClient, subject: string, path: string): Promise<void> {
  const answer = await registry.ask("PUT", path, { compatibility: level });
  // A 409 means that another process has just set it, which the next try sees.
  if (answer.status !== 200) throw refusedOr(answer, subject, [422]);
}

async function lookUp(registry: RegistryClient, id: number): Promise<string> {
  const answer = await registry.ask("GET", `/schemas/ids/${id}`);
  const { schema } = answer.members;
  if (answer.status === 200 && typeof schema === "string") return schema;
  if (answer.status === 404) {
    throw new Fault("contracts.unknown-schema", `the registry does not know schema ${id}`, { isRetryable: true });
  }
  throw unavailable(`schema ${id}: ${answer.said}`);
}

interface Retries extends Pick<RegistryOptions, "time" | "signal"> {
  readonly attemptsMax: number | undefined;
}

async function withRetries<T>(options: Retries, action: () => Promise<T>): Promise<T> {
  const { attemptsMax = 30 } = options;
  for (let attempt = 1, waitMs = firstWaitMs; ; attempt += 1, waitMs = Math.min(waitMs * 2, waitMaxMs)) {
    try {
      return await action();
    } catch (error) {
      const isLast = attempt >= attemptsMax || options.signal?.aborted === true;
      if (isLast || !(error instanceof Fault) || !error.isRetryable || error.code === schemaMissing) throw error;
      await sleep(options.time, waitMs, options.signal);
    }
  }
}

/** Some statuses refuse for good; any other may not come again. */
function refusedOr(answer: RegistryAnswer, subject: string, refusals: readonly number[]): Fault {
  const text = `${subject}: ${answer.said}`;
  if (!refusals.includes(answer.status)) return unavailable(text);
  return new Fault("contracts.registry-refused", text, { isRetryable: false });
}

function unavailable(text: string): Fault {
  return new Fault("contracts.registry-unavailable", text, { isRetryable: true });
}
