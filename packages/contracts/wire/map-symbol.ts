// Maps a symbol of the wire to the domain. A symbol that only a newer writer knows is never guessed: a retryable Fault
// stops the partition until the reader is upgraded.

import { Fault } from "@sluice/kernel";

export function mapSymbol<T>(symbol: string, meanings: Readonly<Record<string, T>>): T {
  const meaning = Object.hasOwn(meanings, symbol) ? meanings[symbol] : undefined;
  if (meaning === undefined) throw new Fault("contracts.unknown-symbol", `${symbol} is not known to this reader`, { isRetryable: true });
  return meaning;
}
