// What a page of a decision needs: what would happen to what, how much it is, and what a person has to say.

import type { Asked } from "../asked.ts";
import type { Html } from "../parts/html.ts";

export interface PreparedDecision {
  readonly title: string;
  /** What it will do, as things stand: which, how many, which sum. */
  readonly preview: Html;
  /** What cannot be undone, or what to think of. */
  readonly warning: string;
  /** Inputs besides the reason. */
  readonly fields: Html | string | readonly Html[];
  /** Path of the decision below the control API's prefix. */
  readonly path: string;
  /** The body besides the reason; a text says what is wrong with the form. */
  body(form: URLSearchParams): Readonly<Record<string, unknown>> | string;
  /** The same decision by `./sluice`. */
  readonly command: string;
  /** What the configuration calls it where it can need a second person; null: it needs none. */
  readonly secondPerson: string | null;
  /** What the button says. */
  readonly verb: string;
  /** null: it is not for operators. */
  readonly runbook: string | null;
}

/** Whether a value is on: as a form that was refused had it, else by default. */
export function isOn(form: URLSearchParams | null, name: string, value: string, byDefault = false): boolean {
  return form === null ? byDefault : form.getAll(name).includes(value);
}

export type PrepareDecision = (asked: Asked) => Promise<PreparedDecision>;
