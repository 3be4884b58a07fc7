// How Kafka is reached, from the settings of the environment.

import { kafkaSettings, type KafkaSetting, type ServiceEnvironment, settingNames } from "@sluice/config";
import { createTokenSource } from "@sluice/connection";
import type { Time } from "@sluice/kernel";
import type { KafkaConnection } from "@sluice/messaging";
import { type ConnectionFiles, type ConnectionFilesOptions, watchConnectionFiles } from "./connection-files.ts";

type KafkaEnvironment = Pick<ServiceEnvironment, KafkaSetting>;

export const kafkaVariables = settingNames(kafkaSettings);

/** Rejects with the retryable Fault `process.secret-not-read` while a file cannot be read. */
export async function kafkaConnection(
  clientId: string,
  environment: KafkaEnvironment,
  options: ConnectionFilesOptions,
): Promise<KafkaConnection> {
  const files = watchConnectionFiles(options);
  const { KAFKA_TLS_CA_FILE: caFile, KAFKA_TLS_CERTIFICATE_FILE: certificateFile, KAFKA_TLS_KEY_FILE: keyFile } = environment;
  const own = certificateFile === null || keyFile === null ? null : { certificateFile, keyFile };
  const tls = environment.KAFKA_TLS
    ? { tls: files.secureContext(own === null ? "KAFKA_TLS_CA_FILE" : "KAFKA_TLS_KEY_FILE", { caFile, own }) }
    : {};
  const login = kafkaLogin(environment, files, options.time);
  await files.read();
  return { brokers: environment.KAFKA_BROKERS, clientId, ...tls, ...login };
}

function kafkaLogin(environment: KafkaEnvironment, files: ConnectionFiles, time: Time): Pick<KafkaConnection, "login"> {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD_FILE: passwordFile } = environment;
  if (mechanism === null) return {};
  if (mechanism === "oauthbearer") return { login: { mechanism, token: tokenSource(environment, files, time) } };
  return { login: { mechanism, username: username ?? "", password: files.line("KAFKA_SASL_PASSWORD_FILE", passwordFile ?? "") } };
}

function tokenSource(environment: KafkaEnvironment, files: ConnectionFiles, time: Time): () => Promise<string> {
  const { KAFKA_SASL_TOKEN_FILE: tokenFile, KAFKA_SASL_TOKEN_URL: url, KAFKA_SASL_SCOPE: scope } = environment;
  if (tokenFile !== null) {
    const token = files.line("KAFKA_SASL_TOKEN_FILE", tokenFile);
    return async () => await Promise.resolve(token());
  }
  const endpoint = {
    url: url ?? "",
    clientId: environment.KAFKA_SASL_CLIENT_ID ?? "",
    clientSecret: files.line("KAFKA_SASL_CLIENT_SECRET_FILE", environment.KAFKA_SASL_CLIENT_SECRET_FILE ?? ""),
    scope,
    secureContext: files.secureContext("KAFKA_SASL_TOKEN_CA_FILE", { caFile: environment.KAFKA_SASL_TOKEN_CA_FILE, own: null }),
  };
  return createTokenSource(endpoint, time);
}
