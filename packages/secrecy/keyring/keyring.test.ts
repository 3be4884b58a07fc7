import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineRandom } from "@sluice/kernel";
import { afterEach, describe, expect, test } from "vitest";
import { describeKeyService } from "../conformance/conformance.ts";
import { openKeyring } from "./keyring.ts";

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-keyring-"));
  folders.push(folder);
  return join(folder, "keys");
}

describe("the keys in a folder", () => {
  describeKeyService(async () => {
    const folder = newFolder();
    return { one: openKeyring(folder, machineRandom), other: openKeyring(folder, machineRandom) };
  });

  test("the folder and its files are made by themselves, for their owner alone", async () => {
    const folder = newFolder();
    await openKeyring(folder, machineRandom).create("alpha/2026-11");
    expect(readdirSync(folder)).toEqual(["alpha_2026-11.key"]);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, "alpha_2026-11.key")).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test("a folder that cannot be used is named as away, with a code and without its path", async () => {
    const folder = newFolder();
    writeFileSync(folder, "");
    const away = { code: "secrecy.unavailable", isRetryable: true, message: "the keyring cannot be used: ENOTDIR" };
    await expect(
      openKeyring(folder, machineRandom).unwrap([{ scope: "alpha/2026-11", wrapped: new Uint8Array(60) }]),
    ).rejects.toMatchObject(away);
  });

  test("a scope is never part of a path", async () => {
    const keyring = openKeyring(newFolder(), machineRandom);
    for (const scope of ["../x/2026-11", "alpha/2026-13", "alpha", ""]) {
      await expect(keyring.create(scope)).rejects.toMatchObject({ code: "secrecy.not-wrapped" });
    }
  });
});
