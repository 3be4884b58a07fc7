// Lets credentials and limits of callers follow the configuration file while ingress runs, so that a token can be
// replaced without a restart.

import { watchConfiguration, type ConfigurationWatch, type ConfigurationWatchOptions } from "@sluice/config";
import type { Logger, Metrics } from "@sluice/kernel";
import type { Ingress } from "../service.ts";

export function watchCallers(
  ingress: Pick<Ingress, "replaceCallers">,
  {
    logger,
    metrics,
    ...file
  }: Omit<ConfigurationWatchOptions, "changed" | "broken"> & { readonly logger: Logger; readonly metrics: Metrics },
): ConfigurationWatch {
  const isBroken = metrics.gauge(
    "sluice_configuration_broken",
    "1 while the configuration file is wrong and changes nothing but revocations",
  );
  isBroken.set(0);
  return watchConfiguration({
    ...file,
    changed(callers, waiting) {
      ingress.replaceCallers(callers);
      logger.info("ingress.callers-replaced", { callers: callers.length });
      if (waiting.length > 0) logger.warn("ingress.needs-restart", { changed: waiting.slice(0, 20).join(" "), count: waiting.length });
    },
    read: () => isBroken.set(0),
    broken(problems) {
      isBroken.set(1);
      logger.error("ingress.configuration-broken", { problems: problems.slice(0, 20).join("; "), count: problems.length });
    },
  });
}
