import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readConfiguration, readConfigurationFile, schemeOf, southAfrica } from "./index.ts";
import type { Configuration } from "./index.ts";

const sample = readFileSync(new URL("sluice.sample.yaml", import.meta.url), "utf8");
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const environment = {
  FIRST_BANK_TOKEN_SHA256: hash("first"),
  FIRST_BANK_URL: "https://first.example/sluice/",
  FIRST_BANK_DEBITS_URL: "https://debits.first.example/in",
  FIRST_BANK_BEARER_TOKEN: "the-secret",
  SECOND_BANK_TOKEN_SHA256: hash("second").toUpperCase(),
  SECOND_BANK_URL: "http://127.0.0.1:8080",
};

const smallest = `
banks:
  - { id: only, name: Only, agents: [{ memberId: "1" }], tokenSha256: ["${hash("only")}"], baseUrl: "https://only.example" }
`;

function read(text: string, given: Readonly<Record<string, string>> = environment): Configuration {
  const reading = readConfiguration(text, given);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.configuration;
}

function problemsOf(text: string, given: Readonly<Record<string, string>> = environment): readonly string[] {
  const reading = readConfiguration(text, given);
  return reading.ok ? [] : reading.problems.map(({ path, text }) => `${path}: ${text}`);
}

/** The sample with one thing replaced. */
function spoilt(from: string, to: string): string {
  expect(sample).toContain(from);
  return sample.replace(from, to);
}

test("the sample file is read whole, with addresses and secrets from the environment", () => {
  const configuration = read(sample);
  expect(configuration).toMatchObject({ version: "sample-1", cdv: { refuseOn: "high" } });
  expect(configuration.banks[0]).toEqual({
    id: "first",
    name: "First Bank",
    agents: [{ memberId: "250655", bicfi: "FIRNZAJJ", branchRanges: [["250000", "259999"]] }],
    tokenSha256: [hash("first")],
    baseUrl: "https://first.example/sluice",
    operationUrls: { inboundDirectDebit: "https://debits.first.example/in" },
    eventsUrl: "https://first.example/sluice",
    bearerToken: "the-secret",
    answerTimeoutMs: 5_000,
    duplicateCodes: [409],
    maxUnacknowledged: 256,
    connections: 16,
    eventDeadlineMs: 259_200_000,
    eventShape: "full",
    onNonWorkingDay: "refuse",
    isBlocked: false,
  });
});

test("what the sample's comments call the default is the default", () => {
  const [first, second] = read(sample).banks;
  const own = ["id", "name", "agents", "tokenSha256", "baseUrl", "operationUrls", "eventsUrl", "bearerToken"];
  const shared = (bank: object): object => Object.fromEntries(Object.entries(bank).filter(([key]) => !own.includes(key)));
  expect(shared(second!)).toEqual(shared(first!));
  expect(second).toMatchObject({ operationUrls: {}, eventsUrl: null, bearerToken: null, tokenSha256: [hash("second")] });
  expect(read(smallest).schemes).toEqual(read(sample).schemes);
});

test("without schemes there is ZA_EFT, 08:00 to 16:00, reconciliation 17:30, cut-off 15 min, South Africa's calendar", () => {
  const configuration = read(smallest, {});
  expect(schemeOf(configuration, "ZA_EFT")).toEqual({
    id: "ZA_EFT",
    currencies: ["ZAR"],
    creditsFinal: "clock",
    times: { calendar: southAfrica, processing: [{ opens: "08:00", closes: "16:00" }], reconciliation: "17:30", cutOffMs: 900_000 },
  });
  expect(schemeOf(configuration, "ZA_RTC")).toBeUndefined();
  expect(configuration.version).toBe(hash(smallest).slice(0, 12));
});

test("South Africa's calendar closes on Sundays and public holidays; one on a Sunday moves to Monday", () => {
  const { holidays, zone, workingDays } = southAfrica;
  expect([zone, workingDays]).toEqual(["Africa/Johannesburg", [1, 2, 3, 4, 5, 6]]);
  for (const year of [2026, 2027]) expect(new Set(holidays.filter((date) => date.startsWith(`${year}`))).size).toBeGreaterThanOrEqual(12);
  const sundays = holidays.filter((date) => Temporal.PlainDate.from(date).dayOfWeek === 7);
  expect(sundays).toEqual(["2026-08-09", "2027-03-21", "2027-12-26"]);
  for (const sunday of sundays) expect(holidays).toContain(Temporal.PlainDate.from(sunday).add({ days: 1 }).toString());
});

test("all problems come at once, each with its path", () => {
  const text = `
version: ""
colour: blue
calendars:
  odd: { version: "1", zone: Mars/Olympus, workingDays: [8], holidays: ["2026-02-30"] }
schemes:
  - { calendar: odd, processing: [{ opens: "8:00", closes: "16:00" }], cutOff: soon }
  - { id: ZA_RTC }
banks:
  - { id: First!, name: "", agents: [], tokenSha256: [abc], baseUrl: ftp://x, answerTimeout: 31s, colour: 1 }
  - { id: second, name: S, agents: [{ branchRanges: [[051001, 051002]] }], tokenSha256: ["\${NO_HASH}"], baseUrl: "\${NO_URL}" }
cdv: { refuseOn: low }
`;
  const paths = problemsOf(text, {}).map((line) => line.slice(0, line.indexOf(":")));
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

test("a variable that is missing, empty or misnamed is a problem at its place", () => {
  const { FIRST_BANK_URL: _, ...without } = environment;
  expect(problemsOf(sample, without)).toEqual([
    "banks[0].baseUrl: the environment has no FIRST_BANK_URL",
    "banks[0].eventsUrl: the environment has no FIRST_BANK_URL",
  ]);
  expect(problemsOf(sample, { ...environment, SECOND_BANK_URL: "" })).toEqual(["banks[1].baseUrl: the environment has no SECOND_BANK_URL"]);
  expect(problemsOf(spoilt("${SECOND_BANK_URL}", "${second-url}"))).toEqual([
    "banks[1].baseUrl: not the name of a variable: capitals, digits and _",
  ]);
});

test("a secret never stands in the file, and none is in a problem's text", () => {
  expect(problemsOf(spoilt("${FIRST_BANK_BEARER_TOKEN}", "written-here"))).toEqual([
    "banks[0].bearerToken: a secret never stands in the file: name a variable of the environment, ${NAME}",
  ]);
  const secrets = {
    ...environment,
    FIRST_BANK_BEARER_TOKEN: "s".repeat(2_000),
    FIRST_BANK_URL: "no address s3cret",
    FIRST_BANK_TOKEN_SHA256: "s3cret",
  };
  const problems = problemsOf(sample, secrets);
  expect(problems.map((line) => line.split(":")[0])).toEqual([
    "banks[0].tokenSha256[0]",
    "banks[0].baseUrl",
    "banks[0].eventsUrl",
    "banks[0].bearerToken",
  ]);
  expect(problems.join()).not.toMatch(/s3cret|ssss/);
  expect(problemsOf('a: "s3cret\nb: [').join()).not.toContain("s3cret");
});

test("what is not YAML is said with line and column", () => {
  expect(problemsOf("banks: [\n  {id: 1")[0]).toMatch(/^: not YAML: [A-Z_]+ at line \d+, column \d+$/);
  expect(problemsOf("banks: 1\nbanks: 2")[0]).toMatch(/DUPLICATE_KEY at line 2/);
  expect(problemsOf("").join()).toContain("expected object");
  expect(problemsOf(`x: "${"y".repeat(1_048_577)}"`)).toEqual([": longer than 1048576 characters"]);
});

test("a scheme's calendar must exist; its times must be in order and the cut-off inside the last window", () => {
  expect(problemsOf(spoilt("calendar: za", "calendar: mars"))).toEqual(["schemes[0].calendar: no such calendar"]);
  expect(problemsOf(spoilt('closes: "16:00"', 'closes: "08:00"'))).toContain("schemes[0].processing[0].closes: not after it opens");
  expect(problemsOf(spoilt('reconciliation: "17:30"', 'reconciliation: "16:00"'))).toEqual([
    "schemes[0].reconciliation: not after the last window closes",
  ]);
  expect(problemsOf(spoilt("cutOff: 15m", "cutOff: 481m"))).toEqual(["schemes[0].cutOff: longer than the last window"]);
  const second = '- { opens: "08:00", closes: "16:00" }\n      - { opens: "15:59", closes: "16:30" }';
  expect(problemsOf(spoilt('- { opens: "08:00", closes: "16:00" }', second))).toEqual([
    "schemes[0].processing[1].opens: before the window before it closes",
  ]);
  const night = read(spoilt('closes: "16:00"', 'closes: "+1d 02:00"').replace('"17:30"', '"+1d 03:00:30"')).schemes[0]!;
  expect(night.times.reconciliation).toBe("+1d 03:00:30");
  expect(read(spoilt("calendar: za", "calendar: round-the-clock")).schemes[0]!.times.calendar.zone).toBe("+05:00");
});

test("two banks share no branch, no name of an agent, no token and no id", () => {
  expect(problemsOf(spoilt('["632000", "632999"]', '["259999", "260001"]'))).toEqual([
    "banks[1].agents[0].branchRanges[0]: overlaps a branch range of bank first",
  ]);
  expect(problemsOf(spoilt('["632000", "632999"]', '["200000", "299999"]'))).toEqual([
    "banks[0].agents[0].branchRanges[0]: overlaps a branch range of bank second",
  ]);
  expect(problemsOf(spoilt('["632000", "632999"]', '["632999", "632000"]'))).toEqual([
    "banks[1].agents[0].branchRanges[0]: ends before it begins",
  ]);
  expect(problemsOf(spoilt('"632005"', '"250655"'))).toEqual(["banks[1].agents[0].memberId: another bank has this memberId"]);
  expect(problemsOf(sample, { ...environment, SECOND_BANK_TOKEN_SHA256: hash("first").toUpperCase() })).toEqual([
    "banks[1].tokenSha256[0]: the same token twice",
  ]);
  expect(problemsOf(spoilt("id: second", "id: first"))).toContain("banks[1].id: another bank or connector has this id");
});

test("a file that cannot be read or is wrong ends the start with a fault that says everything", () => {
  const file = fileURLToPath(new URL("sluice.sample.yaml", import.meta.url));
  expect(readConfigurationFile(file, environment)).toEqual(read(sample));
  const twoMissing = () => readConfigurationFile(file, { ...environment, FIRST_BANK_URL: "" });
  expect(twoMissing).toThrow(expect.objectContaining({ code: "config.invalid", isRetryable: false }));
  expect(twoMissing).toThrow(/banks\[0\]\.baseUrl: .*; banks\[0\]\.eventsUrl: /);
  expect(() => readConfigurationFile(`${file}.gone`, {})).toThrow(expect.objectContaining({ code: "config.unreadable" }));
});
