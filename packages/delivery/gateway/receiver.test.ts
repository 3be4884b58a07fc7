// What leaves, verified with what banks receive it with: the gateway, real HTTP, the example bank of packages/receiver.

import { generateKeyPairSync } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { SigningKey } from "@sluice/config";
import { openBank } from "@sluice/receiver/example";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { openGatewayEnvironment, loopbackBlocks, buildReceiverRequest } from "./gateway.fixture.ts";
import type { ReceiverGateway } from "../port.ts";

const environment = openGatewayEnvironment();
const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const shared: SigningKey = { kind: "symmetric", secret, secretFile: null };

function ed25519(): { readonly signing: SigningKey; readonly open: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const lastBytes = (der: Buffer): string => der.subarray(-32).toString("base64");
  return {
    signing: { kind: "ed25519", secret: `whsk_${lastBytes(privateKey.export({ format: "der", type: "pkcs8" }))}`, secretFile: null },
    open: `whpk_${lastBytes(publicKey.export({ format: "der", type: "spki" }))}`,
  };
}

async function bankWith(signingKeys: readonly string[]) {
  const bank = await openBank({ fetch, consoleUrl: "http://127.0.0.1:1", token: "", databaseFile: ":memory:", signingKeys });
  await new Promise<void>((resolve) => bank.server.listen(0, "127.0.0.1", resolve));
  environment.defer(async () => {
    bank.server.closeAllConnections();
    await new Promise((resolve) => bank.server.close(resolve));
    bank.database.close();
  });
  const stored = (): readonly unknown[] => bank.database.prepare("SELECT webhook_id, body FROM inbox ORDER BY rowid").all();
  return { url: `http://127.0.0.1:${(bank.server.address() as AddressInfo).port}`, stored };
}

const buildBody = (sequence: number): Buffer =>
  Buffer.from(`{"class":"TRANSACTION_STATE","stageVersion":${sequence},"tranInfo":{"tranUetr":"${uetr}"},"value":1250.50}`);

async function postSigned(gateway: ReceiverGateway, sequence: number, atMs = Date.now()): Promise<number | string> {
  const headers = {
    "content-type": "application/json",
    "webhook-id": `event-${sequence}`,
    "webhook-timestamp": String(Math.floor(atMs / 1_000)),
    "sluice-sequence": String(sequence),
  };
  const answer = await gateway.post(buildReceiverRequest({ operation: "events", body: buildBody(sequence), headers }));
  return answer.kind === "answered" ? answer.status : answer.reason;
}

const members = (url: string, signingKeys: readonly SigningKey[]) => ({
  baseUrl: url,
  eventsUrl: url,
  allowedAddresses: loopbackBlocks,
  signingKeys,
});

describe("a signed request", () => {
  it("is accepted and stored once by the receiver for banks, with keys of both kinds, while one replaces the other", async () => {
    const { signing, open } = ed25519();
    const bank = await bankWith([secret, open]);
    const ways: readonly (readonly SigningKey[])[] = [[shared], [shared, signing], [signing]];
    for (const [index, signingKeys] of ways.entries()) {
      const gateway = environment.gatewayTo(bank.url, members(bank.url, signingKeys));
      expect([await postSigned(gateway, index + 1), await postSigned(gateway, index + 1)]).toEqual([202, 202]);
    }
    expect(bank.stored()).toEqual(
      [1, 2, 3].map((sequence) => ({ webhook_id: `event-${sequence}`, body: new Uint8Array(buildBody(sequence)) })),
    );
  });

  it("is refused with another key, without a key, and long after its time", async () => {
    const { signing } = ed25519();
    const bank = await bankWith([secret]);
    const gatewayWith = (signingKeys: readonly SigningKey[]): ReceiverGateway =>
      environment.gatewayTo(bank.url, members(bank.url, signingKeys));
    expect(await postSigned(gatewayWith([signing]), 1)).toBe(401);
    expect(await postSigned(gatewayWith([]), 1)).toBe(401);
    expect(await postSigned(gatewayWith([shared]), 1, Date.now() - 3_600_000)).toBe(401);
    expect(bank.stored()).toEqual([]);
  });

  it("is verified by the reference library as it comes over the wire", async () => {
    const taken: unknown[] = [];
    const url = await environment.httpBank(({ headers }, response, body) => {
      const named = Object.entries(headers).map(([name, value]) => [name, String(value)]);
      taken.push(new Webhook(secret).verify(body, Object.fromEntries(named)));
      response.writeHead(202).end();
    });
    expect(await postSigned(environment.gatewayTo(url, members(url, [shared, ed25519().signing])), 1)).toBe(202);
    expect(taken).toMatchObject([{ stageVersion: 1 }]);
  });
});
