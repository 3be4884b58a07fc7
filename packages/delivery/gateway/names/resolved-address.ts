// What a name resolves to. Pure.

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Addresses of one name that are kept; more would only be more to try. */
export const addressesPerNameMax = 64;

/** Names are compared without case, and without the dot that only says that no search domain may follow. */
export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
