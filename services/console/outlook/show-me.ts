// showMe: who the token belongs to, what this person may do, and the schemes with their zones, so that a client can
// show local times.

import type { Configuration } from "@sluice/config";
import { isOfSchemes } from "@sluice/contracts";
import { formatOptionalInstant } from "../views/control-values.ts";
import type { ControlHandler } from "../http/control-handler.ts";

type MeMember = "banks" | "connectors" | "environment" | "schemes" | "secondPerson" | "resolutionNeedsSecondPerson" | "version";

interface MePorts {
  readonly configuration: Pick<Configuration, MeMember>;
  readonly brokerNowMs: () => number | null;
}

export function showMe({ configuration, brokerNowMs }: MePorts): ControlHandler {
  return ({ operator: { id, name, person, roles, bank, schemes } }) => {
    const nowMs = brokerNowMs();
    const { secondPerson, resolutionNeedsSecondPerson } = configuration;
    const body = {
      schema: "Me",
      id,
      name,
      person,
      roles: [...roles],
      bank,
      ofSchemes: schemes,
      asOf: formatOptionalInstant(nowMs),
      configurationVersion: configuration.version,
      environment: configuration.environment,
      receivers: bank === null ? listReceivers(configuration) : [bank],
      schemes: configuration.schemes.filter(({ id: scheme }) => isOfSchemes(schemes, scheme)).map((scheme) => schemeView(scheme, nowMs)),
      secondPerson: [...secondPerson.actions, ...(resolutionNeedsSecondPerson ? ["resolve"] : [])],
    };
    return Promise.resolve({ kind: "found", body });
  };
}

function listReceivers({ banks, connectors }: Pick<Configuration, "banks" | "connectors">): readonly string[] {
  return [...banks, ...connectors].map(({ id }) => id).toSorted();
}

function schemeView({ id, times, takesDebits }: Configuration["schemes"][number], nowMs: number | null) {
  const { zone } = times.calendar;
  return { id, zone, takesDebits, today: nowMs === null ? null : dateInZone(zone, nowMs) };
}

/** The calendar date in a zone. */
export function dateInZone(zone: string, atMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).toPlainDate().toString();
}
