// The steps of a decision, as they are taken. One path computes and explains: with nobody listening nothing is built.

export type Step =
  /** What was read from the question. `digits`: padded, as they are weighed; null: more than fit. */
  | { readonly step: "number"; readonly given: string; readonly digits: string | null }
  /** The account type that the following steps are about. */
  | { readonly step: "type"; readonly accountType: number }
  | {
      readonly step: "row";
      readonly row: string;
      readonly exception: string | null;
      readonly confidence: string | null;
    }
  | {
      readonly step: "weighing";
      /** Which test: base, or of which exception. */
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

/** Null: nobody listens. */
export type Note = ((step: Step) => void) | null;
