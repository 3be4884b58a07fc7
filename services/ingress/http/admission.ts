// Bounds what ingress holds at once: the requests in progress and the bytes of their bodies, and the part of it that
// one caller may hold.
//
// #1 Nothing is held beyond `requestsMax` and `bytesMax`.
// #2 A caller may hold at most as much as is still free. So one caller alone gets half; n callers that ask for all they
//    can get hold 1/(n+1) each, and 1/(n+1) stays free. The next caller finds room at once, whatever the others do.
// #3 Room is decided before a body is read, by the length that the request announces.

export interface AdmissionLimits {
  readonly requestsMax: number;
  readonly bytesMax: number;
}

/** Where there is no room: in the caller's share, or in the whole. */
type FullScope = "share" | "whole";

export interface Admission {
  /** Reserves room for a request with a body of so many bytes, until it is disposed. */
  enter(caller: string, bytes: number): Disposable | FullScope;
  requests(): number;
  /** Resolves when no request is in progress. */
  empty(): Promise<void>;
}

interface InFlight {
  requests: number;
  bytes: number;
}

export function createAdmission(limits: AdmissionLimits): Admission {
  const all: InFlight = { requests: 0, bytes: 0 };
  /** Callers with requests in progress: never more entries than requests. */
  const byCaller = new Map<string, InFlight>();
  let waiting: (() => void)[] = [];

  function leave(caller: string, own: InFlight, bytes: number): void {
    for (const one of [all, own]) {
      one.requests -= 1;
      one.bytes -= bytes;
    }
    if (own.requests === 0) byCaller.delete(caller);
    if (all.requests > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    enter(caller, bytes) {
      const freeRequests = limits.requestsMax - all.requests;
      const freeBytes = limits.bytesMax - all.bytes;
      if (freeRequests < 1 || freeBytes < bytes) return "whole";
      const own = byCaller.get(caller) ?? { requests: 0, bytes: 0 };
      if (own.requests >= freeRequests || own.bytes + bytes > freeBytes) return "share";
      byCaller.set(caller, own);
      for (const one of [all, own]) {
        one.requests += 1;
        one.bytes += bytes;
      }
      let isInside = true;
      return {
        [Symbol.dispose]() {
          if (isInside) leave(caller, own, bytes);
          isInside = false;
        },
      };
    },
    requests: () => all.requests,
    empty: () => (all.requests === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
