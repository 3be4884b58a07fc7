// The setting of the name servers that delivery services ask for the names of receivers.

import { isIPv4, isIPv6 } from "node:net";
import { listOfText, optionalSetting } from "./setting-types.ts";

/** As many name servers as are asked. */
const serversMax = 3;

export const nameSettings = {
  SLUICE_NAME_SERVERS: optionalSetting(
    listOfText.refine(
      (servers) => servers.length <= serversMax && servers.every(isNameServer),
      `must be at most ${serversMax} IP addresses, each with or without a port`,
    ),
  ).describe(
    "Name servers for receivers and their proxies, as `10.0.0.2`, `10.0.0.2:5353` or `[fd00::2]:5353`, separated by commas; without it those of resolv.conf.",
  ),
} as const;

function isNameServer(text: string): boolean {
  if (isIPv4(text) || isIPv6(text)) return true;
  const [, bracketed, plain = "", port = ""] = /^(?:\[(.+)\]|([^[\]:]+)):(\d{1,5})$/.exec(text) ?? [];
  const isAddress = bracketed === undefined ? isIPv4(plain) : isIPv6(bracketed);
  return isAddress && Number(port) > 0 && Number(port) <= 65_535;
}
