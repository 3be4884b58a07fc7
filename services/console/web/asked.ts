// What a page is made from: who asks, what was asked, and the control API as this operator sees it.

import type { AnswerOf, ApiClient } from "./api-client.ts";
import type { Clock } from "./parts/clock.ts";
import type { KeptOutcomes } from "./sessions/kept-outcomes.ts";

export interface Asked {
  readonly api: ApiClient;
  readonly me: AnswerOf<"showMe">;
  readonly clock: Clock;
  readonly query: URLSearchParams;
  /** Parts of the address by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly formToken: string;
  /** Whether there is a documentation site below `/help`. */
  readonly hasHelp: boolean;
  /** What a form sent; null: the page is only read. */
  readonly form: URLSearchParams | null;
  /** What the person decided about several in this session. */
  readonly outcomes: KeptOutcomes;
  readonly newActionId: () => string;
}

/** Another address in place of a page. */
export interface Elsewhere {
  readonly location: string;
}

/** "?a=1&b=2" of what is given; an empty text for nothing. */
export function queryText(given: Readonly<Record<string, string | null | undefined>>): string {
  const present = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "");
  return present.length === 0 ? "" : `?${new URLSearchParams(present).toString()}`;
}
