// The payment schemes: one row is all that the code knows of a scheme. Code that treats two schemes differently asks
// the row, and never compares a name, so that a new scheme is a new row and then what the type checker names.
//
// #1 Nothing is assumed for a scheme: what its row leaves open (null), the configuration file must say.

/** What a scheme asks of the `schemeData` of a debit, and of a credit; `packages/contracts` has the members of each. */
export type DebitDataShape = "statement-reference";
export type CreditDataShape = "optional-references";

export interface SchemeFlow<Shape extends string> {
  /** The service code of its event postings. */
  readonly service: string;
  readonly data: Shape;
}

/** What the configuration file may leave out; null: it must say it. The names are those that configuration knows. */
export interface SchemeDefaults<Calendar extends string = string, AccountRule extends string = string> {
  readonly currencies: readonly string[] | null;
  /** It decides the business days: a calendar with holidays, or one on which every day works. */
  readonly calendar: Calendar | null;
  readonly processing: readonly { readonly opens: string; readonly closes: string }[] | null;
  readonly reconciliation: string | null;
  readonly accountRule: AccountRule | null;
}

export interface SchemeRow {
  /** Null: it has no debits, and no business day of it is planned. */
  readonly debits: SchemeFlow<DebitDataShape> | null;
  /** Null: it has no credits. */
  readonly credits: SchemeFlow<CreditDataShape> | null;
  readonly defaults: SchemeDefaults;
}

const southAfrica = {
  currencies: ["ZAR"],
  processing: [{ opens: "08:00", closes: "16:00" }],
  reconciliation: "17:30",
} as const;

export const schemes = {
  ZA_EFT: {
    debits: { service: "EFT_DIRECT_DEBIT", data: "statement-reference" },
    credits: { service: "EFT_CREDIT", data: "optional-references" },
    defaults: { ...southAfrica, calendar: "za", accountRule: "za-cdv" },
  },
  // Credits of these two are final at once, so they are accepted every day. Their GENERIC account numbers are not
  // checked unless a rule is configured: docs/spec/decisions.md D6.21 names ZA_EFT alone.
  ZA_RTC: {
    debits: null,
    credits: { service: "RTC_CREDIT", data: "optional-references" },
    defaults: { ...southAfrica, calendar: "za-every-day", accountRule: "none" },
  },
  ZA_RPP: {
    debits: null,
    credits: { service: "RPP_CREDIT", data: "optional-references" },
    defaults: { ...southAfrica, calendar: "za-every-day", accountRule: "none" },
  },
} as const satisfies Readonly<Record<string, SchemeRow>>;

export type SchemeId = keyof typeof schemes;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are the keys of the table
export const schemeIds = Object.keys(schemes) as readonly SchemeId[];

/** The scheme of a configuration file, or a command, that names none. */
export const defaultScheme: SchemeId = "ZA_EFT";

export function isSchemeId(id: string): id is SchemeId {
  return Object.hasOwn(schemes, id);
}

/** Lists the schemes with this flow, in the order of the table. */
export function schemesWith<Flow extends "debits" | "credits">(
  flow: Flow,
  rows: Readonly<Record<string, SchemeRow>> = schemes,
): readonly ({ readonly id: string } & NonNullable<SchemeRow[Flow]>)[] {
  return Object.entries(rows).flatMap(([id, row]) => {
    const found = row[flow];
    return found === null ? [] : [{ id, ...found }];
  });
}

/** Lists the service codes of event postings: those of debits, then those of credits. */
export function listServiceCodes(): readonly string[] {
  return [...new Set([...schemesWith("debits"), ...schemesWith("credits")].map(({ service }) => service))];
}

/** Returns the service code of a scheme's debits or credits; null: it has none. */
export function findServiceCode(id: string, flow: "debits" | "credits"): string | null {
  return isSchemeId(id) ? (schemes[id][flow]?.service ?? null) : null;
}
