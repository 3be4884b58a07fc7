export * from "./callers.ts";
export * from "./configuration.ts";
export * from "./configuration-index.ts";
export * from "./live-configuration.ts";
export { readConfigurationFile } from "./file/read-configuration-file.ts";
export { listConfigurationChanges } from "./configuration-changes.ts";
export { listOperatorChanges, operatorChangeKinds } from "./operator-changes.ts";
export { watchConfiguration } from "./configuration-watch.ts";
export type { ConfigurationWatch, ConfigurationWatchOptions } from "./configuration-watch.ts";

export type { Problem } from "./file/problem.ts";
export { readConfiguration } from "./file/read-configuration.ts";
export { leaveOutSecrets } from "./file/variables.ts";

export { southAfrica, southAfricaEveryDay } from "./calendars/south-africa.ts";
export { connectionSettingsOf, kafkaSettings, registrySettings, settingNames, storeSettings } from "./environment/connection-settings.ts";
export type { KafkaSetting, RegistrySetting, StoreSetting } from "./environment/connection-settings.ts";
export { keySettings } from "./environment/key-settings.ts";
export type { KeySetting } from "./environment/key-settings.ts";
export { listenerSettings } from "./environment/listener-settings.ts";
export type { ListenerSetting } from "./environment/listener-settings.ts";
export { readEnvironment } from "./environment/environment.ts";
export type { ServiceEnvironment, VariableName } from "./environment/environment.ts";
export { readSigningSecret } from "./file/signing-secret.ts";
export { readRulesFolder } from "./rules/rules-folder.ts";
export { tableFormats } from "./rules/rules-file.ts";
export type { RulesFile, TableFormat } from "./rules/rules-file.ts";
export { importTable, tableBytesMax } from "./rules/import-table.ts";
export type { ImportReport } from "./rules/import-table.ts";
