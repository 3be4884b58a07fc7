// Leaves a trace of every change of an operator: who may decide over money must not change unseen.
//
// #1 Each change has one log line and is counted. It names tokens by their ids, never by themselves.
// #2 At the start the operators in force are logged, because a change while no console ran is otherwise not seen.

import { type ConfiguredOperator, listOperatorChanges, operatorChangeKinds } from "@sluice/config";
import type { Logger, Metrics } from "@sluice/kernel";

export interface OperatorTrail {
  /** Records what differs from the operators in force before. */
  replaced(operators: readonly ConfiguredOperator[]): void;
}

export function createOperatorTrail(
  initial: readonly ConfiguredOperator[],
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
): OperatorTrail {
  const changes = metrics.counter("sluice_console_operator_changes_total", "Changes of operators, their roles and their tokens", [
    "change",
  ]);
  for (const change of operatorChangeKinds) changes.add({ change }, 0);
  let inForce = initial;
  for (const { id, person, roles, bank, tokens } of inForce) {
    const ids = tokens.map((token) => token.id).join(" ");
    logger.info("operator.in-force", { operator: id, person, roles: roles.join(" "), bank: bank ?? "all", tokens: ids });
  }
  return {
    replaced(operators) {
      for (const { change, operator, person, roles, bank, tokens } of listOperatorChanges(inForce, operators)) {
        changes.add({ change });
        const fields = { change, operator, person, roles: roles.join(" "), bank: bank ?? "all", tokens: tokens.join(" ") };
        logger.warn("operator.changed", fields);
      }
      inForce = operators;
    },
  };
}
