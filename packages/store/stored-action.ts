// An operator's action as it lies in a document.

import type { OperatorAction } from "@sluice/domain";

export type StoredAction = Omit<OperatorAction, "requestedAtMs"> & { readonly requestedAt: Date };

export function toStoredAction({ id, operator, reason, requestedAtMs }: OperatorAction): StoredAction {
  return { id, operator, reason, requestedAt: new Date(requestedAtMs) };
}

export function fromStoredAction({ id, operator, reason, requestedAt }: StoredAction): OperatorAction {
  return { id, operator, reason, requestedAtMs: requestedAt.getTime() };
}
