// Reads resolv.conf, and says under which full names a name is asked for. Pure.
//
// #1 `nameserver`, `search`, `domain` and `options ndots` count; the last `search` or `domain` wins. Time-outs and
//    tries are ours (name-questions.ts), because those of a machine are made for people who wait.
// #2 A name with fewer dots than `ndots` is asked for with each search domain first, and any other as it is first. So
//    `bank.default` is found in a cluster. A name that ends with a dot is asked for as it is, and that is all.

import { isIP } from "node:net";
import { canonicalName } from "./resolved-address.ts";

export interface ResolvConf {
  readonly servers: readonly string[];
  readonly searchDomains: readonly string[];
  readonly ndots: number;
}

/** As many name servers as the C library asks. */
const serversMax = 3;
/** As many search domains as a cluster may give a pod. */
const searchDomainsMax = 32;
const ndotsMax = 15;
/** The most characters of a name in the DNS. */
const nameCharactersMax = 253;

export function parseResolvConf(text: string): ResolvConf {
  const servers: string[] = [];
  let searchDomains: readonly string[] = [];
  let ndots = 1;
  for (const line of text.split("\n")) {
    const [keyword = "", ...values] = line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/);
    if (keyword === "nameserver") servers.push(...values.slice(0, 1).filter((value) => isIP(value) !== 0));
    if (keyword === "search") searchDomains = values;
    if (keyword === "domain") searchDomains = values.slice(0, 1);
    if (keyword === "options") ndots = values.map(parseNdots).findLast((value) => value !== null) ?? ndots;
  }
  return {
    servers: servers.slice(0, serversMax),
    searchDomains: searchDomains
      .map(canonicalName)
      .filter((domain) => domain !== "")
      .slice(0, searchDomainsMax),
    ndots,
  };
}

function parseNdots(option: string): number | null {
  const [, digits] = /^ndots:(\d{1,3})$/.exec(option) ?? [];
  return digits === undefined ? null : Math.min(ndotsMax, Number(digits));
}

/** #2. Lists full names in the order in which they are asked for. */
export function expandName(given: string, { searchDomains, ndots }: ResolvConf): readonly string[] {
  const name = canonicalName(given);
  if (given.endsWith(".")) return [name];
  const searched = searchDomains.map((domain) => `${name}.${domain}`).filter((full) => full.length <= nameCharactersMax);
  const dots = name.split(".").length - 1;
  return dots >= ndots ? [name, ...searched] : [...searched, name];
}
