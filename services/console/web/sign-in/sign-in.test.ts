// Operators sign in at a real provider, over real HTTP, and the console's pages are theirs.

import { openVisitor, sampleOperator, sampleToken } from "@sluice/testkit";
import { expect, test } from "vitest";
import { openConsoleAtProvider, signInAt } from "./console-at-provider.fixture.ts";

test("a person without a token signs in at the provider and has the roles that both sides give [D10.110]", async () => {
  await using console = await openConsoleAtProvider();
  const visitor = openVisitor();
  const door = await visitor.visit(`${console.origin}/sign-in?next=%2Fdays`);
  expect(door.text).toContain(`href="/sign-in/begin?next=%2Fdays"`);
  expect(door.text).not.toContain(`name="token"`);
  const back = await signInAt(console, visitor, "s-thandi", 2, "/days");
  expect([back.status, back.headers.get("refresh"), back.headers.get("location")]).toEqual([200, "0;url=/days", null]);
  const cookies = back.headers.getSetCookie();
  expect(cookies[0]).toMatch(/^__Host-sluice=[0-9a-f]{64}; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
  expect(cookies[1]).toMatch(/^__Host-sluice-sign-in=; Path=\/; .*Max-Age=0$/);
  const page = await visitor.visit(`${console.origin}/days`);
  expect([page.status, /title="roles: ([^"]*)"/.exec(page.text)?.[1]]).toEqual([200, "read, act"]);
  expect(console.lines.find(({ event }) => event === "session.opened")?.fields).toEqual({ operator: "thandi" });
});

test("roles of the provider narrow a session, so that its decisions are refused", async () => {
  await using console = await openConsoleAtProvider();
  const visitor = openVisitor();
  await signInAt(console, visitor, "s-sipho");
  const page = await visitor.visit(`${console.origin}/`);
  expect(/title="roles: ([^"]*)"/.exec(page.text)?.[1]).toBe("read");
  const decision = await visitor.visit(`${console.origin}/decide/pauseBank?bank=first`);
  const hidden = [...decision.text.matchAll(/<input\s+type="hidden"\s+name="(\w+)"\s+value="([^"]*)"/g)];
  const body = new URLSearchParams([...hidden.map(([, name = "", value = ""]) => [name, value]), ["reason", "because"]]);
  const answer = await visitor.visit(`${console.origin}/decide/pauseBank?bank=first`, { method: "POST", body });
  expect([answer.status, answer.text.includes("This needs the role act")]).toEqual([403, true]);
});

test.each([
  ["with one factor", "s-thandi", 1, "without the second factor", "acr-refused"],
  ["whom nobody here knows", "s-stranger", 2, "No operator here is s-stranger", "person-unknown"],
] as const)(
  "a person %s has no session, learns why, and is in the audit with address and subject",
  async (_, who, factors, text, reason) => {
    await using console = await openConsoleAtProvider();
    const visitor = openVisitor();
    const back = await signInAt(console, visitor, who, factors);
    expect([back.status, back.text.includes(text)]).toEqual([401, true]);
    expect(visitor.jars.get(console.origin)?.size).toBe(0);
    expect((await visitor.visit(`${console.origin}/`)).status).toBe(303);
    await expect
      .poll(() => console.auditEntries())
      .toContainEqual({
        kind: "refused",
        content: expect.objectContaining({ status: 401, operation: "signIn", subject: who, reason, address: "127.0.0.1" }) as unknown,
      });
    expect(await console.metrics.text()).toContain('sluice_failed_log_ins_total{service="console"} 1');
  },
);

test("a sign-in is in the audit with its operator, credential, address and subject", async () => {
  await using console = await openConsoleAtProvider();
  await signInAt(console, openVisitor(), "s-thandi");
  await expect
    .poll(() => console.auditEntries())
    .toContainEqual({
      kind: "sign-in",
      content: {
        caller: "thandi",
        credential: expect.stringMatching(/^sign-in-[0-9a-f]{12}$/) as unknown,
        address: "127.0.0.1",
        subject: "s-thandi",
      },
    });
});

test("an address that the provider sent somebody back to is of no use to another browser, nor a second time", async () => {
  await using console = await openConsoleAtProvider();
  const [victim, thief] = [openVisitor(), openVisitor()];
  const chooser = await victim.follow(`${console.origin}/sign-in/begin`);
  const callback = `${console.origin}/sign-in/callback`;
  const { address } = await victim.follow(`${chooser.address}?person=s-thandi&factors=2`, callback);
  await thief.visit(`${console.origin}/sign-in/begin`);
  expect((await thief.visit(address)).status).toBe(401);
  expect((await victim.visit(address)).status).toBe(200);
  expect((await victim.visit(address)).status).toBe(401);
});

test("a session ends once the configuration no longer has the subject, and changes with the operator's roles", async () => {
  await using console = await openConsoleAtProvider();
  const visitor = openVisitor();
  await signInAt(console, visitor, "s-thandi");
  const [thandi, ...others] = console.configuration.operators;
  console.replaceConfiguration({ ...console.configuration, operators: [{ ...thandi!, roles: ["act", "read"] }, ...others] });
  expect((await visitor.visit(`${console.origin}/`)).status).toBe(200);
  console.replaceConfiguration({ ...console.configuration, operators: [{ ...thandi!, subject: null }, ...others] });
  const answer = await visitor.visit(`${console.origin}/`);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in?next=%2F"]);
});

test("a token is taken by the pages only where the configuration says so, and by the API as ever", async () => {
  await using console = await openConsoleAtProvider();
  const visitor = openVisitor();
  const body = new URLSearchParams({ token: sampleToken("sipho"), next: "/" });
  expect((await visitor.visit(`${console.origin}/sign-in`, { method: "POST", body })).status).toBe(403);
  const headers = { authorization: `Bearer ${sampleToken("sipho")}` };
  expect((await fetch(`${console.origin}/control/v1/me`, { headers })).status).toBe(200);
  const { operatorSignIn } = console.configuration;
  console.replaceConfiguration({ ...console.configuration, operatorSignIn: operatorSignIn && { ...operatorSignIn, takesTokens: true } });
  expect((await visitor.visit(`${console.origin}/sign-in`)).text).toContain(`name="token"`);
  expect((await visitor.visit(`${console.origin}/sign-in`, { method: "POST", body })).status).toBe(303);
});

test("a person who signs out is sent to the provider, so that its own session ends too", async () => {
  await using console = await openConsoleAtProvider();
  const visitor = openVisitor();
  await signInAt(console, visitor, "s-thandi");
  const page = await visitor.visit(`${console.origin}/`);
  const formToken = /name="formToken" value="([0-9a-f]{64})"/.exec(page.text)?.[1] ?? "";
  const out = await visitor.visit(`${console.origin}/sign-out`, { method: "POST", body: new URLSearchParams({ formToken }) });
  const [, location = ""] = /^0;url=(.*)$/.exec(out.headers.get("refresh") ?? "") ?? [];
  expect([out.status, location.startsWith(`${console.provider.issuer}/session/end?`)]).toEqual([200, true]);
  expect((await visitor.visit(`${console.origin}/`)).status).toBe(303);
  expect((await visitor.visit(location)).status).toBe(200);
});

test("who has lost the session here signs in again, and a provider that still knows the browser asks nothing", async () => {
  await using console = await openConsoleAtProvider();
  const visitor = openVisitor();
  await signInAt(console, visitor, "s-thandi");
  visitor.forget(console.origin);
  expect((await visitor.visit(`${console.origin}/days`)).status).toBe(303);
  const back = await signInAt(console, visitor, "s-thandi", 2, "/days");
  expect([back.status, back.headers.get("refresh")]).toEqual([200, "0;url=/days"]);
  expect((await visitor.visit(`${console.origin}/days`)).status).toBe(200);
});

test("a provider that is away is said so, and a console without one has no such way in", async () => {
  await using console = await openConsoleAtProvider();
  await console.provider.close();
  const visitor = openVisitor();
  const away = await visitor.visit(`${console.origin}/sign-in/begin`);
  expect([away.status, away.text.includes("cannot be reached")]).toEqual([503, true]);
  console.replaceConfiguration({ ...console.configuration, operatorSignIn: null, operators: [sampleOperator()] });
  expect((await visitor.visit(`${console.origin}/sign-in/begin`)).status).toBe(404);
  expect((await visitor.visit(`${console.origin}/sign-in/callback`)).status).toBe(404);
  expect((await visitor.visit(`${console.origin}/sign-in`)).text).toContain("Sign in with your operator's token.");
});
