// How an append to the journal ended, for its caller.

export type AppendOutcome =
  | { readonly kind: "appended"; readonly partition: number; readonly offset: bigint; readonly appendedAtMs: number }
  /** The record is not in the journal. */
  | { readonly kind: "unavailable"; readonly reason: UnavailableReason }
  /** The record may be in the journal or not. */
  | { readonly kind: "unknown"; readonly reason: string };

/** `broker`: no partition of the journal answers; `partition`: that of the record does not. */
export type UnavailableReason = "starting" | "broker" | "partition" | "clock" | "stopping";
