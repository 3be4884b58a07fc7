// The stored form of an operator's action.

import type { OperatorAction } from "@sluice/domain";

export interface StoredAction {
  readonly id: string;
  readonly operator: string;
  readonly reason: string;
  readonly requestedAt: Date;
}

export function toStoredAction({ id, operator, reason, requestedAtMs }: OperatorAction): StoredAction {
  return { id, operator, reason, requestedAt: new Date(requestedAtMs) };
}

export function fromStoredAction({ id, operator, reason, requestedAt }: StoredAction): OperatorAction {
  return { id, operator, reason, requestedAtMs: requestedAt.getTime() };
}
