// A browser without a screen, for operators who sign in at the provider of `operator-provider.ts` over HTTP.

interface VisitorRequest {
  readonly method?: string;
  readonly body?: URLSearchParams;
  readonly signal?: AbortSignal;
}

export interface VisitorAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Visitor {
  visit(address: string, init?: VisitorRequest): Promise<VisitorAnswer>;
  /** Follows redirects up to an answer that is none, or up to an address that begins with `until`. */
  follow(address: string, until?: string, signal?: AbortSignal): Promise<VisitorAnswer & { readonly address: string }>;
  /** Has no cookie of the origin any more, as after the console was started again. */
  forget(origin: string): void;
  /** Cookies by origin. */
  readonly jars: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

interface ChosenPerson {
  readonly subject: string;
  readonly factors: 1 | 2;
  /** Page of the console that comes after the sign-in. */
  readonly next: string;
  readonly signal?: AbortSignal;
}

const redirectsMax = 20;

/** A browser as far as redirects and cookies go; each origin has its own cookies. */
export function openVisitor(): Visitor {
  const jars = new Map<string, Map<string, string>>();

  async function visit(address: string, init: VisitorRequest = {}): Promise<VisitorAnswer> {
    const url = new URL(address);
    const jar = jars.get(url.origin) ?? new Map<string, string>();
    jars.set(url.origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { ...init, redirect: "manual", headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(set) || value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  async function follow(address: string, until = "none", signal?: AbortSignal): Promise<VisitorAnswer & { readonly address: string }> {
    let at = address;
    for (let steps = 0; steps < redirectsMax; steps += 1) {
      const answer = await visit(at, signal === undefined ? {} : { signal });
      const location = answer.headers.get("location");
      if (location === null) return { address: at, ...answer };
      at = new URL(location, at).href;
      if (at.startsWith(until)) return { address: at, ...answer };
    }
    throw new Error("it never ends");
  }

  return { visit, follow, forget: (origin) => void jars.delete(origin), jars };
}

/**
 * Signs a person in, and returns what the console answers to the address at which the provider sends it back. A
 * provider that still knows the person of this browser asks nothing.
 */
export async function signInByProvider(visitor: Visitor, origin: string, { subject, factors, next, signal }: ChosenPerson) {
  const chooser = await visitor.follow(`${origin}/sign-in/begin?next=${encodeURIComponent(next)}`, "none", signal);
  if (chooser.address.startsWith(`${origin}/`)) return chooser;
  return await visitor.follow(`${chooser.address}?person=${subject}&factors=${factors}`, "none", signal);
}
