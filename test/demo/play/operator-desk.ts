// Operators of a secured demo at the console's pages: they sign in at the provider with a second factor, and decide by
// the forms that the pages show, as from a browser.
//
// #1 A console that was started again knows no session: the person signs in once more.
// #2 What was not answered is sent again with the id of its first page, so that it counts once.

import type { Time } from "@sluice/kernel";
import { openVisitor, signInByProvider, type Visitor, type VisitorAnswer } from "@sluice/testkit";
import { type DemoOperator, subjectOf } from "../environment/configuration.ts";

interface DecisionForm {
  /** Path of the page that shows the form. */
  readonly page: string;
  /** What a person fills in besides the reason. */
  readonly fields: Readonly<Record<string, string>>;
  readonly reason: string;
}

export interface OperatorDesk {
  /** Null: nothing was answered, or only that it is to be tried again. */
  decide(operator: DemoOperator, form: DecisionForm): Promise<{ readonly status: number; readonly text: string } | null>;
  /** Sign-ins at the provider so far. */
  readonly signIns: () => number;
}

interface Seat {
  readonly visitor: Visitor;
  /** By page. */
  readonly actionIds: Map<string, string>;
}

const answerTimeoutMs = 10_000;
const seeOther = 303;

export function createOperatorDesk(origin: string, time: Time): OperatorDesk {
  const seats = new Map<string, Seat>();
  let signIns = 0;

  function seatOf({ id }: DemoOperator): Seat {
    const seat = seats.get(id) ?? { visitor: openVisitor(), actionIds: new Map<string, string>() };
    seats.set(id, seat);
    return seat;
  }

  /** #1 */
  async function showForm({ visitor }: Seat, operator: DemoOperator, page: string, signal: AbortSignal): Promise<VisitorAnswer> {
    const shown = await visitor.visit(`${origin}${page}`, { signal });
    if (!leadsToTheDoor(shown)) return shown;
    const back = await signInByProvider(visitor, origin, { subject: subjectOf(operator), factors: 2, next: page, signal });
    if (back.status !== 200) return back;
    signIns += 1;
    return await visitor.visit(`${origin}${page}`, { signal });
  }

  async function send(operator: DemoOperator, { page, fields, reason }: DecisionForm, signal: AbortSignal): Promise<VisitorAnswer> {
    const seat = seatOf(operator);
    const shown = await showForm(seat, operator, page, signal);
    if (shown.status !== 200) return shown;
    const hidden = readHidden(shown.text);
    // #2
    const actionId = seat.actionIds.get(page) ?? hidden["actionId"] ?? "";
    seat.actionIds.set(page, actionId);
    const body = new URLSearchParams({ ...hidden, actionId, ...fields, reason });
    return await seat.visitor.visit(`${origin}${page}`, { method: "POST", body, signal });
  }

  return {
    async decide(operator, form) {
      const tooLate = new AbortController();
      using _timer = time.after(answerTimeoutMs, () => tooLate.abort());
      try {
        const { status, text, headers } = await send(operator, form, tooLate.signal);
        if (status >= 500 || leadsToTheDoor({ status, headers, text })) return null;
        return { status, text };
      } catch {
        return null;
      }
    },
    signIns: () => signIns,
  };
}

function leadsToTheDoor({ status, headers }: VisitorAnswer): boolean {
  return status === seeOther && (headers.get("location") ?? "").startsWith("/sign-in");
}

/** The hidden inputs of a page. */
function readHidden(text: string): Readonly<Record<string, string>> {
  const inputs = [...text.matchAll(/<input\s+type="hidden"\s+name="(\w+)"\s+value="([^"]*)"/g)];
  return Object.fromEntries(inputs.map(([, name = "", value = ""]) => [name, value]));
}
