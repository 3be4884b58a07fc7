// `./sluice login` and `logout`: signs the person of a profile in at the operators' provider, and forgets it again.

import { Fault, machineTime, sleep } from "@sluice/kernel";
import { forgetSignIn, keptSignInPath, writeSignIn } from "../../terminal/sign-in/kept-sign-in.ts";
import { createProofKeyPem } from "../../terminal/sign-in/proof-key.ts";
import { providerClient, type ProviderClientPorts } from "../../terminal/sign-in/provider-client.ts";
import { controlTerminal, trustAuthorities, type ControlTerminal } from "../../terminal/control-client.ts";
import { requireProfile, type Profile } from "../../terminal/profiles.ts";
import { jsonOption, type Verb, type VerbCall } from "../../terminal/verb.ts";

const profileArgument = { placeholder: "PROFILE", text: "a profile with a provider (./sluice profile add --issuer)" } as const;

export const loginVerb: Verb = {
  name: "login",
  summary: "signs a person in at the operators' provider: a browser anywhere takes a code, and this terminal has the tokens",
  arguments: [profileArgument],
  options: { json: jsonOption },
  notes: [
    "The tokens are short-lived, bound to a key of this sign-in, and refreshed before use. They are in a file beside the profiles.",
    "Enter only a code that you have asked for yourself.",
  ],
  examples: ["login prod"],
  run: (call) => runLogin(call, controlTerminal),
};

export const logoutVerb: Verb = {
  name: "logout",
  summary: "forgets the tokens of a profile, and revokes them where the provider can",
  arguments: [profileArgument],
  options: { json: jsonOption },
  examples: ["logout prod"],
  run: (call) => runLogout(call, controlTerminal),
};

type Terminal = Pick<ControlTerminal, "out" | "fetch" | "profilesFile"> & { readonly say?: (text: string) => void } & Partial<
    Pick<ProviderClientPorts, "sleep" | "nowMs">
  >;

export async function runLogin(call: VerbCall, where: Terminal): Promise<number> {
  const { profile, settings, path } = requireProvider(call, where);
  const keyPem = createProofKeyPem();
  const say = where.say ?? ((text: string) => void process.stderr.write(`${text}\n`));
  const tokens = await providerClient(toPorts(where), settings, keyPem).signIn(({ verificationUri, userCode, expiresInS }) => {
    say(`Open ${verificationUri} in any browser, and enter the code ${userCode} within ${Math.floor(expiresInS / 60)} minutes.`);
  }, say);
  writeSignIn(path, { ...tokens, issuer: settings.issuer, keyPem });
  const ends = new Date(tokens.expiresAtMs).toISOString();
  const isRefreshed = tokens.refreshToken !== null;
  const text = `profile ${profile.name} is signed in; its token ends at ${ends}${isRefreshed ? ", and is refreshed before" : ""}`;
  where.out(
    call.flag("json") ? JSON.stringify({ schema: "SignedIn", profile: profile.name, expiresAt: ends, isRefreshed }, null, 2) : text,
  );
  return 0;
}

export async function runLogout(call: VerbCall, where: Terminal): Promise<number> {
  const { profile, settings, path } = requireProvider(call, where);
  const ports = toPorts(where);
  const forgotten = await forgetSignIn(path, ports, (kept) => providerClient(ports, settings, kept.keyPem).revoke(kept));
  const [wasSignedIn, isRevoked] = [forgotten !== null, forgotten?.isRevoked ?? false];
  const text = !wasSignedIn ? "nobody was signed in" : isRevoked ? "its tokens are revoked" : "its tokens count until their end";
  where.out(
    call.flag("json")
      ? JSON.stringify({ schema: "SignedOut", profile: profile.name, wasSignedIn, isRevoked }, null, 2)
      : `profile ${profile.name} is signed out; ${text}`,
  );
  return 0;
}

function requireProvider({ positionals: [name = ""] }: VerbCall, { profilesFile = "" }: Terminal) {
  const profile: Profile = requireProfile(profilesFile, name);
  if (profile.signIn === null) {
    const text = `profile ${name} has a token file and no provider: ./sluice profile add ${name} --issuer, --client-id, --audience`;
    throw new Fault("cli.no-provider", text, { isRetryable: false });
  }
  if (profile.caFile !== null) trustAuthorities(profile.caFile);
  return { profile, settings: profile.signIn, path: keptSignInPath(profilesFile, name) };
}

function toPorts({ fetch, nowMs, sleep: wait }: Terminal): ProviderClientPorts {
  return { fetch, nowMs: nowMs ?? (() => machineTime.nowMs()), sleep: wait ?? ((ms) => sleep(machineTime, ms)) };
}
