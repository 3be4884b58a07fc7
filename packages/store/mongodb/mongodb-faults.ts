// Translates the driver's errors into the port's faults: `store.unavailable` (nothing was done: a read, or no server
// was found), `store.too-slow` (the server gave the read up at its bound), `store.unknown-outcome` (a write without a
// clear answer: reread), `store.refused` (the server refuses, and would again).

import { Fault } from "@sluice/kernel";
import {
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from "mongodb";

const duplicateKeyCode = 11_000;
/** MaxTimeMSExpired: the server ended what took longer than the read was given. */
const tooSlowCode = 50;

/**
 * Server errors that a later attempt may not get: no primary, stepping down, shutting down, interrupted, too slow,
 * write concern not met; and a login that was refused (18, 8000), because a password may be replaced on both sides at
 * different times.
 */
const retryableCodes = new Set([
  6, 7, 18, 50, 64, 89, 91, 100, 112, 133, 189, 202, 262, 317, 358, 384, 8000, 9001, 10_107, 11_600, 11_602, 13_435, 13_436,
]);

export async function runGuarded<T>(operation: string, kind: "read" | "write", call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toFault(operation, kind, error);
  }
}

/**
 * Inserts, and returns the indexes of the documents that already existed, which is the only expected write error. Any
 * other error in the same answer (a write concern not met, for example) is thrown.
 */
export async function insertIgnoringDuplicates(insert: () => Promise<unknown>): Promise<readonly number[]> {
  try {
    await insert();
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const writeErrors = error.result.getWriteErrors();
    const isExpected = writeErrors.length > 0 && writeErrors.every((one) => one.code === duplicateKeyCode);
    if (!isExpected || error.result.getWriteConcernError() !== undefined) throw error;
    return writeErrors.map((one) => one.index);
  }
}

/** Returns false where the key already exists. */
export async function tryInsert(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === duplicateKeyCode) return false;
    throw error;
  }
}

function toFault(operation: string, kind: "read" | "write", error: unknown): unknown {
  if (!(error instanceof MongoError) || error instanceof MongoInvalidArgumentError) return error;
  if (error instanceof MongoServerSelectionError) {
    return new Fault("store.unavailable", `${operation}: no server found`, { isRetryable: true, cause: error });
  }
  if (isRefusal(error)) {
    return new Fault("store.refused", `${operation}: refused with code ${String(error.code)}`, { isRetryable: false, cause: error });
  }
  if (kind === "read" && error.code === tooSlowCode) {
    return new Fault("store.too-slow", `${operation}: the store gave it up at its bound`, { isRetryable: true, cause: error });
  }
  if (kind === "read") return new Fault("store.unavailable", `${operation}: no answer`, { isRetryable: true, cause: error });
  return new Fault("store.unknown-outcome", `${operation}: no answer to a write`, { isRetryable: true, cause: error });
}

/** A bulk's error wraps any failure, a cut connection too: only a server's answer has a code. */
function isRefusal(error: MongoError): boolean {
  if (!(error instanceof MongoServerError) || typeof error.code !== "number") return false;
  if (error instanceof MongoWriteConcernError || error.hasErrorLabel("RetryableWriteError")) return false;
  if (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined) return false;
  return !retryableCodes.has(error.code);
}
