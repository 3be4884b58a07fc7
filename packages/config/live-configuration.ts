// The configuration of a running service: one object for all its parts, whose members are those of the file that is in
// force now.
//
// #1 A replacement takes effect as a whole, between two steps of the process. What has begun with a part of the former
//    configuration, such as a bank, keeps that part.
// #2 Parties that did not change are the same objects in the next configuration, so that a change of one is no change
//    of another.
// #3 Schemes, the folder of rules, sealing, the topics and the number of partitions cannot change while a service runs:
//    days are planned by them, and topics are made by them. A file that changes them is refused as a whole, because a
//    part of it in force would be no version of the file.

import { createHash } from "node:crypto";
import type { Configuration } from "./configuration.ts";
import { secretMembers } from "./file/variables.ts";

export interface LiveConfiguration {
  readonly view: Configuration;
  replace(next: Configuration): void;
}

export function createLiveConfiguration(initial: Configuration): LiveConfiguration {
  let current = initial;
  const view: Configuration = {
    get version() {
      return current.version;
    },
    get hash() {
      return current.hash;
    },
    get environment() {
      return current.environment;
    },
    get banks() {
      return current.banks;
    },
    get connectors() {
      return current.connectors;
    },
    get schemes() {
      return current.schemes;
    },
    get cdv() {
      return current.cdv;
    },
    get rulesFolder() {
      return current.rulesFolder;
    },
    get operators() {
      return current.operators;
    },
    get tokenIssuers() {
      return current.tokenIssuers;
    },
    get operatorSignIn() {
      return current.operatorSignIn;
    },
    get resolutionNeedsSecondPerson() {
      return current.resolutionNeedsSecondPerson;
    },
    get secondPerson() {
      return current.secondPerson;
    },
    get operatorSignatures() {
      return current.operatorSignatures;
    },
    get sealPersonalData() {
      return current.sealPersonalData;
    },
    get partitionCount() {
      return current.partitionCount;
    },
    get topics() {
      return current.topics;
    },
  };
  return { view, replace: (next) => void (current = next) };
}

/** #2: returns `next` with the unchanged parties of `running`. */
export function keepUnchanged(running: Configuration, next: Configuration): Configuration {
  return { ...next, banks: keepSame(running.banks, next.banks), connectors: keepSame(running.connectors, next.connectors) };
}

function keepSame<T extends { readonly id: string }>(running: readonly T[], next: readonly T[]): readonly T[] {
  const known = new Map(running.map((one) => [one.id, one]));
  return next.map((one) => {
    const before = known.get(one.id);
    return before !== undefined && isSameContent(before, one) ? before : one;
  });
}

/** #3 */
export const restartMembers = ["schemes", "rulesFolder", "sealPersonalData", "partitionCount", "topics"] as const;

/** #3: returns the paths of the changes that need a restart. */
export function listRestartChanges(running: Configuration, next: Configuration): readonly string[] {
  return restartMembers.flatMap((part) => (isSameContent(running[part], next[part]) ? [] : [`/${part}`]));
}

const contentHashDigits = 12;

/**
 * Returns the start of the SHA-256, hex, of a configuration as its process has it: with defaults and with values of the
 * environment. The file's version and hash have no part in it, and no secret has, because metrics are no secret.
 */
export function hashConfiguration({ version: _version, hash: _hash, ...content }: Configuration): string {
  const text = JSON.stringify(content, (member, value: unknown) => {
    if (secretMembers.has(member)) return null;
    return typeof value === "bigint" ? `${value}n` : value;
  });
  return createHash("sha256").update(text).digest("hex").slice(0, contentHashDigits);
}

/** Compares as text: both values come from the same reader, which sets members in one order. */
export function isSameContent(one: unknown, other: unknown): boolean {
  return toComparableText(one) === toComparableText(other);
}

function toComparableText(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? `${member}n` : member)) ?? "";
}
