// What `up --secured` makes, in a folder of this test.

import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brokerServices } from "@sluice/contracts";
import { machineTime } from "@sluice/kernel";
import { createCertificateAuthority } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";
import { prepareSecured } from "./secured.ts";

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-secured-"));
  folders.push(folder);
  return folder;
}

const contentOf = (folder: string) =>
  Object.fromEntries(readdirSync(join(folder, "secured")).map((name) => [name, readFileSync(join(folder, "secured", name), "utf8")]));

test("each service has a user and a password of its own, and no secret can be read by others", () => {
  const folder = openFolder();
  const secured = prepareSecured(folder);
  const users = brokerServices.map((service) => secured.settingsOf(service)["KAFKA_SASL_USERNAME"]);
  const passwords = brokerServices.map((service) => readFileSync(secured.settingsOf(service)["KAFKA_SASL_PASSWORD_FILE"] ?? "", "utf8"));
  expect([new Set(users).size, new Set(passwords).size]).toEqual([brokerServices.length, brokerServices.length]);
  expect(brokerServices.map(secured.principalOf)).toEqual(users.map((user) => `User:${user}`));
  const secrets = Object.keys(contentOf(folder)).filter((name) => /key|password/.test(name));
  expect(secrets).toHaveLength(brokerServices.length + 4);
  for (const name of secrets) expect([name, statSync(join(folder, "secured", name)).mode & 0o077]).toEqual([name, 0]);
});

test("all certificates are of the authority that is trusted, and nothing keeps its key", () => {
  const folder = openFolder();
  const { authorityFile } = prepareSecured(folder);
  const authority = new X509Certificate(readFileSync(authorityFile));
  const content = contentOf(folder);
  for (const name of ["broker", "listener", "client"]) {
    expect([name, new X509Certificate(content[`${name}.pem`] ?? "").verify(authority.publicKey)]).toEqual([name, true]);
  }
  expect(Object.keys(content).filter((name) => name.startsWith("authority"))).toEqual(["authority.pem"]);
});

test("it is made once; certificates that end within a month are made again, and passwords stay", () => {
  const folder = openFolder();
  const { authorityFile } = prepareSecured(folder);
  const first = contentOf(folder);
  prepareSecured(folder);
  expect(contentOf(folder)).toEqual(first);
  const ending = createCertificateAuthority("Ending", machineTime.nowMs(), 29 * 86_400_000);
  writeFileSync(authorityFile, ending.pem);
  prepareSecured(folder);
  const renewed = contentOf(folder);
  const changed = Object.keys(first).filter((name) => renewed[name] !== first[name]);
  expect(changed.filter((name) => name.endsWith(".password"))).toEqual([]);
  expect(changed).toContain("listener.pem");
});
