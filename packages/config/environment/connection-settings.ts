// The settings of every connection to Kafka, the schema registry and the store: once, for all services, the rebuild,
// `up` and the verbs that connect.
//
// #1 A secret lies in a file, which is read again when it changes. No setting here takes a secret itself, except an
//    address of the store with a password, as the driver knows it.
// #2 A password or token leaves without TLS to a loopback address alone.
// #3 A setting that would have no effect is a problem, because somebody believes that it has one.

import { z } from "zod";
import { type Problem, problemAt } from "../file/problem.ts";
import { address, listOfText, onOrOff, optionalSetting, text } from "./setting-types.ts";

const saslMechanisms = ["plain", "scram-sha-256", "scram-sha-512", "oauthbearer"] as const;

const caText = "PEM file of the authorities to trust; the machine's where it is not given.";
const certificateText = "PEM file of our client certificate, with its chain.";
const keyText = "PEM file of the key of that certificate.";

export const kafkaSettings = {
  KAFKA_BROKERS: listOfText.describe("Brokers as `host:port`, separated by commas."),
  KAFKA_TLS: onOrOff.default(false).describe("`on`: connections use TLS."),
  KAFKA_TLS_CA_FILE: optionalSetting(text).describe(caText),
  KAFKA_TLS_CERTIFICATE_FILE: optionalSetting(text).describe(certificateText),
  KAFKA_TLS_KEY_FILE: optionalSetting(text).describe(keyText),
  KAFKA_SASL_MECHANISM: optionalSetting(z.enum(saslMechanisms, `must be one of ${saslMechanisms.join(", ")}`)).describe(
    `How we log in: ${saslMechanisms.map((name) => `\`${name}\``).join(", ")}; without it we do not.`,
  ),
  KAFKA_SASL_USERNAME: optionalSetting(text).describe("User for `plain` and `scram-…`."),
  KAFKA_SASL_PASSWORD_FILE: optionalSetting(text).describe("File with that user's password."),
  KAFKA_SASL_TOKEN_FILE: optionalSetting(text).describe("File with a token for `oauthbearer`, which somebody else renews."),
  KAFKA_SASL_TOKEN_URL: optionalSetting(address("https", "http")).describe(
    "Instead: the endpoint that issues tokens for client credentials.",
  ),
  KAFKA_SASL_TOKEN_CA_FILE: optionalSetting(text).describe("PEM file of the authorities to trust at that endpoint."),
  KAFKA_SASL_CLIENT_ID: optionalSetting(text).describe("Our client id at that endpoint."),
  KAFKA_SASL_CLIENT_SECRET_FILE: optionalSetting(text).describe("File with the secret of that client."),
  KAFKA_SASL_SCOPE: optionalSetting(text).describe("Scope of the tokens, if the endpoint wants one."),
  KAFKA_FEW_REPLICAS: z
    .enum(["said", "allowed"], "must be said or allowed")
    .default("said")
    .describe("`allowed`: no start warns of topics with fewer than three replicas or less than two in sync; for a developer's machine."),
} as const;

export const registrySettings = {
  SCHEMA_REGISTRY_URL: address("http", "https").describe("Address of the registry's Confluent API."),
  SCHEMA_REGISTRY_TLS_CA_FILE: optionalSetting(text).describe(caText),
  SCHEMA_REGISTRY_TLS_CERTIFICATE_FILE: optionalSetting(text).describe(certificateText),
  SCHEMA_REGISTRY_TLS_KEY_FILE: optionalSetting(text).describe(keyText),
  SCHEMA_REGISTRY_USERNAME: optionalSetting(text).describe("User for basic authentication."),
  SCHEMA_REGISTRY_PASSWORD_FILE: optionalSetting(text).describe("File with that user's password."),
} as const;

export const storeSettings = {
  MONGO_URL: optionalSetting(address("mongodb", "mongodb+srv")).describe(
    "Address of the store, with the driver's options; this or the next.",
  ),
  MONGO_URL_FILE: optionalSetting(text).describe("File with that address, for one that holds a password."),
  MONGO_USERNAME: optionalSetting(text).describe("User, where the address names none."),
  MONGO_PASSWORD_FILE: optionalSetting(text).describe("File with that user's password."),
  MONGO_TLS: onOrOff.default(false).describe("`on`: connections use TLS; the address may say so too."),
  MONGO_TLS_CA_FILE: optionalSetting(text).describe(caText),
  MONGO_TLS_CERTIFICATE_FILE: optionalSetting(text).describe(certificateText),
  MONGO_TLS_KEY_FILE: optionalSetting(text).describe(keyText),
  SLUICE_DATABASE: text.default("sluice").describe("Name of the database."),
} as const;

export type KafkaSetting = keyof typeof kafkaSettings;
export type RegistrySetting = keyof typeof registrySettings;
export type StoreSetting = keyof typeof storeSettings;

/** The names of a table's settings. */
export function settingNames<T extends object>(table: T): readonly (keyof T & string)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tables are literals of this file
  return Object.keys(table) as (keyof T & string)[];
}

/** The connection settings of an environment, as they were given: addresses, paths of files, and no secret but #1. */
export function connectionSettingsOf(environment: Given): Readonly<Record<string, string>> {
  const names = [kafkaSettings, registrySettings, storeSettings].flatMap((table) => settingNames(table));
  return Object.fromEntries(names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])));
}

type Given = Readonly<Record<string, string | undefined>>;

/** Finds what single settings cannot show. `asked` are the settings that the process reads. */
export function findConnectionProblems(given: Given, asked: ReadonlySet<string>): readonly Problem[] {
  return [
    ...(asked.has("KAFKA_BROKERS") ? [...pairProblems(given, "KAFKA"), ...kafkaProblems(given)] : []),
    ...(asked.has("SCHEMA_REGISTRY_URL") ? [...pairProblems(given, "SCHEMA_REGISTRY"), ...registryProblems(given)] : []),
    ...(asked.has("MONGO_URL") ? [...pairProblems(given, "MONGO"), ...storeProblems(given)] : []),
  ];
}

/** A certificate and its key, a user and a password: one without the other is a mistake. */
function pairProblems(given: Given, peer: "KAFKA" | "SCHEMA_REGISTRY" | "MONGO"): readonly Problem[] {
  const user = peer === "KAFKA" ? "KAFKA_SASL" : peer;
  const pairs = [
    [`${peer}_TLS_CERTIFICATE_FILE`, `${peer}_TLS_KEY_FILE`],
    [`${user}_USERNAME`, `${user}_PASSWORD_FILE`],
  ] as const;
  return pairs.flatMap(([one, other]) => [...wants(given, one, other), ...wants(given, other, one)]);
}

function wants(given: Given, name: string, other: string): readonly Problem[] {
  return given[name] !== undefined && given[other] === undefined ? [problemAt([other], `is not set, but ${name} is`)] : [];
}

const tlsFiles = ["TLS_CA_FILE", "TLS_CERTIFICATE_FILE", "TLS_KEY_FILE"] as const;

/** #3 */
function withoutEffect(given: Given, names: readonly string[], why: string): readonly Problem[] {
  return names.filter((name) => given[name] !== undefined).map((name) => problemAt([name], `has no effect: ${why}`));
}

const passwordSettings = ["KAFKA_SASL_USERNAME", "KAFKA_SASL_PASSWORD_FILE"] as const;
const endpointSettings = ["KAFKA_SASL_CLIENT_ID", "KAFKA_SASL_CLIENT_SECRET_FILE", "KAFKA_SASL_SCOPE", "KAFKA_SASL_TOKEN_CA_FILE"] as const;
const tokenSettings = ["KAFKA_SASL_TOKEN_FILE", "KAFKA_SASL_TOKEN_URL", ...endpointSettings] as const;

function kafkaProblems(given: Given): readonly Problem[] {
  const mechanism = given["KAFKA_SASL_MECHANISM"];
  const isTls = given["KAFKA_TLS"] === "on";
  const problems = isTls ? [] : [...withoutEffect(given, nameFiles("KAFKA"), "KAFKA_TLS is not on")];
  if (mechanism === undefined) {
    return [...problems, ...withoutEffect(given, [...passwordSettings, ...tokenSettings], "KAFKA_SASL_MECHANISM is not set")];
  }
  const isLocal = (given["KAFKA_BROKERS"] ?? "").split(",").every((broker) => isLoopback(broker.trim().replace(/:\d+$/, "")));
  if (!isTls && !isLocal && (mechanism === "plain" || mechanism === "oauthbearer")) {
    problems.push(problemAt(["KAFKA_TLS"], `must be on: ${mechanism} sends the secret itself`));
  }
  if (mechanism === "oauthbearer") {
    return [...problems, ...withoutEffect(given, passwordSettings, `${mechanism} takes a token`), ...tokenProblems(given)];
  }
  problems.push(...withoutEffect(given, tokenSettings, `${mechanism} takes a user and a password`));
  if (passwordSettings.every((name) => given[name] === undefined)) {
    problems.push(problemAt(["KAFKA_SASL_USERNAME"], "is not set, but KAFKA_SASL_MECHANISM is"));
  }
  return problems;
}

function tokenProblems(given: Given): readonly Problem[] {
  const [file, url] = [given["KAFKA_SASL_TOKEN_FILE"], given["KAFKA_SASL_TOKEN_URL"]];
  if (file !== undefined) {
    return withoutEffect(given, ["KAFKA_SASL_TOKEN_URL", ...endpointSettings], "KAFKA_SASL_TOKEN_FILE is set");
  }
  if (url === undefined) return [problemAt(["KAFKA_SASL_TOKEN_FILE"], "is not set, nor is KAFKA_SASL_TOKEN_URL")];
  return [
    ...clearTextProblems("KAFKA_SASL_TOKEN_URL", url),
    ...wants(given, "KAFKA_SASL_TOKEN_URL", "KAFKA_SASL_CLIENT_ID"),
    ...wants(given, "KAFKA_SASL_TOKEN_URL", "KAFKA_SASL_CLIENT_SECRET_FILE"),
  ];
}

function registryProblems(given: Given): readonly Problem[] {
  const url = given["SCHEMA_REGISTRY_URL"] ?? "";
  const hasLogin = given["SCHEMA_REGISTRY_USERNAME"] !== undefined;
  return [
    ...(url.startsWith("https:") ? [] : withoutEffect(given, nameFiles("SCHEMA_REGISTRY"), "SCHEMA_REGISTRY_URL is not https")),
    ...(hasLogin ? clearTextProblems("SCHEMA_REGISTRY_URL", url) : []),
    ...(URL.parse(url)?.username ? [problemAt(["SCHEMA_REGISTRY_URL"], "must not hold a user: use SCHEMA_REGISTRY_USERNAME")] : []),
  ];
}

function storeProblems(given: Given): readonly Problem[] {
  const { MONGO_URL: url, MONGO_URL_FILE: file } = given;
  return [
    ...(url === undefined && file === undefined ? [problemAt(["MONGO_URL"], "is not set, nor is MONGO_URL_FILE")] : []),
    ...(url !== undefined ? withoutEffect(given, ["MONGO_URL_FILE"], "MONGO_URL is set") : []),
    ...(given["MONGO_TLS"] === "on" ? [] : withoutEffect(given, nameFiles("MONGO"), "MONGO_TLS is not on")),
  ];
}

function nameFiles(peer: string): readonly string[] {
  return tlsFiles.map((file) => `${peer}_${file}`);
}

/** #2 */
function clearTextProblems(name: string, url: string): readonly Problem[] {
  const parsed = URL.parse(url);
  return parsed?.protocol === "http:" && !isLoopback(parsed.hostname) ? [problemAt([name], "must be https: a secret is sent to it")] : [];
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}
