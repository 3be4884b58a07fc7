// Calendars and windows as data, and what follows from them for an instant: pure functions on `Temporal`.
// Local times are `HH:MM` or `HH:MM:SS`, with `+1d ` in front for the next calendar day of the same business date.

export interface Calendar {
  readonly version: string;
  /** IANA zone, or a fixed offset such as `+05:00`. */
  readonly zone: string;
  /** ISO weekdays that work, 1 = Monday. */
  readonly workingDays: readonly number[];
  /** Dates that do not work, YYYY-MM-DD. */
  readonly holidays: readonly string[];
}

export interface SchemeTimes {
  readonly calendar: Calendar;
  /** Processing windows in order, numbered from 1. */
  readonly processing: readonly { readonly opens: string; readonly closes: string }[];
  /** Local time of the reconciliation close. */
  readonly reconciliation: string;
  /** How long before the last processing window closes a debit for that date must have been received, milliseconds. */
  readonly cutOffMs: number;
}
