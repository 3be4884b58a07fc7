// How much ingress holds at once: requests under way, and the bytes of their bodies. Beyond either bound it says 503 before it reads.

export interface AdmissionLimits {
  readonly requestsMax: number;
  readonly bytesMax: number;
}

export interface Admission {
  /** Room for a request with a body of so many bytes until disposed; null: there is none. */
  enter(bytes: number): Disposable | null;
  requests(): number;
  /** Resolves when nothing is under way any more. */
  empty(): Promise<void>;
}

export function createAdmission(limits: AdmissionLimits): Admission {
  let requests = 0;
  let heldBytes = 0;
  let waiting: (() => void)[] = [];

  function leave(bytes: number): void {
    requests -= 1;
    heldBytes -= bytes;
    if (requests > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    enter(bytes) {
      if (requests >= limits.requestsMax || heldBytes + bytes > limits.bytesMax) return null;
      requests += 1;
      heldBytes += bytes;
      let isInside = true;
      return {
        [Symbol.dispose]() {
          if (isInside) leave(bytes);
          isInside = false;
        },
      };
    },
    requests: () => requests,
    empty: () => (requests === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
