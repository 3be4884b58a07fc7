// showMe: who the token belongs to, what this person may do, and the schemes with their zones, so that a client can
// show local times.

import type { Configuration } from "@sluice/config";
import { formatOptionalInstant } from "../views/control-values.ts";
import type { ControlHandler } from "../http/control-handler.ts";

interface MePorts {
  readonly configuration: Pick<Configuration, "schemes" | "secondPerson" | "resolutionNeedsSecondPerson" | "version">;
  readonly brokerNowMs: () => number | null;
}

export function showMe({ configuration, brokerNowMs }: MePorts): ControlHandler {
  return ({ operator: { id, name, person, roles, bank } }) => {
    const nowMs = brokerNowMs();
    const { secondPerson, resolutionNeedsSecondPerson } = configuration;
    const body = {
      schema: "Me",
      id,
      name,
      person,
      roles: [...roles],
      bank,
      asOf: formatOptionalInstant(nowMs),
      configurationVersion: configuration.version,
      schemes: configuration.schemes.map((scheme) => schemeView(scheme, nowMs)),
      secondPerson: [...secondPerson.actions, ...(resolutionNeedsSecondPerson ? ["resolve"] : [])],
    };
    return Promise.resolve({ kind: "found", body });
  };
}

function schemeView({ id, times, takesDebits }: Configuration["schemes"][number], nowMs: number | null) {
  const { zone } = times.calendar;
  return { id, zone, takesDebits, today: nowMs === null ? null : dateInZone(zone, nowMs) };
}

/** The calendar date in a zone. */
export function dateInZone(zone: string, atMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).toPlainDate().toString();
}
