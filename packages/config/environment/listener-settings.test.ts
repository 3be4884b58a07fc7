import { expect, test } from "vitest";
import { readEnvironment } from "./environment.ts";
import { apiSettings, listenerSettings, opsSettings } from "./listener-settings.ts";
import { settingNames } from "./connection-settings.ts";

const names = [...settingNames(listenerSettings), ...settingNames(opsSettings), ...settingNames(apiSettings)];

function problems(given: Readonly<Record<string, string>>, asked = names): readonly string[] {
  try {
    readEnvironment(given, asked);
    return [];
  } catch (error) {
    return (error instanceof Error ? error.message : "").replace("environment: ", "").split("; ");
  }
}

const how =
  "is not a loopback address: set SLUICE_TLS_CERTIFICATE_FILE and SLUICE_TLS_KEY_FILE, or SLUICE_TLS_ENDED_BY to the name of what ends TLS in front of it";

test("beyond the loopback address nothing listens in clear unless a setting says who ends TLS [D10.29] [D10.30]", () => {
  expect(problems({ SLUICE_HTTP_HOST: "0.0.0.0", SLUICE_OPS_HOST: "::" })).toEqual([`SLUICE_OPS_HOST: ${how}`, `SLUICE_HTTP_HOST: ${how}`]);
  expect(problems({ SLUICE_HTTP_HOST: "10.0.0.1", SLUICE_TLS_ENDED_BY: "mesh" })).toEqual([]);
  expect(problems({ SLUICE_HTTP_HOST: "0.0.0.0", SLUICE_TLS_CERTIFICATE_FILE: "/c", SLUICE_TLS_KEY_FILE: "/k" })).toEqual([]);
});

test.each(["127.0.0.1", "127.1.2.3", "::1", "localhost", ""])("%s is a loopback address", (host) => {
  expect(problems({ SLUICE_HTTP_HOST: host, SLUICE_OPS_HOST: host })).toEqual([]);
});

test.each(["127.0.0.1.example", "localhost.example", "128.0.0.1"])("%s is none", (host) => {
  expect(problems({ SLUICE_HTTP_HOST: host })).toHaveLength(1);
});

test("a process that serves no API is not asked about one", () => {
  const asked = names.filter((name) => !name.startsWith("SLUICE_HTTP"));
  expect(problems({ SLUICE_HTTP_HOST: "0.0.0.0" }, asked)).toEqual([]);
});

test("certificates of callers can be asked for without an authority, and required only with one [D10.88]", () => {
  const tls = { SLUICE_TLS_CERTIFICATE_FILE: "/c", SLUICE_TLS_KEY_FILE: "/k" };
  const read = (given: Readonly<Record<string, string>>) => readEnvironment({ ...tls, ...given }, names).SLUICE_TLS_CLIENT_CERTIFICATE;
  expect([read({}), read({ SLUICE_TLS_CLIENT_CERTIFICATE: "asked" })]).toEqual([null, "asked"]);
  expect(problems({ ...tls, SLUICE_TLS_CLIENT_CERTIFICATE: "required" })).toEqual([
    "SLUICE_TLS_CLIENT_CA_FILE: is not set, but SLUICE_TLS_CLIENT_CERTIFICATE is required",
  ]);
  expect(problems({ ...tls, SLUICE_TLS_CLIENT_CERTIFICATE: "wanted" })).toEqual([
    "SLUICE_TLS_CLIENT_CERTIFICATE: must be asked or required",
  ]);
  expect(problems({ SLUICE_TLS_CLIENT_CERTIFICATE: "asked" })).toEqual([
    "SLUICE_TLS_CERTIFICATE_FILE: is not set, but SLUICE_TLS_CLIENT_CERTIFICATE is",
  ]);
});

test("half of a pair is a problem, and so is a setting without effect", () => {
  expect(problems({ SLUICE_TLS_KEY_FILE: "/k" })).toEqual(["SLUICE_TLS_CERTIFICATE_FILE: is not set, but SLUICE_TLS_KEY_FILE is"]);
  expect(problems({ SLUICE_TLS_CERTIFICATE_FILE: "/c", SLUICE_TLS_KEY_FILE: "/k", SLUICE_TLS_ENDED_BY: "mesh" })).toEqual([
    "SLUICE_TLS_ENDED_BY: has no effect: SLUICE_TLS_CERTIFICATE_FILE is set",
  ]);
});
