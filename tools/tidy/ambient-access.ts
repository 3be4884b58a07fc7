// Where code may access the environment, clocks, timers and randomness directly. Everywhere else they are arguments, so
// that every service runs unchanged in the simulation.

import { isTestCode, matchingLines, type Rule, stripComments, typeScriptFiles } from "./file-tree.ts";

const environmentReaders = [/\/main\.ts$/, /^packages\/(process|cli|testcontainers)\//, /^infra\//, /^vitest\.config\.ts$/];

export const environmentAccess: Rule = (tree) =>
  typeScriptFiles(tree).flatMap(([path, text]) => {
    if (isTestCode(path) || environmentReaders.some((place) => place.test(path))) return [];
    return matchingLines(
      path,
      stripComments(text),
      /\bprocess\.env\b/,
      (found) => `${found} is read by main.ts and packages/process alone`,
    );
  });

/** Adapters, which exist to access them. */
const ambientAdapters = [
  /^packages\/(kernel|runtime)\/(time|random)\.ts$/,
  /^packages\/service\/(telemetry\/pino-logger|http\/listen)\.ts$/,
  /^packages\/telemetry\/log-pino\.ts$/,
  /^packages\/http\/listen\.ts$/,
  /^packages\/messaging\/kafka([a-z-]*\.ts$|\/)/,
  /^packages\/delivery\/([a-z-]+-undici\.ts$|gateway\/)/,
  /^packages\/testkit\/virtual-time\.ts$/,
  // A bank's own program, written as a bank would write it.
  /^packages\/receiver\/example\//,
  // Runs in a test of somebody else, and by the machine's time.
  /^packages\/testcontainers\//,
  /^infra\//,
  /^packages\/cli\/((terminal|verbs)\/([a-z-]+\/)*)?[a-z-]+\.ts$/,
  /^tools\/tidy/,
];
const ambientCalls =
  /\bDate\.now\b|\bnew Date\(\)|\bTemporal\.Now\b|\bMath\.random\b|\bperformance\.now\b|\bset(Timeout|Interval|Immediate)\(|\bqueueMicrotask\b|\bAbortSignal\.timeout\b|\brandom(UUID|Bytes)\b|\bgetRandomValues\b|"node:timers/;

export const clocksAndRandomness: Rule = (tree) =>
  typeScriptFiles(tree).flatMap(([path, text]) => {
    if (isTestCode(path) || ambientAdapters.some((place) => place.test(path))) return [];
    return matchingLines(path, stripComments(text), ambientCalls, (found) => `${found}: time and randomness are arguments`);
  });
