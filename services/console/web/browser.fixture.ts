// For tests: a browser without a screen. It keeps cookies, follows what a page links to and sends its forms, over the
// console of the tests.

import { sampleToken } from "@sluice/testkit";

export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Desk {
  readonly desk: { fetchControl(request: Request): Promise<Response> };
  readonly settled: <T>(work: Promise<T>) => Promise<T>;
}

export function openReader({ desk, settled }: Desk) {
  let cookie = "";

  async function ask(
    path: string,
    init: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
  ): Promise<Shown> {
    const length = init.body === undefined ? {} : { "content-length": String(new TextEncoder().encode(init.body).byteLength) };
    const headers = { ...(cookie === "" ? {} : { cookie }), ...length, ...init.headers };
    const answer = await settled(desk.fetchControl(new Request(`http://console${path}`, { ...init, headers })));
    const set = answer.headers.get("set-cookie");
    if (set !== null) cookie = set.split(";")[0] ?? "";
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  const form = { "content-type": "application/x-www-form-urlencoded" };

  async function send(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    return await ask(path, { method: "POST", headers: { ...form, ...headers }, body: new URLSearchParams(fields).toString() });
  }

  return {
    ask,
    send,
    signIn: (operator = "operator") => send("/sign-in", { token: sampleToken(operator), next: "/" }),
    /** Fills in the form of a decision as its page shows it, and sends it. */
    async decide(path: string, fields: Readonly<Record<string, string>>): Promise<Shown> {
      const page = await ask(path);
      if (page.status !== 200) return page;
      return await send(path, { ...readHidden(page.text), ...fields });
    },
  };
}

/** The hidden inputs of the form of a decision; the frame's own form has the same token. */
export function readHidden(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/<input\s+type="hidden"\s+name="(\w+)"\s+value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}
