// The version of the rules by which records are decided. A change of the rules that changes what a recorded journal
// gives raises it (`services/scheduler/recorded`).

/** Version 1 is that of every document that names none. */
export const rulesVersion = 5;

/** The versions of the rules that decided the records of one transaction. */
export interface RulesSpan {
  readonly oldest: number;
  readonly newest: number;
}

/** Extends the span by the version that decides the next record; null: nothing was decided before. */
export function extendRules(span: RulesSpan | null, version: number): RulesSpan {
  if (span === null) return { oldest: version, newest: version };
  if (span.oldest <= version && version <= span.newest) return span;
  return { oldest: Math.min(span.oldest, version), newest: Math.max(span.newest, version) };
}
