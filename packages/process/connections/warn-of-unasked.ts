// Says at the start, and with each change of the file, which callers no listener can know: they are bound to
// certificates, and the listeners ask for none. Each of their calls is refused, and nobody would know why.

import { type Configuration, listCallers } from "@sluice/config";
import type { Logger } from "@sluice/kernel";
import type { ListenerTls } from "@sluice/service";

const namedMax = 20;

export function warnOfUnasked(configuration: Configuration, tls: ListenerTls | null, logger: Logger): void {
  if (tls !== null && tls.clientCertificates !== "none") return;
  const bound = [...listCallers(configuration), ...configuration.operators].filter(({ certificates }) => certificates !== null);
  if (bound.length === 0) return;
  const callers = bound.slice(0, namedMax).map(({ id }) => id);
  logger.error("listener.certificates-not-asked", { callers: callers.join(" "), count: bound.length });
}
