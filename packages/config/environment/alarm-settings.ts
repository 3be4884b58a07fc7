// The setting of the alarms that the console shows.

import { address, optionalSetting } from "./setting-types.ts";

export const alarmSettings = {
  SLUICE_ALARMS_URL: optionalSetting(address("http", "https")).describe(
    "Address of an Alertmanager, such as `http://alertmanager:9093`, with its path where it has one; the console shows which alarms fire there. Without it it shows none, and says so.",
  ),
} as const;
