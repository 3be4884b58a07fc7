// On a stand-in for Vault's transit engine, and on Vault itself where VAULT_ADDR and VAULT_TOKEN name one.

import { machineTime } from "@sluice/kernel";
import { afterEach, describe, expect, test } from "vitest";
import { describeKeyService } from "../conformance/conformance.ts";
import { standInToken, startTransit } from "./transit.fixture.ts";
import { createVaultKeys } from "./vault-keys.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const vaultUrl = process.env["VAULT_ADDR"];
let mounts = 0;

/** A transit engine of its own in Vault itself. */
async function openVault(url: string) {
  mounts += 1;
  const [mount, token] = [`transit-${process.pid}-${mounts}`, process.env["VAULT_TOKEN"] ?? ""];
  const headers = { "x-vault-token": token };
  const mounted = await fetch(`${url}/v1/sys/mounts/${mount}`, { method: "POST", headers, body: JSON.stringify({ type: "transit" }) });
  expect(mounted.status).toBe(204);
  const client = () => createVaultKeys({ url, mount, token: () => token, time: machineTime });
  return { one: client(), other: client() };
}

async function open() {
  const transit = await startTransit();
  closing.push(transit.close);
  const client = (token = standInToken) => createVaultKeys({ url: transit.url, mount: "transit", token: () => token, time: machineTime });
  return { one: client(), other: client(), stranger: client("wrong"), answers: transit.answers };
}

describe("the keys in Vault", () => {
  describeKeyService(vaultUrl === undefined ? open : () => openVault(vaultUrl));

  test("a service that refuses or fails is tried again, never taken for a destroyed key", async () => {
    const { one, stranger, answers } = await open();
    const { wrapped } = (await one.create("alpha/2026-11"))!;
    const isAway = { code: "secrecy.unavailable", isRetryable: true };
    await expect(stranger.unwrap([{ scope: "alpha/2026-11", wrapped }])).rejects.toMatchObject(isAway);
    await expect(stranger.derive(["alpha/2026-11"])).rejects.toMatchObject(isAway);
    for (const status of [429, 500, 503]) {
      answers.status = status;
      await expect(one.unwrap([{ scope: "alpha/2026-11", wrapped }])).rejects.toMatchObject(isAway);
      await expect(one.derive(["alpha/2026-11"])).rejects.toMatchObject(isAway);
      await expect(one.create("alpha/2026-11")).rejects.toMatchObject(isAway);
    }
  });
});
