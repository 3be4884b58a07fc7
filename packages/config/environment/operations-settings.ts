// The setting of where the console asks the processes of all services how they are.

import { address, optionalSetting, text } from "./setting-types.ts";

const operationsAddress = address("http", "https");

export const operationsSettings = {
  SLUICE_OPERATIONS_ADDRESSES: optionalSetting(
    text
      .transform((value) => value.split(",").map((entry) => entry.trim()))
      .refine((entries) => entries.every((entry) => operationsAddress.safeParse(entry).success), "must be addresses, separated by commas")
      .transform((entries) => entries.map((entry) => operationsAddress.parse(entry))),
  ).describe(
    "Addresses of the operations ports of all services, as `http://sluice-ops:9464`, separated by commas. The console asks every process behind them how it is; without it `GET /services` knows none.",
  ),
} as const;
