// The steps of a decision, as they are taken. Checking and explaining run the same code; without a listener no step is
// built.

export type CheckStep =
  /** The number that was read. `digits` is padded, as it is weighed; null: it has too many digits. */
  | { readonly step: "number"; readonly given: string; readonly digits: string | null }
  /** The account type of the following steps. */
  | { readonly step: "type"; readonly accountType: number }
  | {
      readonly step: "row";
      readonly row: string;
      readonly exception: string | null;
      readonly confidence: string | null;
    }
  | {
      readonly step: "weighing";
      /** The name of the test: base, or an exception's. */
      readonly test: string;
      readonly digits: string;
      readonly weights: readonly number[];
      readonly products: readonly number[];
      readonly fudge: number;
      readonly total: number;
      readonly modulus: number;
      readonly remainder: number;
    }
  | { readonly step: "finding"; readonly text: string };

/** Receives the steps; null: nobody listens. */
export type StepListener = ((step: CheckStep) => void) | null;
