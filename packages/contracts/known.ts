// A symbol that a newer writer knows and this reader does not is never guessed: a retryable Fault stops the lane.

import { Fault } from "@sluice/runtime";

export function known<T>(symbol: string, meanings: Readonly<Record<string, T>>): T {
  const meaning = Object.hasOwn(meanings, symbol) ? meanings[symbol] : undefined;
  if (meaning === undefined) throw new Fault("contracts.unknown-symbol", `${symbol} is not known to this reader`, { isRetryable: true });
  return meaning;
}
