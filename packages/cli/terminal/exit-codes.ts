// The exit codes of `./sluice`, and which of them a Fault becomes. A script tells by the code alone whether to ask
// again, to ask otherwise, or to ask a person.

import { Fault } from "@sluice/kernel";

export const exitUsage = 2;
export const exitRefused = 4;
export const exitUnknown = 5;
const exitFailed = 1;
const exitUnreachable = 3;

export const exitCodes: readonly (readonly [string, string])[] = [
  ["0", "good"],
  ["1", "failed, or what was asked about is not well; the reason is printed"],
  ["2", "wrong use, in one line"],
  ["3", "not reachable: the console does not answer, or what is needed is not up; ask again later"],
  ["4", "refused, by the console or by what decides; asking again does not help"],
  ["5", "not known there, or no result within the time"],
  ["130", "interrupted"],
];

const codes: Readonly<Record<string, number>> = {
  "cli.console-away": exitUnreachable,
  "cli.not-up": exitUnreachable,
  "cli.provider-away": exitUnreachable,
  "cli.not-signed-in": exitRefused,
  "cli.sign-in-refused": exitRefused,
  "cli.refused": exitRefused,
  "cli.not-known": exitUnknown,
  "cli.no-item": exitUnknown,
  "cli.wrong-use": exitUsage,
  "cli.unfit-option": exitUsage,
  "cli.bad-principal": exitUsage,
  "cli.leave-of-one": exitUsage,
  "cli.no-address": exitUsage,
  "cli.no-bank": exitUsage,
  "cli.no-day": exitUsage,
  "cli.no-letter": exitUsage,
  "cli.no-month": exitUsage,
  "cli.no-option": exitUsage,
  "cli.no-partition": exitUsage,
  "cli.no-proposal": exitUsage,
  "cli.no-rate": exitUsage,
  "cli.no-profile": exitUsage,
  "cli.no-reason": exitUsage,
  "cli.no-seal": exitUsage,
  "cli.no-service": exitUsage,
  "cli.no-uetr": exitUsage,
  "cli.long-id": exitUsage,
};

export function exitCodeFor(error: unknown): number {
  return error instanceof Fault ? (codes[error.code] ?? exitFailed) : exitFailed;
}
