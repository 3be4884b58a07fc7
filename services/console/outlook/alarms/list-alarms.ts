// listAlarms: which alarms fire, as the Alertmanager said last.

import type { ControlHandler } from "../../http/control-handler.ts";
import { formatOptionalInstant } from "../../views/control-values.ts";
import type { AlarmWatch } from "./watch-alarms.ts";

interface AlarmsPorts {
  readonly alarms: Pick<AlarmWatch, "read">;
  readonly brokerNowMs: () => number | null;
}

export function listAlarms({ alarms, brokerNowMs }: AlarmsPorts): ControlHandler {
  return async () => {
    const { source, answeredAtMs, silentSinceMs, why, alarms: rows, isWhole } = alarms.read();
    return await Promise.resolve({
      kind: "found",
      body: {
        schema: "Alarms",
        asOf: formatOptionalInstant(brokerNowMs()),
        source,
        answeredAt: formatOptionalInstant(answeredAtMs),
        silentSince: formatOptionalInstant(silentSinceMs),
        why,
        rows,
        isWhole,
      },
    });
  };
}
