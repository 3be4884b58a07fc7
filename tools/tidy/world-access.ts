// Where code may reach for the world by itself: the environment, clocks, timers, randomness. Everywhere else they are arguments, so
// that every service runs unchanged in the simulation.

import { codeOf, isTestCode, matchingLines, typeScriptOf } from "./file-tree.ts";
import type { Rule } from "./file-tree.ts";

const environmentReaders = [/\/(config|main)\.ts$/, /^packages\/cli\//, /^infra\//, /^vitest\.config\.ts$/];

export const environmentAccess: Rule = (tree) =>
  typeScriptOf(tree).flatMap(([path, text]) => {
    if (isTestCode(path) || environmentReaders.some((place) => place.test(path))) return [];
    return matchingLines(path, codeOf(text), /\bprocess\.env\b/, (found) => `${found} is read by config.ts and main.ts alone`);
  });

/** Adapters: what they adapt is the world itself. */
const worldAdapters = [
  /^packages\/runtime\/(time|random)\.ts$/,
  /^packages\/telemetry\/log-pino\.ts$/,
  /^packages\/http\/listen\.ts$/,
  /^packages\/messaging\/kafka[a-z-]*\.ts$/,
  /^packages\/delivery\/[a-z-]+-undici\.ts$/,
  /^packages\/testkit\/virtual-time\.ts$/,
  // A bank's own program, as a bank would write it.
  /^packages\/receiver\/example\//,
  /^infra\//,
  /^packages\/cli\/[a-z-]+\.ts$/,
  /^tools\/tidy/,
];
const worldCalls =
  /\bDate\.now\b|\bnew Date\(\)|\bTemporal\.Now\b|\bMath\.random\b|\bperformance\.now\b|\bset(Timeout|Interval|Immediate)\(|\bqueueMicrotask\b|\bAbortSignal\.timeout\b|\brandom(UUID|Bytes)\b|\bgetRandomValues\b|"node:timers/;

export const clocksAndChance: Rule = (tree) =>
  typeScriptOf(tree).flatMap(([path, text]) => {
    if (isTestCode(path) || worldAdapters.some((place) => place.test(path))) return [];
    return matchingLines(path, codeOf(text), worldCalls, (found) => `${found}: time and chance are arguments`);
  });
