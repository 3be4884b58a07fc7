// How the store is reached, from the settings of the environment. It renews its client when a file was replaced.

import { type ServiceEnvironment, settingNames, storeSettings, type StoreSetting } from "@sluice/config";
import { createRenewableMongoStore, type Store } from "@sluice/store";
import { Fault } from "@sluice/kernel";
import { type ConnectionFilesOptions, watchConnectionFiles } from "./connection-files.ts";

export const storeVariables = settingNames(storeSettings);

/**
 * Opens the store; the first call connects. Rejects with the retryable Fault `process.secret-not-read` while a file
 * cannot be read.
 */
export async function openStore(
  environment: Pick<ServiceEnvironment, StoreSetting>,
  options: ConnectionFilesOptions,
  readMaxMs?: number,
): Promise<Store> {
  const { time, logger, opened } = options;
  const files = watchConnectionFiles(options);
  const { MONGO_URL: url, MONGO_URL_FILE: urlFile, MONGO_USERNAME: username, MONGO_PASSWORD_FILE: passwordFile } = environment;
  const { MONGO_TLS_CA_FILE: caFile, MONGO_TLS_CERTIFICATE_FILE: certificateFile, MONGO_TLS_KEY_FILE: keyFile } = environment;
  const own = certificateFile === null || keyFile === null ? null : { certificateFile, keyFile };
  const tls = environment.MONGO_TLS
    ? files.secureContext(own === null ? "MONGO_TLS_CA_FILE" : "MONGO_TLS_KEY_FILE", { caFile, own })
    : () => null;
  const password = passwordFile === null ? null : files.line("MONGO_PASSWORD_FILE", passwordFile);
  const address = urlFile === null ? () => url ?? "" : files.line("MONGO_URL_FILE", urlFile);
  await files.read();
  const access = () => ({
    url: address(),
    login: username === null || password === null ? null : { username, password: password() },
    tls: tls(),
  });
  const store = withoutAddress(() =>
    createRenewableMongoStore({
      access,
      database: environment.SLUICE_DATABASE,
      logger,
      time,
      ...(readMaxMs === undefined ? {} : { readMaxMs }),
    }),
  );
  files.onChange(() => {
    try {
      withoutAddress(() => store.renew());
    } catch (error) {
      logger.error("store.not-renewed", { error });
    }
  });
  return opened.adopt(store, (mongo) => mongo.close());
}

/** The driver's errors about an address may repeat a part of it, which may be a password. */
function withoutAddress<T>(action: () => T): T {
  try {
    return action();
  } catch {
    throw new Fault("process.no-store-address", "MONGO_URL or its file is not an address of a store, or does not fit the other settings", {
      isRetryable: false,
    });
  }
}
