// Leaves a trace of every change of an operator: who may decide over money must not change unseen.
//
// #1 Each change has one log line and is counted. It names tokens by their ids, never by themselves.
// #2 At the start the operators in force are logged, because a change while no console ran is otherwise not seen.

import { type ConfiguredOperator, listOperatorChanges, type OperatorChange, operatorChangeKinds } from "@sluice/config";
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
  for (const operator of inForce) {
    const ids = operator.tokens.map(({ id }) => id);
    logger.info("operator.in-force", { operator: operator.id, ...describeRights(operator), tokens: ids.join(" ") });
  }
  return {
    replaced(operators) {
      for (const { change, operator, tokens, ...rights } of listOperatorChanges(inForce, operators)) {
        changes.add({ change });
        logger.warn("operator.changed", { change, operator, ...describeRights(rights), tokens: tokens.join(" ") });
      }
      inForce = operators;
    },
  };
}

function describeRights({ person, roles, bank, schemes }: Pick<OperatorChange, "person" | "roles" | "bank" | "schemes">) {
  return { person, roles: roles.join(" "), bank: bank ?? "all", schemes: schemes?.join(" ") ?? "all" };
}
