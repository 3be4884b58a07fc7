// What a person does with the code of a terminal, in a browser.

/** Does in a browser what the terminal says: the code, the confirmation, the sign-in. */
export async function enterCode(text: string, subject: string, factors: 1 | 2): Promise<string> {
  const [, address = "", code = ""] = /Open (\S+) .* code (\S+) within/.exec(text) ?? [];
  const cookies = new Map<string, string>();
  const visit = async (url: string, form: URLSearchParams | null = null): Promise<{ url: string; text: string }> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: { cookie }, ...(form === null ? {} : { method: "POST", body: form }) });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    return location === null ? { url, text: await answer.text() } : await visit(new URL(location, url).href);
  };
  const formOf = (page: string): URLSearchParams =>
    new URLSearchParams(
      [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
    );
  const asked = formOf((await visit(address)).text);
  asked.set("user_code", code);
  const confirming = await visit(address, asked);
  const confirmed = formOf(confirming.text);
  confirmed.set("user_code", code);
  confirmed.set("confirm", "yes");
  const chooser = await visit(address, confirmed);
  return (await visit(`${chooser.url}?person=${subject}&factors=${factors}`)).text;
}
