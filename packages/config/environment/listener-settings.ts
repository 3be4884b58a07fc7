// The settings of what listens: APIs and the operations port.
//
// #1 Beyond the loopback address a service listens with TLS, or a setting says who ends TLS in front of it. Tokens and
//    account numbers must not cross a network in clear because nobody thought of it.

import { z } from "zod";
import { type Problem, problemAt } from "../file/problem.ts";
import { isLoopback } from "./connection-settings.ts";
import { listOfText, optionalSetting, port, text } from "./setting-types.ts";

export const listenerSettings = {
  SLUICE_TLS_CERTIFICATE_FILE: optionalSetting(text).describe("PEM file of the certificate of all listeners, with its chain."),
  SLUICE_TLS_KEY_FILE: optionalSetting(text).describe("PEM file of the key of that certificate."),
  SLUICE_TLS_CLIENT_CA_FILE: optionalSetting(text).describe(
    "PEM file of authorities of callers' certificates. The operations port asks for none.",
  ),
  SLUICE_TLS_CLIENT_CERTIFICATE: optionalSetting(z.enum(["asked", "required"], "must be asked or required")).describe(
    "`required`: callers of the APIs must show a certificate of one of these authorities, which is so by default where there are any. `asked`: those that the configuration binds to `certificates` must show one of theirs, and the others need none.",
  ),
  SLUICE_TLS_ENDED_BY: optionalSetting(text).describe(
    "Who ends TLS in front of the service, such as `mesh`; without it, and without a certificate, it listens on loopback addresses alone.",
  ),
} as const;

export const opsSettings = {
  SLUICE_OPS_HOST: text.default("127.0.0.1").describe("Address on which `/livez`, `/readyz` and `/metrics` are served."),
  SLUICE_OPS_PORT: port.default(0).describe("Port of them; 0 takes any free port, as for all ports here."),
} as const;

export const apiSettings = {
  SLUICE_PUBLIC_ORIGINS: optionalSetting(
    listOfText.refine((origins) => origins.every((one) => URL.parse(one)?.origin === one), "must be origins without a path"),
  ).describe(
    "Origins under which callers reach the APIs, such as `https://payments.example`, separated by commas: proofs of possession (DPoP) and signed messages name one of them. Without it no proof counts, and no signature that covers the host.",
  ),
  SLUICE_HTTP_HOST: text.default("127.0.0.1").describe("Address on which the APIs are served."),
  SLUICE_HTTP_PORT: port.default(0).describe("Port of ingress: where banks and connectors send."),
  SLUICE_CONSOLE_PORT: port.default(0).describe("Port of the console: where they ask about their transactions."),
  SLUICE_CONTROL_PORT: port.default(0).describe("Port of the control API, for operators."),
} as const;

export type ListenerSetting = keyof typeof listenerSettings;

type Given = Readonly<Record<string, string | undefined>>;

/** Finds what single settings cannot show. `asked` are the settings that the process reads. */
export function findListenerProblems(given: Given, asked: ReadonlySet<string>): readonly Problem[] {
  if (!asked.has("SLUICE_TLS_ENDED_BY")) return [];
  const [certificate, key] = ["SLUICE_TLS_CERTIFICATE_FILE", "SLUICE_TLS_KEY_FILE"] as const;
  const problems: Problem[] = [];
  for (const [one, other] of [
    [certificate, key],
    [key, certificate],
    ["SLUICE_TLS_CLIENT_CA_FILE", certificate],
    ["SLUICE_TLS_CLIENT_CERTIFICATE", certificate],
  ] as const) {
    if (given[one] !== undefined && given[other] === undefined) problems.push(problemAt([other], `is not set, but ${one} is`));
  }
  if (given["SLUICE_TLS_CLIENT_CERTIFICATE"] === "required" && given["SLUICE_TLS_CLIENT_CA_FILE"] === undefined) {
    problems.push(problemAt(["SLUICE_TLS_CLIENT_CA_FILE"], "is not set, but SLUICE_TLS_CLIENT_CERTIFICATE is required"));
  }
  if (given[certificate] !== undefined) {
    if (given["SLUICE_TLS_ENDED_BY"] === undefined) return problems;
    return [...problems, problemAt(["SLUICE_TLS_ENDED_BY"], `has no effect: ${certificate} is set`)];
  }
  if (given["SLUICE_TLS_ENDED_BY"] !== undefined) return problems;
  // #1
  const open = ["SLUICE_OPS_HOST", "SLUICE_HTTP_HOST"].filter((name) => asked.has(name) && !isLoopback(given[name] ?? "127.0.0.1"));
  const how = `set ${certificate} and ${key}, or SLUICE_TLS_ENDED_BY to the name of what ends TLS in front of it`;
  return [...problems, ...open.map((name) => problemAt([name], `is not a loopback address: ${how}`))];
}
