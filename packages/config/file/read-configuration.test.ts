import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  type Configuration,
  findScheme,
  hashConfiguration,
  leaveOutSecrets,
  listParties,
  readConfiguration,
  readConfigurationFile,
  southAfrica,
  southAfricaEveryDay,
} from "../index.ts";
import type { FileVariables } from "./variables.ts";

const sample = readFileSync(new URL("../sluice.sample.yaml", import.meta.url), "utf8");
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
/** What the configuration has of a token without an end. */
const heldToken = (text: string) => ({ id: hash(text).slice(0, 12), sha256: hash(text), notAfterMs: null });
const environment = {
  FIRST_BANK_TOKEN_SHA256: hash("first"),
  FIRST_BANK_NEXT_TOKEN_SHA256: hash("first-next").toUpperCase(),
  PAYMENTS_AUTHORITY_SHA256: hash("authority"),
  FIRST_BANK_URL: "https://first.example/sluice/",
  FIRST_BANK_DEBITS_URL: "https://debits.first.example/in",
  FIRST_BANK_BEARER_TOKEN: "the-secret",
  SECOND_BANK_TOKEN_SHA256: hash("second").toUpperCase(),
  SECOND_BANK_URL: "https://second.example:8080",
  CLEARING_TOKEN_SHA256: hash("clearing"),
  CLEARING_URL: "https://clearing.example/",
  FIRST_BANK_SIGNING_SECRET: `whsec_${Buffer.alloc(32, "k").toString("base64")}`,
  THANDI_TOKEN_SHA256: hash("thandi"),
};

const smallest = `
banks:
  - { id: only, name: Only, agents: [{ memberId: "1" }], tokenSha256: ["${hash("only")}"], baseUrl: "https://only.example" }
`;

function read(text: string, given: FileVariables = environment): Configuration {
  const reading = readConfiguration(text, given);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.configuration;
}

function findProblems(text: string, given: FileVariables = environment): readonly string[] {
  const reading = readConfiguration(text, given);
  return reading.ok ? [] : reading.problems.map(({ path, text }) => `${path}: ${text}`);
}

/** The sample with one text replaced. */
function spoilt(from: string, to: string): string {
  expect(sample).toContain(from);
  return sample.replace(from, to);
}

test("the sample file is read completely, with addresses and secrets from the environment [D9.45] [D10.1] [D10.10]", () => {
  const configuration = read(sample);
  expect(configuration).toMatchObject({ version: "sample-1", cdv: { refuseOn: "high" }, rulesFolder: null });
  expect(configuration.banks[0]).toEqual({
    id: "first",
    name: "First Bank",
    agents: [{ memberId: "250655", bicfi: "FIRNZAJJ", branchRanges: [["250000", "259999"]] }],
    tokens: [heldToken("first"), { id: "first-2027", sha256: hash("first-next"), notAfterMs: Date.UTC(2027, 5, 30, 22) }],
    certificates: [
      { kind: "sha256", sha256: "0d6be69b264717f2dd33652e212b173104b4a647b7c11ae72e9885f11cd312fb" },
      { kind: "uri", name: "spiffe://first.example/payments", authoritySha256: hash("authority") },
    ],
    clients: [{ issuer: "https://login.first.example", clientId: "payments" }],
    requestsPerSecond: 500,
    inboundConnections: 64,
    baseUrl: "https://first.example/sluice",
    operationUrls: { inboundDirectDebit: "https://debits.first.example/in" },
    eventsUrl: "https://first.example/sluice",
    bearerToken: "the-secret",
    answerTimeoutMs: 5_000,
    acknowledgeCodes: [],
    duplicateCodes: [409],
    maxUnacknowledged: 256,
    connections: 16,
    concurrency: "learnt",
    allowedAddresses: ["10.20.0.0/16", "fd12:3456::/32"],
    caFile: "/etc/sluice/first/ca.pem",
    clientCertificate: { certificateFile: "/etc/sluice/first/client.pem", keyFile: "/etc/sluice/first/client-key.pem" },
    bearerTokenFile: null,
    accessToken: null,
    signingKeys: [
      { kind: "symmetric", secret: environment.FIRST_BANK_SIGNING_SECRET, secretFile: null },
      { kind: "ed25519", secret: null, secretFile: "/etc/sluice/first/signing-ed25519" },
    ],
    messageSignatures: {
      keys: [
        {
          id: "first-2026",
          publicKey: "MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=",
          notAfterMs: Date.UTC(2027, 5, 30, 22),
        },
      ],
      deliveries: { keyFile: "/etc/sluice/first/deliveries.pem", keyId: "sluice-2026" },
      receipts: { keyFile: "/etc/sluice/first/receipts.pem", keyId: null },
    },
    egressProxy: "http://egress.example:3128",
    egressProxyCredentialsFile: "/etc/sluice/first/egress-proxy",
    eventDeadlineMs: 259_200_000,
    eventShape: "full",
    eventClasses: ["TRANSACTION_STATE", "ESM_STATE"],
    eventPayload: "full",
    onUsOutcomeReport: false,
    onNonWorkingDay: "refuse",
    isBlocked: false,
    blockedAccounts: [{ branch: "250655", account: "62009876543" }],
    itemLimits: [{ scheme: "ZA_EFT", currency: "ZAR", amountTenThousandths: 10_000_000_000n }],
    dayTotalAlarms: [{ scheme: "ZA_EFT", currency: "ZAR", amountTenThousandths: 2_500_000_000_000n }],
  });
  expect(configuration.operators).toEqual([
    {
      id: "thandi",
      name: "Thandi",
      person: "thandi",
      tokens: [heldToken("thandi")],
      certificates: null,
      roles: ["read", "act"],
      subject: null,
      bank: null,
      schemes: null,
    },
    {
      id: "sipho",
      name: "Sipho",
      person: "sipho",
      tokens: [],
      certificates: null,
      roles: ["read", "approve"],
      subject: "7d0f8a52",
      bank: null,
      schemes: null,
    },
  ]);
  expect(configuration.connectors).toEqual([
    {
      id: "clearing",
      name: "Clearing House",
      schemes: ["ZA_EFT", "ZA_RTC"],
      tokens: [heldToken("clearing")],
      certificates: null,
      clients: [],
      requestsPerSecond: 500,
      inboundConnections: 64,
      baseUrl: "https://clearing.example",
      operationUrls: {},
      bearerToken: null,
      answerTimeoutMs: 5_000,
      acknowledgeCodes: [],
      duplicateCodes: [409],
      connections: 16,
      concurrency: "learnt",
      allowedAddresses: [],
      caFile: null,
      clientCertificate: null,
      bearerTokenFile: "/etc/sluice/clearing/token",
      accessToken: null,
      signingKeys: [],
      messageSignatures: null,
      egressProxy: null,
      egressProxyCredentialsFile: null,
    },
  ]);
  expect(listParties(configuration).map(({ id }) => id)).toEqual(["first", "second", "clearing"]);
});

test("the defaults in the sample's comments are the real defaults [D9.45] [D10.10] [D10.11]", () => {
  const { banks, schemes } = read(sample);
  const [first, second] = banks;
  const own = ["id", "name", "agents", "tokens", "baseUrl", "operationUrls", "eventsUrl", "bearerToken"];
  const credentials = [
    "accessToken",
    "certificates",
    "clients",
    "allowedAddresses",
    "caFile",
    "clientCertificate",
    "signingKeys",
    "messageSignatures",
    "egressProxy",
    "egressProxyCredentialsFile",
  ];
  const chosen = ["eventClasses", "blockedAccounts", "itemLimits", "dayTotalAlarms", ...credentials];
  const shared = (bank: object): object => Object.fromEntries(Object.entries(bank).filter(([key]) => ![...own, ...chosen].includes(key)));
  expect(shared(second!)).toEqual(shared(first!));
  expect(second).toMatchObject({
    operationUrls: {},
    eventsUrl: null,
    bearerToken: null,
    tokens: [heldToken("second")],
    certificates: null,
  });
  expect(second).toMatchObject({ allowedAddresses: [], caFile: null, clientCertificate: null, signingKeys: [], egressProxy: null });
  expect(second).toMatchObject({ eventClasses: ["TRANSACTION_STATE"], blockedAccounts: [], itemLimits: [], dayTotalAlarms: [] });
  expect(read(smallest)).toMatchObject({ connectors: [], operators: [], partitionCount: 12 });
  expect(read(smallest).schemes).toEqual([{ ...schemes[0], creditsFinal: "clock", itemLimits: [] }]);
});

test("a file without schemes has ZA_EFT, 08:00 to 16:00, reconciliation 17:30, cut-off 15 min, South Africa's calendar [D9 processing-window]", () => {
  const configuration = read(smallest, {});
  expect(findScheme(configuration, "ZA_EFT")).toEqual({
    id: "ZA_EFT",
    currencies: ["ZAR"],
    takesDebits: true,
    creditsFinal: "clock",
    creditDeadlineMs: 7_200_000,
    accountRule: "za-cdv",
    itemLimits: [],
    onMissedWindow: "reconcile",
    carryOversMax: 1,
    times: { calendar: southAfrica, processing: [{ opens: "08:00", closes: "16:00" }], reconciliation: "17:30", cutOffMs: 900_000 },
  });
  expect(findScheme(configuration, "ZA_RTC")).toBeUndefined();
  expect(configuration.version).toBe(hash(smallest).slice(0, 12));
});

test("ZA_RTC and ZA_RPP accept credits every day, and no debits", () => {
  const schemes = read(`schemes: [{}, { id: ZA_RTC }, { id: ZA_RPP, creditDeadline: 30s }]\n${smallest}`).schemes;
  expect(schemes.map(({ id, takesDebits }) => `${id} ${takesDebits}`)).toEqual(["ZA_EFT true", "ZA_RTC false", "ZA_RPP false"]);
  expect(schemes.map(({ times }) => times.calendar)).toEqual([southAfrica, southAfricaEveryDay, southAfricaEveryDay]);
  expect(schemes.map(({ creditDeadlineMs }) => creditDeadlineMs)).toEqual([7_200_000, 7_200_000, 30_000]);
});

test("credits are declared final by the side that the file names, else by a connector of the scheme, else by the clock", () => {
  const declaring = (text: string): readonly string[] => read(text).schemes.map(({ creditsFinal }) => creditsFinal);
  expect(declaring(sample)).toEqual(["connector", "connector"]);
  expect(declaring(spoilt("    creditsFinal: connector\n", ""))).toEqual(["connector", "connector"]);
  expect(declaring(spoilt("creditsFinal: connector", "creditsFinal: bank"))).toEqual(["bank", "connector"]);
  expect(declaring(spoilt("schemes: [ZA_EFT, ZA_RTC]", "schemes: [ZA_RTC]").replace("    creditsFinal: connector\n", ""))).toEqual([
    "clock",
    "connector",
  ]);
});

test("amounts of limits are exact to four decimals, and YAML numbers are refused", () => {
  const limit = (text: string) => read(spoilt('"5000000.00"', text)).schemes[0]!.itemLimits;
  expect(limit('"90071992547409.9301"')).toEqual([{ scheme: "ZA_EFT", currency: "ZAR", amountTenThousandths: 900_719_925_474_099_301n }]);
  expect(limit('"7"')).toEqual([{ scheme: "ZA_EFT", currency: "ZAR", amountTenThousandths: 70_000n }]);
  for (const wrong of ["5000.00", '"1.23456"', '"-1"', '"1e3"', '""', '"123456789012345"']) {
    expect(findProblems(spoilt('"5000000.00"', wrong))).toEqual([
      'schemes[0].itemLimits[0].amount: an amount in quotes, for example "25000.00"',
    ]);
  }
});

test("all problems are reported at once, each with its path", () => {
  const text = `
version: ""
colour: blue
calendars:
  odd: { version: "1", zone: Mars/Olympus, workingDays: [8], holidays: ["2026-02-30"] }
schemes:
  - { calendar: odd, processing: [{ opens: "8:00", closes: "16:00" }], cutOff: soon }
  - { id: ZA_XXX, itemLimits: [{ currency: zar, amount: 5 }], creditDeadline: 5s, creditsFinal: nobody, accountRule: guess }
connectors:
  - { id: clearing, name: C, schemes: [ZA_XXX], tokenSha256: ["\${NO_HASH}"], baseUrl: "\${NO_URL}", eventsUrl: "\${NO_URL}" }
rulesFolder: ""
banks:
  - { id: First!, name: "", agents: [], tokenSha256: [abc], baseUrl: ftp://x, answerTimeout: 31s, colour: 1,
      requestsPerSecond: 0, inboundConnections: 5000, eventClasses: [ESM_STATE], eventPayload: half, onUsOutcomeReport: perhaps,
      blockedAccounts: [{ branch: 250655, account: "" }], itemLimits: [{ scheme: ZA, currency: ZAR, amount: "1" }] }
  - { id: second, name: S, agents: [{ branchRanges: [[051001, 051002]] }], tokenSha256: ["\${NO_HASH}"], baseUrl: "\${NO_URL}" }
cdv: { refuseOn: low }
`;
  const paths = findProblems(text, {}).map((line) => line.slice(0, line.indexOf(":")));
  expect(paths.toSorted()).toEqual(
    [
      "version",
      "colour",
      "calendars.odd.zone",
      "calendars.odd.workingDays[0]",
      "calendars.odd.holidays[0]",
      "schemes[0].processing[0].opens",
      "schemes[0].cutOff",
      "schemes[1].id",
      "schemes[1].itemLimits[0].currency",
      "schemes[1].itemLimits[0].amount",
      "schemes[1].creditDeadline",
      "schemes[1].creditsFinal",
      "schemes[1].accountRule",
      "connectors[0].schemes[0]",
      "connectors[0].tokenSha256[0]",
      "connectors[0].baseUrl",
      "connectors[0].eventsUrl",
      "connectors[0].eventsUrl",
      "rulesFolder",
      "banks[0].requestsPerSecond",
      "banks[0].inboundConnections",
      "banks[0].eventClasses",
      "banks[0].eventPayload",
      "banks[0].onUsOutcomeReport",
      "banks[0].blockedAccounts[0].branch",
      "banks[0].blockedAccounts[0].account",
      "banks[0].itemLimits[0].scheme",
      "banks[0].id",
      "banks[0].name",
      "banks[0].agents",
      "banks[0].tokenSha256[0]",
      "banks[0].baseUrl",
      "banks[0].answerTimeout",
      "banks[0].colour",
      "banks[1].agents[0].branchRanges[0][0]",
      "banks[1].agents[0].branchRanges[0][1]",
      "banks[1].tokenSha256[0]",
      "banks[1].baseUrl",
      "cdv.refuseOn",
    ].sort(),
  );
});

test("a missing, empty or misnamed variable is a problem at its path", () => {
  const { FIRST_BANK_URL: _, ...without } = environment;
  expect(findProblems(sample, without)).toEqual([
    "banks[0].baseUrl: the environment has no FIRST_BANK_URL",
    "banks[0].eventsUrl: the environment has no FIRST_BANK_URL",
  ]);
  expect(findProblems(sample, { ...environment, SECOND_BANK_URL: "" })).toEqual([
    "banks[1].baseUrl: the environment has no SECOND_BANK_URL",
  ]);
  expect(findProblems(spoilt("${SECOND_BANK_URL}", "${second-url}"))).toEqual([
    "banks[1].baseUrl: not the name of a variable: capitals, digits and _",
  ]);
});

test("the time-out for an answer may be 1 s to 30 s [D3 time-out]", () => {
  const waits = (text: string): number => read(spoilt("answerTimeout: 5s", `answerTimeout: ${text}`)).banks[0]!.answerTimeoutMs;
  expect([waits("1s"), waits("30s")]).toEqual([1_000, 30_000]);
  for (const wrong of ["999ms", "30001ms"]) {
    expect(findProblems(spoilt("answerTimeout: 5s", `answerTimeout: ${wrong}`))).toEqual(["banks[0].answerTimeout: from 1s to 30s"]);
  }
});

test("only another 2xx may be configured to acknowledge besides 202; by default none does [D3 acknowledge-codes]", () => {
  const codes = (text: string): readonly number[] =>
    read(spoilt("acknowledgeCodes: []", `acknowledgeCodes: ${text}`)).banks[0]!.acknowledgeCodes;
  expect([codes("[200, 204]"), read(smallest).banks[0]!.acknowledgeCodes]).toEqual([[200, 204], []]);
  for (const wrong of ["[199]", "[300]", "[409]"]) {
    const problems = findProblems(spoilt("acknowledgeCodes: []", `acknowledgeCodes: ${wrong}`));
    expect(problems.map((line) => line.split(":")[0])).toEqual(["banks[0].acknowledgeCodes[0]"]);
  }
});

test("by default only rules of high confidence refuse, and a BIC may begin with digits [D6 za-cdv]", () => {
  expect(read(smallest).cdv).toEqual({ refuseOn: "high" });
  expect(read(spoilt("bicfi: FIRNZAJJ", "bicfi: F1RNZAJJ")).banks[0]!.agents[0]!.bicfi).toBe("F1RNZAJJ");
});

test("a secret in the file is refused, and no problem's text contains one", () => {
  expect(findProblems(spoilt("${FIRST_BANK_BEARER_TOKEN}", "written-here"))).toEqual([
    "banks[0].bearerToken: a secret must not be in the file: name a variable of the environment, ${NAME}",
  ]);
  const secrets = {
    ...environment,
    FIRST_BANK_BEARER_TOKEN: "s".repeat(2_000),
    FIRST_BANK_URL: "no address s3cret",
    FIRST_BANK_TOKEN_SHA256: "s3cret",
  };
  const problems = findProblems(sample, secrets);
  expect(problems.map((line) => line.split(":")[0])).toEqual([
    "banks[0].tokenSha256[0]",
    "banks[0].baseUrl",
    "banks[0].bearerToken",
    "banks[0].eventsUrl",
  ]);
  expect(problems.join()).not.toMatch(/s3cret|ssss/);
  expect(findProblems('a: "s3cret\nb: [').join()).not.toContain("s3cret");
});

function secretsOf({ banks }: Configuration): string {
  return JSON.stringify(banks.map(({ bearerToken, signingKeys }) => ({ bearerToken, signingKeys })));
}

test("a process that calls no bank needs no variable of a secret, takes none that is there, and needs all others", () => {
  const { FIRST_BANK_BEARER_TOKEN: _, FIRST_BANK_SIGNING_SECRET: __, ...others } = environment;
  expect(findProblems(sample, others).map((line) => line.split(":")[0])).toEqual([
    "banks[0].bearerToken",
    "banks[0].signingKeys[0].secret",
  ]);
  expect(findProblems(sample, leaveOutSecrets(others))).toEqual([]);
  const configuration = read(sample, leaveOutSecrets(environment));
  expect(secretsOf(read(sample))).toMatch(/the-secret.*whsec_/);
  expect(secretsOf(configuration)).not.toMatch(/the-secret|whsec_/);
  expect(hashConfiguration(configuration)).toBe(hashConfiguration(read(sample)));
  const { FIRST_BANK_URL: ___, ...withoutAddress } = environment;
  expect(findProblems(sample, leaveOutSecrets(withoutAddress))).not.toEqual([]);
});

test("a secret in the file is refused also by a process that calls no bank", () => {
  expect(findProblems(spoilt("${FIRST_BANK_BEARER_TOKEN}", "written-here"), leaveOutSecrets(environment))).toEqual([
    "banks[0].bearerToken: a secret must not be in the file: name a variable of the environment, ${NAME}",
  ]);
});

test.each([
  ["", "the file is empty"],
  ["# nothing but a comment\n", "the file is empty"],
  ["banks", "the file has no members"],
  ["- banks", "the file has no members"],
])("a file with %j is reported in words", (text, said) => {
  expect(findProblems(text)).toEqual([expect.stringContaining(said)]);
});

test("a file that is not YAML is reported with line and column", () => {
  expect(findProblems("banks: [\n  {id: 1")[0]).toMatch(/^: not YAML: [A-Z_]+ at line \d+, column \d+$/);
  expect(findProblems("banks: 1\nbanks: 2")[0]).toMatch(/DUPLICATE_KEY at line 2, column 1$/);
  expect(findProblems('banks:\n  - { id: a, "id": b }\n  - { id: c }\ncdv: { id: d, x: 1, x: 2, x: 3 }')).toEqual([
    ": not YAML: DUPLICATE_KEY at line 2, column 14",
    ": not YAML: DUPLICATE_KEY at line 4, column 21",
    ": not YAML: DUPLICATE_KEY at line 4, column 27",
  ]);
  expect(findProblems(`x: "${"y".repeat(1_048_577)}"`)).toEqual([": longer than 1048576 characters"]);
});

test("a scheme's calendar must exist; its times must be in order and the cut-off inside the last window", () => {
  expect(findProblems(spoilt("calendar: za", "calendar: mars"))).toEqual(["schemes[0].calendar: no such calendar"]);
  expect(findProblems(spoilt('closes: "16:00"', 'closes: "08:00"'))).toContain("schemes[0].processing[0].closes: not after it opens");
  expect(findProblems(spoilt('reconciliation: "17:30"', 'reconciliation: "16:00"'))).toEqual([
    "schemes[0].reconciliation: not after the last window closes",
  ]);
  expect(findProblems(spoilt("cutOff: 15m", "cutOff: 481m"))).toEqual(["schemes[0].cutOff: longer than the last window"]);
  const second = '- { opens: "08:00", closes: "16:00" }\n      - { opens: "15:59", closes: "16:30" }';
  expect(findProblems(spoilt('- { opens: "08:00", closes: "16:00" }', second))).toEqual([
    "schemes[0].processing[1].opens: before the window before it closes",
  ]);
  const night = read(spoilt('closes: "16:00"', 'closes: "+1d 02:00"').replace('"17:30"', '"+1d 03:00:30"')).schemes[0]!;
  expect(night.times.reconciliation).toBe("+1d 03:00:30");
  expect(read(spoilt("calendar: za", "calendar: round-the-clock")).schemes[0]!.times.calendar.zone).toBe("+05:00");
});

test("two banks share no branch, no name of an agent, no token and no id", () => {
  expect(findProblems(spoilt('["632000", "632999"]', '["259999", "260001"]'))).toEqual([
    "banks[1].agents[0].branchRanges[0]: overlaps a branch range of bank first",
  ]);
  expect(findProblems(spoilt('["632000", "632999"]', '["200000", "299999"]'))).toEqual([
    "banks[0].agents[0].branchRanges[0]: overlaps a branch range of bank second",
  ]);
  expect(findProblems(spoilt('["632000", "632999"]', '["632999", "632000"]'))).toEqual([
    "banks[1].agents[0].branchRanges[0]: ends before it begins",
  ]);
  expect(findProblems(spoilt('"632005"', '"250655"'))).toEqual(["banks[1].agents[0].memberId: another bank has this memberId"]);
  expect(findProblems(sample, { ...environment, SECOND_BANK_TOKEN_SHA256: hash("first").toUpperCase() })).toEqual([
    "banks[1].tokenSha256[0]: the same token twice",
  ]);
  expect(findProblems(spoilt("id: second", "id: first"))).toContain("banks[1].id: another bank, connector or operator has this id");
});

test("a token with an end has an id of its own, an end with its offset, and is no other token; a caller has at least one [D10.87]", () => {
  const given = `id: first-2027, sha256: "\${FIRST_BANK_NEXT_TOKEN_SHA256}", notAfter: "2027-06-30T22:00:00Z"`;
  const at = "banks[0].tokens[0]";
  const instant = "an instant with its offset, such as 2027-06-30T22:00:00Z";
  const cases: readonly (readonly [string, readonly string[]])[] = [
    [given.replace("22:00:00Z", "22:00:00"), [`${at}.notAfter: ${instant}`]],
    [given.replace("2027-06-30", "2027-06-31"), [`${at}.notAfter: ${instant}`]],
    [given.replace("first-2027", "First"), [`${at}.id: 1 to 32 of a-z, 0-9 and -`]],
    [given.replace("first-2027", hash("second").slice(0, 12)), ["banks[1].tokenSha256[0]: another token has this id"]],
    [given.replace("NEXT_", ""), [`${at}: the same token twice`]],
    [`${given}, until: never`, [`${at}.until: unknown member`]],
  ];
  for (const [changed, problems] of cases) expect(findProblems(spoilt(given, changed))).toEqual(problems);
  const none = smallest.replace(/tokenSha256: \[[^\]]*\]/, "tokens: []");
  expect(findProblems(none)).toEqual(["banks[0].tokens: at least one, here or in tokenSha256"]);
});

test("a bank and a connector share no id and no token, nor do two connectors", () => {
  expect(findProblems(spoilt("id: clearing", "id: second"))).toEqual(["connectors[0].id: another bank, connector or operator has this id"]);
  expect(findProblems(sample, { ...environment, CLEARING_TOKEN_SHA256: hash("first") })).toEqual([
    "connectors[0].tokenSha256[0]: the same token twice",
  ]);
  const another = `
  - { id: clearing, name: Other, schemes: [ZA_RTC], tokenSha256: ["${hash("clearing")}"], baseUrl: "https://other.example" }
`;
  expect(findProblems(spoilt("# People who use the console", `${another}# People who use the console`))).toEqual([
    "connectors[1].id: another bank, connector or operator has this id",
    "connectors[1].tokenSha256[0]: the same token twice",
  ]);
});

test("credits that a connector declares final need a connector for the scheme", () => {
  expect(findProblems(spoilt("schemes: [ZA_EFT, ZA_RTC]", "schemes: [ZA_RTC]"))).toEqual([
    "schemes[0].creditsFinal: no connector for this scheme",
  ]);
});

test("limits and connectors must name schemes of the file; a scheme with a problem causes no second one", () => {
  expect(findProblems(spoilt("scheme: ZA_EFT", "scheme: ZA_RPP"))).toEqual(["banks[0].itemLimits[0].scheme: no such scheme"]);
  expect(findProblems(spoilt("schemes: [ZA_EFT, ZA_RTC]", "schemes: [ZA_EFT, ZA_RPP]"))).toEqual([
    "connectors[0].schemes[1]: no such scheme",
  ]);
  expect(findProblems(spoilt("  - id: ZA_RTC", "  - id: ZA_RTC\n    cutOff: soon"))).toEqual([
    "schemes[1].cutOff: a duration such as 1s, 15m or 72h",
  ]);
  expect(findProblems(spoilt("baseUrl: ${CLEARING_URL}", "baseUrl: nowhere"))).toHaveLength(1);
});

test("a scheme or a bank has at most one limit for a currency", () => {
  const twice = '- { currency: ZAR, amount: "1" }\n      - { currency: ZAR, amount: "2" }';
  expect(findProblems(spoilt('- { currency: ZAR, amount: "5000000.00" }', twice))).toEqual([
    "schemes[0].itemLimits[1]: a second limit of this scheme and currency",
  ]);
  const ofBank = '- { scheme: ZA_EFT, currency: ZAR, amount: "1000000.00" }';
  expect(findProblems(spoilt(ofBank, `${ofBank}\n      ${ofBank}`))).toEqual([
    "banks[0].itemLimits[1]: a second limit of this scheme and currency",
  ]);
});

test("account numbers are checked by za-cdv in ZA_EFT alone, unless a scheme names a rule [D6 za-cdv]", () => {
  const { schemes } = read(`schemes: [{}, { id: ZA_RTC }, { id: ZA_RPP, accountRule: za-cdv }]\n${smallest}`);
  expect(schemes.map(({ id, accountRule }) => `${id} ${accountRule}`)).toEqual(["ZA_EFT za-cdv", "ZA_RTC none", "ZA_RPP za-cdv"]);
});

test("uk-modulus needs the folder of its imported tables", () => {
  const uk = spoilt("accountRule: za-cdv", "accountRule: uk-modulus");
  expect(findProblems(uk)).toEqual(["schemes[0].accountRule: needs rulesFolder: its tables are imported"]);
  const configured = read(uk.replace("# rulesFolder: rules", "rulesFolder: rules"));
  expect([configured.schemes[0]!.accountRule, configured.rulesFolder]).toEqual(["uk-modulus", "rules"]);
});

test("an unreadable or wrong file ends the start with a Fault that names all problems", () => {
  const file = fileURLToPath(new URL("../sluice.sample.yaml", import.meta.url));
  expect(readConfigurationFile(file, environment)).toEqual(read(sample));
  const twoMissing = () => readConfigurationFile(file, { ...environment, FIRST_BANK_URL: "" });
  expect(twoMissing).toThrow(expect.objectContaining({ code: "config.invalid", isRetryable: false }));
  expect(twoMissing).toThrow(/banks\[0\]\.baseUrl: .*; banks\[0\]\.eventsUrl: /);
  expect(() => readConfigurationFile(`${file}.gone`, {})).toThrow(expect.objectContaining({ code: "config.unreadable" }));
});

test("operators have at least one role, and share no id and no token with anybody", () => {
  const roles = (text: string) => read(spoilt("roles: [read, act]", `roles: ${text}`)).operators[0]!.roles;
  expect(roles("[approve]")).toEqual(["approve"]);
  for (const wrong of ["[]", "[read, read]", "[rule]"]) {
    const problems = findProblems(spoilt("roles: [read, act]", `roles: ${wrong}`));
    expect(problems.map((line) => line.split(":")[0]?.replace("[0].roles[0]", "[0].roles"))).toEqual(["operators[0].roles"]);
  }
  expect(findProblems(sample, { ...environment, THANDI_TOKEN_SHA256: hash("clearing").toUpperCase() })).toEqual([
    "operators[0].tokenSha256[0]: the same token twice",
  ]);
  expect(findProblems(spoilt("id: thandi", "id: clearing"))).toEqual(["operators[0].id: another bank, connector or operator has this id"]);
});

test("by default everything that moves money needs two persons, for a day; each decision can be left out [D9 second-person]", () => {
  const all = ["credits-final", "open-gate", "withdraw", "redrive", "stop", "replay", "skip", "extend", "erase"];
  expect(read(smallest).resolutionNeedsSecondPerson).toBe(true);
  expect(read(smallest).secondPerson).toEqual({ actions: all, proposalLifetimeMs: 24 * 3_600_000 });
  const chosen = read(
    spoilt(`actions: [${all.join(", ")}]`, "actions: [withdraw]").replace("proposalLifetime: 24h", "proposalLifetime: 5m"),
  );
  expect(chosen.secondPerson).toEqual({ actions: ["withdraw"], proposalLifetimeMs: 300_000 });
  expect(read(spoilt("resolutionNeedsSecondPerson: true", "resolutionNeedsSecondPerson: false")).resolutionNeedsSecondPerson).toBe(false);
  for (const wrong of ["[pause]", "[skip, skip]"]) {
    const problems = findProblems(spoilt(`actions: [${all.join(", ")}]`, `actions: ${wrong}`));
    expect(problems.map((line) => line.split(":")[0]?.replace("actions[0]", "actions"))).toEqual(["secondPerson.actions"]);
  }
  for (const wrong of ["4m", "8d"]) {
    const problems = findProblems(spoilt("proposalLifetime: 24h", `proposalLifetime: ${wrong}`));
    expect(problems.map((line) => line.split(":")[0])).toEqual(["secondPerson.proposalLifetime"]);
  }
});

test("the topics have 1 to 120 partitions", () => {
  for (const count of [1, 12, 120]) expect(read(spoilt("partitionCount: 12", `partitionCount: ${count}`)).partitionCount).toBe(count);
  for (const wrong of ["0", "121", "1.5", "many"]) {
    const problems = findProblems(spoilt("partitionCount: 12", `partitionCount: ${wrong}`));
    expect(problems.map((line) => line.split(":")[0])).toEqual(["partitionCount"]);
  }
});

test("a missed debit waits for the reconciliation, or is carried over one to five times [D9 on-missed-window]", () => {
  const carryingOver = read(
    spoilt("onMissedWindow: reconcile", "onMissedWindow: carry-over").replace("carryOversMax: 1", "carryOversMax: 5"),
  ).schemes[0];
  expect(carryingOver).toMatchObject({ onMissedWindow: "carry-over", carryOversMax: 5 });
  expect(findProblems(spoilt("onMissedWindow: reconcile", "onMissedWindow: drop")).map((line) => line.split(":")[0])).toEqual([
    "schemes[0].onMissedWindow",
  ]);
  for (const wrong of ["0", "6", "1.5"]) {
    expect(findProblems(spoilt("carryOversMax: 1", `carryOversMax: ${wrong}`)).map((line) => line.split(":")[0])).toEqual([
      "schemes[0].carryOversMax",
    ]);
  }
});

test("a bank has at most one day total alarm for a scheme and currency, and the scheme is in the file", () => {
  const alarm = '- { scheme: ZA_EFT, currency: ZAR, amount: "250000000.00" }';
  expect(findProblems(spoilt(alarm, `${alarm}\n      ${alarm}`))).toEqual([
    "banks[0].dayTotalAlarm[1]: a second limit of this scheme and currency",
  ]);
  expect(findProblems(spoilt(alarm, alarm.replace("ZA_EFT", "ZA_RPP")))).toEqual(["banks[0].dayTotalAlarm[0].scheme: no such scheme"]);
});

const closedFor = (days: number): string =>
  Array.from({ length: days }, (_, day) => `"${Temporal.PlainDate.from("2027-01-01").add({ days: day }).toString()}"`).join(", ");

/** The sample with a calendar of its own. */
function withCalendar(members: string): string {
  return spoilt("calendar: za", "calendar: own").replace("calendars:\n", `calendars:\n  own: { version: own/1, zone: UTC, ${members} }\n`);
}

test("a calendar that leaves a scheme without a business date for 400 days is a problem of the scheme", () => {
  expect(findProblems(withCalendar(`workingDays: [1, 2, 3, 4, 5, 6, 7], holidays: [${closedFor(399)}]`))).toEqual([]);
  expect(findProblems(withCalendar(`workingDays: [1, 2, 3, 4, 5, 6, 7], holidays: [${closedFor(400)}]`))).toEqual([
    "schemes[0].calendar: no business date for 400 days from 2026-12-31",
  ]);
});

test("a calendar that has ended or begins too late on the day of the check is a problem", () => {
  const on = (members: string, date: string): readonly string[] => {
    const reading = readConfiguration(withCalendar(`workingDays: [1, 2, 3, 4, 5], ${members}`), environment, date);
    return reading.ok ? [] : reading.problems.map(({ path, text }) => `${path}: ${text}`);
  };
  expect(on('validTo: "2027-01-31"', "2026-11-21")).toEqual([]);
  expect(on('validTo: "2027-01-31"', "2027-01-28")).toEqual([]);
  expect(on('validTo: "2027-01-31"', "2027-01-29")).toEqual(["schemes[0].calendar: no business date for 400 days from 2027-01-29"]);
  expect(on('validFrom: "2028-01-03"', "2026-11-21")).toHaveLength(1);
  expect(findProblems(withCalendar('workingDays: [1, 2, 3, 4, 5], validTo: "2021-01-31"'))).toEqual([]);
});

test("a calendar has dates, rules with their dates of validity, and versions", () => {
  const calendar = read(`
calendars:
  own:
    version: own/2
    zone: Europe/London
    workingDays: [1, 2, 3, 4, 5]
    validFrom: "2027-01-01"
    notes: for people
    holidays:
      - "2027-05-03"
      - { name: Christmas Day, on: "12-25", substitute: next-working-day }
      - { name: Good Friday, easter: -2, from: "2027-01-01", to: "2030-12-31" }
      - { name: Spring, weekday: { weekday: 1, week: -1, month: 5 } }
      - { name: Coronation, dates: ["2023-05-08"], source: proclaimed }
      - { name: Year's end, works: ["2027-12-31"] }
    earlier:
      - { version: own/1, workingDays: [1, 2, 3, 4, 5, 6] }
schemes: [{ calendar: own }]
${smallest}`).schemes[0]!.times.calendar;
  const always = { from: null, to: null };
  expect(calendar).toEqual({
    version: "own/2",
    zone: "Europe/London",
    workingDays: [1, 2, 3, 4, 5],
    validFrom: "2027-01-01",
    holidays: [
      "2027-05-03",
      { kind: "fixed", name: "Christmas Day", monthDay: "12-25", substitute: "next-working-day", ...always },
      { kind: "easter", name: "Good Friday", days: -2, substitute: "none", from: "2027-01-01", to: "2030-12-31" },
      { kind: "weekday", name: "Spring", weekday: 1, week: -1, month: 5, ...always },
      { kind: "dates", name: "Coronation", dates: ["2023-05-08"], substitute: "none", ...always },
      { kind: "works", name: "Year's end", dates: ["2027-12-31"], ...always },
    ],
    earlier: [{ version: "own/1", workingDays: [1, 2, 3, 4, 5, 6], holidays: [] }],
  });
});

test("a shipped calendar can be extended by days proclaimed since", () => {
  const file = (text: string): string => `calendars: { own: { ${text} } }\nschemes: [{ calendar: own }]\n${smallest}`;
  const proclaimed = '{ name: Proclaimed, dates: ["2027-07-09"] }';
  const calendar = read(file(`extends: za, version: own/1, holidays: [${proclaimed}]`)).schemes[0]!.times.calendar;
  expect(calendar).toMatchObject({ version: "own/1", zone: southAfrica.zone, workingDays: southAfrica.workingDays });
  expect(calendar.holidays).toEqual([...southAfrica.holidays, expect.objectContaining({ name: "Proclaimed", dates: ["2027-07-09"] })]);
  expect(findProblems(file(`extends: mars, version: own/1, zone: UTC, holidays: []`)).map((line) => line.split(":")[0])).toEqual([
    "calendars.own.extends",
    "calendars.own.zone",
  ]);
});

test.each([
  ['"2027-02-30"', "own.holidays[0]: a date, YYYY-MM-DD, in quotes"],
  ["2027", "own.holidays[0]: neither a date in quotes nor a rule"],
  ['{ name: X, on: "02-30" }', "own.holidays[0].on: a day of the year, MM-DD, in quotes"],
  ["{ name: X }", "own.holidays[0]: needs one of on, easter, weekday, dates and works"],
  ['{ name: X, on: "02-29", easter: 1 }', "own.holidays[0]: needs one of on, easter, weekday, dates and works"],
  ["{ name: X, easter: 1, colour: 2 }", "own.holidays[0].colour: unknown member"],
  ["{ name: X, weekday: { weekday: 1, week: 0, month: 5 } }", "own.holidays[0].weekday.week: 1 is the first, -1 the last"],
  ['{ name: X, works: ["2027-01-02"], substitute: none }', "own.holidays[0].substitute: only of on, easter and dates"],
  ['{ name: X, easter: 1, from: "2027-01-02", to: "2027-01-01" }', "own.holidays[0].to: before from"],
])("a malformed holiday is reported at its path: %s", (holiday, problem) => {
  expect(findProblems(withCalendar(`workingDays: [1], holidays: [${holiday}]`))).toEqual([`calendars.${problem}`]);
});

test("two versions of a calendar have different names and different first dates", () => {
  const twice = 'workingDays: [1], earlier: [{ version: own/1, workingDays: [1], validFrom: "2020-01-01" }]';
  expect(findProblems(withCalendar(twice))).toEqual(["calendars.own.earlier[0].version: another version has this name"]);
  expect(findProblems(withCalendar("workingDays: [1], earlier: [{ version: own/0, workingDays: [1] }]"))).toEqual([
    "calendars.own.earlier[0].validFrom: another version begins then too",
  ]);
  expect(findProblems(withCalendar('workingDays: [1], validFrom: "2027-01-01", validTo: "2026-12-31"'))).toContain(
    "calendars.own.validTo: before validFrom",
  );
});

test("a bank's own person is bound to a configured bank, and has no role but read", () => {
  const bound = (text: string) => spoilt("roles: [read, act]", text);
  expect(read(bound("bank: first, roles: [read]")).operators[0]!.bank).toBe("first");
  expect(findProblems(bound("bank: nobody, roles: [read]"))).toEqual(["operators[0].bank: no such bank"]);
  expect(findProblems(bound("bank: first, roles: [read, act]"))).toEqual(["operators[0].roles: of one bank: only read"]);
});

test("an operator of some schemes names configured ones, each once, and no bank beside them [D10.133]", () => {
  const bound = (text: string) => spoilt("roles: [read, act]", `roles: [read], ${text}`);
  expect(read(bound("schemes: [ZA_EFT]")).operators[0]!.schemes).toEqual(["ZA_EFT"]);
  expect(read(sample).operators.map(({ schemes }) => schemes)).toEqual([null, null]);
  expect(findProblems(bound("schemes: [ZA_RPP]"))).toEqual(["operators[0].schemes[0]: no such scheme"]);
  expect(findProblems(bound("schemes: [ZA_EFT, ZA_EFT]"))).toEqual(["operators[0].schemes: a scheme twice"]);
  expect(findProblems(bound("schemes: []"))).toEqual(["operators[0].schemes: at least one"]);
  expect(findProblems(bound("bank: first, schemes: [ZA_EFT]"))).toEqual([
    "operators[0].schemes: of one bank: it sees what is the bank's in every scheme",
  ]);
});
