// What `up --secured` makes, in a folder of this test.

import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brokerServices } from "@sluice/contracts";
import { machineTime } from "@sluice/kernel";
import { storePrograms } from "@sluice/store/rights";
import { createCertificateAuthority } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";
import { prepareSecured } from "./secured.ts";

const all = [{ name: "kafka" }, { name: "registry" }, { name: "mongo" }];
const storeServices = brokerServices.filter((service) => storePrograms.some((program) => program === service));
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
  const secured = prepareSecured(folder, "sluice");
  const settings = brokerServices.map((service) => secured.settingsOf(service, all));
  const users = settings.map((one) => one["KAFKA_SASL_USERNAME"]);
  expect(new Set(users).size).toBe(brokerServices.length);
  expect(brokerServices.map(secured.principalOf)).toEqual(users.map((user) => `User:${user}`));
  const files = settings.flatMap((one) => Object.entries(one).flatMap(([name, path]) => (name.endsWith("PASSWORD_FILE") ? [path] : [])));
  expect(files).toHaveLength(brokerServices.length * 2 + storeServices.length);
  expect(new Set(files.map((path) => readFileSync(path, "utf8"))).size).toBe(files.length);
  const secrets = Object.keys(contentOf(folder)).filter((name) => /key|password/.test(name));
  // Three keys, a password of each service at Kafka and the registry and of each program at the store, and three of
  // the first user.
  expect(secrets).toHaveLength(3 + brokerServices.length * 2 + storePrograms.length + 3);
  for (const name of secrets) expect([name, statSync(join(folder, "secured", name)).mode & 0o077]).toEqual([name, 0]);
});

test("only programs that have a role in the store log in to it, and nobody to a server that is another's", () => {
  const secured = prepareSecured(openFolder(), "sluice");
  const loggedIn = brokerServices.filter((service) => secured.settingsOf(service, all)["MONGO_USERNAME"] !== undefined);
  expect(loggedIn.toSorted()).toEqual(storeServices.toSorted());
  const withoutStore = all.filter(({ name }) => name !== "mongo");
  const names = (settings: object) => Object.keys(settings).filter((name) => name.startsWith("MONGO"));
  expect(names(secured.connectionsTo(all))).not.toEqual([]);
  expect([names(secured.connectionsTo(withoutStore)), names(secured.settingsOf("scheduler", withoutStore))]).toEqual([[], []]);
  expect(secured.connectionsTo([])).toEqual({});
});

test("all certificates are of the authority that is trusted, and nothing keeps its key", () => {
  const folder = openFolder();
  const { authorityFile } = prepareSecured(folder, "sluice");
  const authority = new X509Certificate(readFileSync(authorityFile));
  const content = contentOf(folder);
  for (const name of ["broker", "listener", "client"]) {
    expect([name, new X509Certificate(content[`${name}.pem`] ?? "").verify(authority.publicKey)]).toEqual([name, true]);
  }
  expect(Object.keys(content).filter((name) => name.startsWith("authority"))).toEqual(["authority.pem"]);
});

test("it is made once; certificates that end within a month are made again, and passwords stay", () => {
  const folder = openFolder();
  const { authorityFile } = prepareSecured(folder, "sluice");
  const first = contentOf(folder);
  prepareSecured(folder, "sluice");
  expect(contentOf(folder)).toEqual(first);
  const ending = createCertificateAuthority("Ending", machineTime.nowMs(), 29 * 86_400_000);
  writeFileSync(authorityFile, ending.pem);
  prepareSecured(folder, "sluice");
  const renewed = contentOf(folder);
  const changed = Object.keys(first).filter((name) => renewed[name] !== first[name]);
  expect(changed.filter((name) => name.endsWith(".password"))).toEqual([]);
  expect(changed).toContain("listener.pem");
});
