// Sessions of operators in a browser. A session keeps the operator's token, or who signed in at the provider, in the
// memory of this process, and the browser keeps a random id in a cookie. So the token is sent once, and a console that
// restarts has no session.
//
// #1 A session ends after `idleMaxMs` without a request of a person, and after `lifetimeMs` in any case. What a page
//    asks for by itself keeps no session alive.
// #2 There are at most `sessionsMax` sessions of Sluice's own operators, as many of the people of banks, and
//    `sessionsOfOneMax` of one operator. Beyond that the oldest of them ends.
// #3 The id is 256 random bits. It is compared by a look-up in a map, whose time says nothing about other ids.

import type { Random, Time } from "@sluice/kernel";
import type { SignedIn } from "@sluice/service";
import { createKeptOutcomes, type KeptOutcomes } from "./kept-outcomes.ts";

interface SessionHolder {
  readonly id: string;
  /** Null: one of Sluice's own operators. */
  readonly bank: string | null;
}

/** What a session asks the control API with. */
export type SessionAccess = { readonly kind: "token"; readonly token: string } | { readonly kind: "signed-in"; readonly person: SignedIn };

export interface Session {
  readonly id: string;
  readonly operator: SessionHolder;
  readonly access: SessionAccess;
  /** Every form must send it: another site knows neither it nor the cookie. */
  readonly formToken: string;
  readonly outcomes: KeptOutcomes;
}

export interface Sessions {
  open(access: SessionAccess, operator: SessionHolder): Session;
  /** Null: there is no such session, or it has ended. `isActive`: a person asks, not the page by itself. */
  find(id: string, asked: { readonly isActive: boolean }): Session | null;
  end(id: string): void;
}

interface Kept {
  readonly session: Session;
  readonly openedMs: number;
  activeMs: number;
}

export const idleMaxMs = 15 * 60_000;
export const lifetimeMs = 8 * 3_600_000;
export const sessionsMax = 1_000;
export const sessionsOfOneMax = 8;
const idBytes = 32;

export function createSessions({ time, random }: { readonly time: Pick<Time, "monotonicMs">; readonly random: Random }): Sessions {
  // In the order in which they were opened.
  const kept = new Map<string, Kept>();

  /** #1 */
  function isOver({ openedMs, activeMs }: Kept): boolean {
    const nowMs = time.monotonicMs();
    return nowMs - openedMs >= lifetimeMs || nowMs - activeMs >= idleMaxMs;
  }

  /** #2 */
  function makePlace(operator: SessionHolder): void {
    for (const [id, one] of kept) if (isOver(one)) kept.delete(id);
    endOldest(sessionsOfOneMax, ({ id }) => id === operator.id);
    endOldest(sessionsMax, ({ bank }) => (bank === null) === (operator.bank === null));
  }

  /** So that there is place for one more within `most`. */
  function endOldest(most: number, isCounted: (holder: SessionHolder) => boolean): void {
    const counted = [...kept].filter(([, { session }]) => isCounted(session.operator)).map(([id]) => id);
    for (const id of counted.slice(0, Math.max(0, counted.length - most + 1))) kept.delete(id);
  }

  return {
    open(access, operator) {
      makePlace(operator);
      const session = { id: random.hex(idBytes), operator, access, formToken: random.hex(idBytes), outcomes: createKeptOutcomes() };
      const nowMs = time.monotonicMs();
      kept.set(session.id, { session, openedMs: nowMs, activeMs: nowMs });
      return session;
    },
    find(id, { isActive }) {
      const found = kept.get(id);
      if (found === undefined) return null;
      if (isOver(found)) {
        kept.delete(id);
        return null;
      }
      if (isActive) found.activeMs = time.monotonicMs();
      return found.session;
    },
    end(id) {
      kept.delete(id);
    },
  };
}
