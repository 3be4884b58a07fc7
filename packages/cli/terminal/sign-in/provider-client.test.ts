// What a command line does with each answer of a provider, over real HTTP, with a clock that only sleeping moves.

import { expect, test } from "vitest";
import { createProofKeyPem } from "./proof-key.ts";
import { providerClient } from "./provider-client.ts";
import { deviceCode, openScriptedProvider, refuseWith, type ScriptedAnswer } from "./scripted-provider.fixture.ts";

const given: ScriptedAnswer = { members: { access_token: "a.b.c", token_type: "DPoP", expires_in: 300, refresh_token: "r" } };
const pending = refuseWith("authorization_pending");

/** A provider whose token endpoint gives these answers in turn, and the last of them from then on. */
async function openPolled(answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]], { expiresInS = 600, intervalS = 5 } = {}) {
  let polls = 0;
  const provider = await openScriptedProvider(({ path }) =>
    path === "/token" ? (answers[Math.min(polls++, answers.length - 1)] ?? given) : deviceCode(provider.issuer, expiresInS, intervalS),
  );
  const client = providerClient(provider.ports, { issuer: provider.issuer, clientId: "c", audience: "urn:a" }, createProofKeyPem());
  const polled = () => provider.calls.filter(({ path }) => path === "/token");
  return {
    client,
    polled,
    /** Seconds of the polls since the code was given. */
    pollsS: () => polled().map(({ atMs }) => atMs / 1_000),
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

test("tokens that are bound to no key are refused, at the sign-in and at a refresh [D10.134]", async () => {
  await using opened = await openPolled([{ members: { access_token: "a.b.c", token_type: "Bearer", expires_in: 300 } }]);
  const said = "the provider binds its access tokens to no key (DPoP)";
  await expect(opened.client.signIn(() => {})).rejects.toThrow(said);
  await expect(opened.client.refresh("r")).rejects.toThrow(said);
});

test("each slow_down makes every later poll five seconds rarer [D10.134]", async () => {
  const slower = refuseWith("slow_down");
  await using opened = await openPolled([pending, slower, pending, slower, pending, given]);
  await opened.client.signIn(() => {});
  expect(opened.pollsS()).toEqual([5, 10, 20, 30, 45, 60]);
});

test("a provider's nonce is in a second proof, and asked for twice it is refused [D10.134]", async () => {
  const nonceWanted = refuseWith("use_dpop_nonce", { "dpop-nonce": "n-1" });
  await using opened = await openPolled([nonceWanted, given, nonceWanted]);
  await opened.client.refresh("r");
  const [first, second] = opened.polled();
  expect([first?.proven["nonce"], second?.proven["nonce"]]).toEqual([undefined, "n-1"]);
  expect([second?.form.get("refresh_token"), second?.proven["jti"] === first?.proven["jti"]]).toEqual(["r", false]);
  await expect(opened.client.refresh("r")).rejects.toThrow("use_dpop_nonce");
});

test("a code ends after half an hour, however long the provider lets it live [D10.134]", async () => {
  await using opened = await openPolled([pending], { expiresInS: 86_400, intervalS: 60 });
  const shown: number[] = [];
  const signingIn = opened.client.signIn(({ expiresInS }) => void shown.push(expiresInS));
  await expect(signingIn).rejects.toThrow("nobody signed in with the code in time (expired_token)");
  expect([shown, opened.pollsS().at(-1)]).toEqual([[1_800], 1_800]);
});

test("a poll without an answer does not end the sign-in: the next is later, and it is said once [D10.134]", async () => {
  const away: ScriptedAnswer = { status: 503, members: {} };
  await using opened = await openPolled([pending, "cut", away, pending, "cut", given]);
  const said: string[] = [];
  const tokens = await opened.client.signIn(
    () => {},
    (text) => void said.push(text),
  );
  expect(tokens.accessToken).toBe("a.b.c");
  expect(opened.pollsS()).toEqual([5, 10, 20, 40, 60, 100]);
  expect(said).toEqual([
    expect.stringMatching(/^the provider does not answer at http:\S+: .+; asked again until the code ends$/),
    expect.stringMatching(/^the provider does not answer/),
  ]);
});

test("a provider that stays away until the code ends is named, and asked once a minute at last [D10.134]", async () => {
  await using opened = await openPolled([pending, { status: 502, members: { error: "server_error" } }]);
  await expect(opened.client.signIn(() => {})).rejects.toMatchObject({
    code: "cli.provider-away",
    message: expect.stringMatching(/^the provider does not answer at http:\S+: it answers 502$/) as unknown,
  });
  const times = opened.pollsS();
  expect(times.slice(0, 6)).toEqual([5, 10, 20, 40, 80, 140]);
  expect([times.at(-1), times.length]).toEqual([600, 14]);
});
