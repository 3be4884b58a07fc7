// `./sluice profile add`, `list`, `remove`: names for consoles, for --profile.

import { resolve } from "node:path";
import { Fault } from "@sluice/kernel";
import { column, tableText } from "../../terminal/control-table.ts";
import { addProfile, profilesPath, readProfiles, removeProfile } from "../../terminal/profiles.ts";
import { jsonOption, type Verb } from "../../terminal/verb.ts";

const nameArgument = { placeholder: "NAME", text: "name of the profile, for example prod" } as const;

export const profileAddVerb: Verb = {
  name: "profile add",
  summary: "names a console, so that --profile NAME reaches it; a profile with that name is replaced",
  arguments: [nameArgument],
  options: {
    url: { type: "string", placeholder: "URL", text: "the console, for example https://console.example:8082", isRequired: true },
    "token-file": { type: "string", placeholder: "FILE", text: "file with the operator's token", isRequired: true, completes: "files" },
    "ca-file": { type: "string", placeholder: "FILE", text: "PEM file of the authorities of its certificate", completes: "files" },
  },
  notes: ["The profile keeps the names of the files, and never the token. It is used where --profile or SLUICE_PROFILE names it."],
  examples: ["profile add prod --url https://console.example:8082 --token-file prod.token"],
  run(call) {
    const [name = ""] = call.positionals;
    const url = URL.parse(call.value("url") ?? "");
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new Fault("cli.no-address", "--url: the address of a console (https://host:port)", { isRetryable: false });
    }
    const caFile = call.value("ca-file");
    addProfile(profilesPath(process.env), {
      name,
      url: url.origin,
      tokenFile: resolve(call.value("token-file") ?? ""),
      caFile: caFile === null ? null : resolve(caFile),
    });
    process.stdout.write(`profile ${name} reaches ${url.origin}\n`);
    return Promise.resolve(0);
  },
};

export const profileListVerb: Verb = {
  name: "profile list",
  summary: "the profiles: their consoles, and which files have token and authorities",
  arguments: [],
  options: { json: jsonOption },
  examples: ["profile list"],
  run(call) {
    const profiles = readProfiles(profilesPath(process.env)).map(({ name, url, tokenFile, caFile }) => ({ name, url, tokenFile, caFile }));
    const columns = [column("NAME", "name"), column("CONSOLE", "url"), column("TOKEN IN", "tokenFile"), column("AUTHORITIES IN", "caFile")];
    const text = profiles.length === 0 ? "there is no profile (./sluice profile add)" : tableText(profiles, columns);
    process.stdout.write(`${call.flag("json") ? JSON.stringify({ schema: "Profiles", profiles }, null, 2) : text}\n`);
    return Promise.resolve(0);
  },
};

export const profileRemoveVerb: Verb = {
  name: "profile remove",
  summary: "forgets a profile; its files stay",
  arguments: [nameArgument],
  options: {},
  examples: ["profile remove prod"],
  run({ positionals: [name = ""] }) {
    removeProfile(profilesPath(process.env), name);
    process.stdout.write(`profile ${name} is forgotten\n`);
    return Promise.resolve(0);
  },
};
