// `./sluice profile add`, `list`, `remove`: names for consoles, for --profile.

import { resolve } from "node:path";
import { Fault } from "@sluice/kernel";
import { column, tableText } from "../../terminal/control-table.ts";
import { addProfile, type Profile, profilesPath, readProfiles, removeProfile } from "../../terminal/profiles.ts";
import { jsonOption, type Verb, type VerbCall } from "../../terminal/verb.ts";

const nameArgument = { placeholder: "NAME", text: "name of the profile, for example prod" } as const;

export const profileAddVerb: Verb = {
  name: "profile add",
  summary: "names a console, so that --profile NAME reaches it; a profile with that name is replaced",
  arguments: [nameArgument],
  options: {
    url: { type: "string", placeholder: "URL", text: "the console, for example https://console.example:8082", isRequired: true },
    "token-file": { type: "string", placeholder: "FILE", text: "file with the operator's token", completes: "files" },
    issuer: { type: "string", placeholder: "URL", text: "the provider at which the operator signs in (./sluice login)" },
    "client-id": { type: "string", placeholder: "ID", text: "what that provider knows the command line as" },
    audience: { type: "string", placeholder: "TEXT", text: "what its access tokens are for: audience of the console's tokenIssuers" },
    "ca-file": { type: "string", placeholder: "FILE", text: "PEM file of the authorities of its certificate", completes: "files" },
    json: jsonOption,
  },
  notes: [
    "It has either a file with a token, or issuer, client and audience.",
    "The profile keeps the names of the files, and never the token. It is used where --profile or SLUICE_PROFILE names it.",
  ],
  examples: [
    "profile add prod --url https://console.example:8082 --issuer https://login.example --client-id sluice-cli --audience https://console.example",
    "profile add prod --url https://console.example:8082 --token-file prod.token",
  ],
  run: (call) => Promise.resolve(runProfileAdd(call, terminal)),
};

/** Where profiles are, and where the answer goes. */
interface Terminal {
  readonly profilesFile: string;
  readonly out: (text: string) => void;
}

const terminal: Terminal = { profilesFile: profilesPath(process.env), out: (text) => void process.stdout.write(`${text}\n`) };

export function runProfileAdd(call: VerbCall, { profilesFile, out }: Terminal): number {
  const [name = ""] = call.positionals;
  const url = URL.parse(call.value("url") ?? "");
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Fault("cli.no-address", "--url: the address of a console (https://host:port)", { isRetryable: false });
  }
  const caFile = call.value("ca-file");
  addProfile(profilesFile, { name, url: url.origin, ...readCredentials(call), caFile: caFile === null ? null : resolve(caFile) });
  const added = { schema: "ProfileAdded", name, url: url.origin };
  out(call.flag("json") ? JSON.stringify(added, null, 2) : `profile ${name} reaches ${url.origin}`);
  return 0;
}

/** Either a file with a token, or a provider. */
function readCredentials(call: VerbCall): Pick<Profile, "tokenFile" | "signIn"> {
  const tokenFile = call.value("token-file");
  const [issuer, clientId, audience] = [call.value("issuer"), call.value("client-id"), call.value("audience")];
  const isProvided = issuer !== null && clientId !== null && audience !== null;
  const isOneGiven = issuer !== null || clientId !== null || audience !== null;
  if (isOneGiven === (tokenFile !== null) || isOneGiven !== isProvided) {
    throw new Fault("cli.wrong-use", "give either --token-file, or --issuer, --client-id and --audience", { isRetryable: false });
  }
  if (tokenFile !== null) return { tokenFile: resolve(tokenFile), signIn: null };
  return { tokenFile: null, signIn: isProvided ? { issuer, clientId, audience } : null };
}

export const profileListVerb: Verb = {
  name: "profile list",
  summary: "the profiles: their consoles, and which files have token and authorities",
  arguments: [],
  options: { json: jsonOption },
  examples: ["profile list"],
  run(call) {
    const profiles = readProfiles(profilesPath(process.env)).map(({ name, url, tokenFile, signIn, caFile }) => ({
      name,
      url,
      tokenFile,
      signsInAt: signIn?.issuer ?? null,
      caFile,
    }));
    const columns = [
      column("NAME", "name"),
      column("CONSOLE", "url"),
      column("TOKEN IN", "tokenFile"),
      column("SIGNS IN AT", "signsInAt"),
      column("AUTHORITIES IN", "caFile"),
    ];
    const text = profiles.length === 0 ? "there is no profile (./sluice profile add)" : tableText(profiles, columns);
    process.stdout.write(`${call.flag("json") ? JSON.stringify({ schema: "Profiles", profiles }, null, 2) : text}\n`);
    return Promise.resolve(0);
  },
};

export const profileRemoveVerb: Verb = {
  name: "profile remove",
  summary: "forgets a profile; its files stay",
  arguments: [nameArgument],
  options: { json: jsonOption },
  examples: ["profile remove prod"],
  run: (call) => Promise.resolve(runProfileRemove(call, terminal)),
};

export function runProfileRemove(call: VerbCall, { profilesFile, out }: Terminal): number {
  const [name = ""] = call.positionals;
  removeProfile(profilesFile, name);
  out(call.flag("json") ? JSON.stringify({ schema: "ProfileRemoved", name }, null, 2) : `profile ${name} is forgotten`);
  return 0;
}
