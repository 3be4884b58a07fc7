// Lets callers and operators follow the configuration file while the console runs, and leaves a trace of every change
// of an operator: who may decide over money must not change unseen.
//
// #1 Each change has one log line and is counted. It names tokens by their ids (`tokenId`), never by themselves.
// #2 At the start the operators in force are logged, because a change while no console ran is otherwise not seen.

import {
  listOperatorChanges,
  operatorChangeKinds,
  tokenId,
  watchConfiguration,
  type ConfigurationWatch,
  type ConfigurationWatchOptions,
} from "@sluice/config";
import type { Logger, Metrics } from "@sluice/kernel";
import type { Console } from "../service.ts";

type WatchedFile = Omit<ConfigurationWatchOptions, "changed" | "broken"> & { readonly logger: Logger; readonly metrics: Metrics };

export function watchOperators(
  desk: Pick<Console, "replaceCallers" | "replaceOperators">,
  { logger, metrics, ...file }: WatchedFile,
): ConfigurationWatch {
  const changes = metrics.counter("sluice_console_operator_changes_total", "Changes of operators, their roles and their tokens", [
    "change",
  ]);
  const broken = metrics.gauge(
    "sluice_configuration_broken",
    "1 while the configuration file is wrong and changes nothing but revocations",
  );
  for (const change of operatorChangeKinds) changes.add({ change }, 0);
  broken.set(0);
  let inForce = file.running.operators;
  for (const { id, person, roles, tokenSha256 } of inForce) {
    logger.info("operator.in-force", { operator: id, person, roles: roles.join(" "), tokens: tokenSha256.map(tokenId).join(" ") });
  }
  return watchConfiguration({
    ...file,
    changed(callers, _waiting, operators) {
      desk.replaceCallers(callers);
      desk.replaceOperators(operators);
      for (const { change, operator, person, roles, tokens } of listOperatorChanges(inForce, operators)) {
        changes.add({ change });
        logger.warn("operator.changed", { change, operator, person, roles: roles.join(" "), tokens: tokens.join(" ") });
      }
      inForce = operators;
    },
    read: () => broken.set(0),
    broken(problems) {
      broken.set(1);
      logger.error("console.configuration-broken", { problems: problems.slice(0, 20).join("; ") });
    },
  });
}
