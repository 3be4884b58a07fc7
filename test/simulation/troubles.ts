// Names the troubles that a simulated day had. Over all seeds of a test run each kind must occur: one that nothing
// draws any more, or that no longer takes effect, would leave the run green and blind.

import type { HistoryEntry } from "@sluice/checker";
import type { PlayedDates } from "./dates.ts";
import { largeBytes } from "./foreign-records.ts";
import { simulatedBankIds } from "./messages.ts";
import { calmScenario } from "./scenario.ts";
import type { SimulationEnd } from "./simulate.ts";
import { instancesMax } from "./two-releases.ts";

type Day = Pick<SimulationEnd, "scenario" | "history" | "fates">;

const hoursOfDay = 24;
const hourMs = 3_600_000;
const partitionCount = 3;

const tells = {
  "the store went back": ({ fates }) => fates.has("store gone-back"),
  "a write of the store landed behind newer ones": ({ fates }) => fates.has("store late"),
  "a bulk was written in part": ({ fates }) => fates.has("store torn"),
  "a request of a producer landed behind newer ones": ({ fates }) => fates.has("produce land-late"),
  "readers got nothing": ({ fates }) => fates.has("fetch nothing"),
  "a reading ended early": ({ fates }) => fates.has("fetch behind"),
  "a batch could not be read for a while": ({ scenario }) => scenario.unreadable.length > 0,
  "the brokers' clocks differed and stepped back": ({ scenario }) => scenario.brokerClocks.some(({ stepMs }) => stepMs > 0),
  "a transaction was quarantined": ({ scenario }) => scenario.foreignRecords.some(({ isQuarantining }) => isQuarantining),
  "a foreign record was as large as a broker takes": ({ scenario }) => scenario.foreignRecords.some(({ bytes }) => bytes === largeBytes),
  "an operator skipped a record that stopped a partition": ({ scenario }) => scenario.foreignRecords.some(({ stops }) => stops !== null),
  "an operator replayed dead letters": ({ history }) => history.some((entry) => isOfType(entry, "DeadLettersReplayed")),
  "the store was rebuilt": ({ scenario }) => scenario.rebuildAtMs !== null,
  "two windows a day": ({ scenario }) => scenario.dates.windows.length > 1,
  "two dates": ({ scenario }) => scenario.dates.night !== null,
  "a date was not 24 hours long": ({ scenario }) => hasOddDate(scenario.dates),
  "a queue had more than a page": hasLongQueue,
  "two ingresses": ({ scenario }) => scenario.ingressInstances > 1,
  "three instances of each service": ({ scenario }) => scenario.instances === instancesMax,
  "two releases at once": ({ scenario }) => scenario.update !== null,
} satisfies Record<string, (day: Day) => boolean>;

export type Trouble = keyof typeof tells;
export const allTroubles = Object.keys(tells) as readonly Trouble[];

export function findTroubles(day: Day): readonly Trouble[] {
  return allTroubles.filter((trouble) => tells[trouble](day));
}

function isOfType(entry: HistoryEntry, type: string): boolean {
  return entry.kind === "record" && entry.type === type;
}

/** The missing hour is in a date of its own; of two dates the evenings are as far apart as the second date is long. */
function hasOddDate({ night, zone }: PlayedDates): boolean {
  return night === null ? zone !== calmScenario.dates.zone : night.untilMs !== hoursOfDay * hourMs;
}

/** More debits were held than one page of each queue holds. */
function hasLongQueue({ scenario: { pages }, history }: Day): boolean {
  if (pages === null) return false;
  const held = history.filter((entry) => entry.kind === "snapshot" && entry.transitions.some(({ state }) => state === "HELD"));
  return held.length > simulatedBankIds.length * partitionCount * pages.keysMax;
}
