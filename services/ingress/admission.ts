// How much ingress holds at once: requests under way, and the bytes of their bodies; and how much of it one caller may hold.
//
// #1 Nothing is held beyond `requestsMax` and `bytesMax`.
// #2 A caller may hold at most as much as is still free. One alone so gets half, n that ask for all they can get 1/(n+1) each, and
//    1/(n+1) stays free: whoever comes next finds room at once, whatever the others do.
// #3 Judged before a body is read, by the length that it announces.

export interface AdmissionLimits {
  readonly requestsMax: number;
  readonly bytesMax: number;
}

/** What there is no room in: the caller's share, or the whole. */
export type Full = "share" | "whole";

export interface Admission {
  /** Room for a request with a body of so many bytes, until disposed. */
  enter(caller: string, bytes: number): Disposable | Full;
  requests(): number;
  /** Resolves when nothing is under way any more. */
  empty(): Promise<void>;
}

interface Held {
  requests: number;
  bytes: number;
}

export function createAdmission(limits: AdmissionLimits): Admission {
  const all: Held = { requests: 0, bytes: 0 };
  /** Of callers that hold something: never more entries than requests. */
  const heldBy = new Map<string, Held>();
  let waiting: (() => void)[] = [];

  function leave(caller: string, held: Held, bytes: number): void {
    for (const one of [all, held]) {
      one.requests -= 1;
      one.bytes -= bytes;
    }
    if (held.requests === 0) heldBy.delete(caller);
    if (all.requests > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    enter(caller, bytes) {
      const freeRequests = limits.requestsMax - all.requests;
      const freeBytes = limits.bytesMax - all.bytes;
      if (freeRequests < 1 || freeBytes < bytes) return "whole";
      const held = heldBy.get(caller) ?? { requests: 0, bytes: 0 };
      if (held.requests >= freeRequests || held.bytes + bytes > freeBytes) return "share";
      heldBy.set(caller, held);
      for (const one of [all, held]) {
        one.requests += 1;
        one.bytes += bytes;
      }
      let isInside = true;
      return {
        [Symbol.dispose]() {
          if (isInside) leave(caller, held, bytes);
          isInside = false;
        },
      };
    },
    requests: () => all.requests,
    empty: () => (all.requests === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
