// The credentials of every request: token and signatures, from the configuration and from files that change while the
// gateway runs.

import type { IncomingHttpHeaders } from "node:http";
import { machineTime } from "@sluice/kernel";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import type { DeliveryReceiver } from "../../endpoint/operation-addresses.ts";
import { openGatewayEnvironment, recordTelemetry, buildReceiverRequest, type FileWriter } from "../gateway.fixture.ts";

const { httpBank, gatewayTo, folder } = openGatewayEnvironment();

const makeSecret = (seed: number): string => `whsec_${Buffer.alloc(32, seed).toString("base64")}`;
const [oldSecret, newSecret] = [makeSecret(1), makeSecret(2)];
const ed25519Secret = `whsk_${Buffer.alloc(32, 3).toString("base64")}`;
const symmetric = (members: { secret?: string; secretFile?: string }) =>
  ({ kind: "symmetric", secret: null, secretFile: null, ...members }) as const;
/** The reference library compares with the machine's clock. */
const signedNow = () => {
  const headers = { "webhook-id": "m1", "webhook-timestamp": `${Math.floor(machineTime.nowMs() / 1_000)}` };
  return buildReceiverRequest({ headers });
};

async function startBank(bank: (write: FileWriter) => Promise<Partial<DeliveryReceiver>>) {
  const came: { headers: IncomingHttpHeaders; body: string }[] = [];
  const url = await httpBank(({ headers }, response, body) => {
    came.push({ headers, body: body.toString() });
    response.writeHead(202).end();
  });
  const { write } = await folder();
  const { lines, gauge, ...telemetry } = recordTelemetry();
  const gateway = gatewayTo(url, await bank(write), { filesPollMs: 2, ...telemetry });
  return { came, gateway, write, lines, gauge };
}

/** Of the secrets, those with which the reference library verifies the request. */
function verifyingSecrets(
  { headers, body }: { headers: IncomingHttpHeaders; body: string },
  secrets: readonly string[],
): readonly string[] {
  return secrets.filter((secret) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  });
}

describe("the credentials of a request", () => {
  it("there are none where none are configured", async () => {
    const { came, gateway } = await startBank(() => Promise.resolve({}));
    await gateway.post(buildReceiverRequest());
    expect(came[0]?.headers).not.toHaveProperty("authorization");
    expect(came[0]?.headers).not.toHaveProperty("webhook-signature");
  });

  it("each key makes one signature over what is sent, and a repeat at the same time has the same [D10.14]", async () => {
    const signingKeys = [symmetric({ secret: oldSecret }), { kind: "ed25519", secret: ed25519Secret, secretFile: null } as const];
    const { came, gateway } = await startBank(() => Promise.resolve({ signingKeys, bearerToken: "token" }));
    const posting = signedNow();
    await gateway.post(posting);
    await gateway.post(posting);
    expect(came.map((one) => verifyingSecrets(one, [oldSecret, newSecret]))).toEqual([[oldSecret], [oldSecret]]);
    expect(came[0]?.headers["webhook-signature"]).toMatch(/^v1,\S+ v1a,\S+$/);
    expect(came[1]?.headers["webhook-signature"]).toBe(came[0]?.headers["webhook-signature"]);
    expect(came[0]?.headers.authorization).toBe("Bearer token");
  });

  it("they change with their files, with overlap: the old secret alone, both, the new one alone", async () => {
    const { came, gateway, write } = await startBank(async (put) => ({
      signingKeys: [symmetric({ secretFile: await put("signing", `${oldSecret}\n`) })],
    }));
    const takenNow = async (): Promise<readonly string[]> => {
      await gateway.post(signedNow());
      return verifyingSecrets(came.at(-1)!, [oldSecret, newSecret]);
    };
    expect(await takenNow()).toEqual([oldSecret]);
    await write("signing", `${newSecret}\n${oldSecret}\n`);
    await vi.waitFor(async () => expect(await takenNow()).toEqual([oldSecret, newSecret]));
    await write("signing", newSecret);
    await vi.waitFor(async () => expect(await takenNow()).toEqual([newSecret]));
  });

  it("a listener is called when they were replaced, or could be read at last, and not when they are read at the start", async () => {
    const { came, gateway, write, lines } = await startBank(async (put) => ({ bearerTokenFile: await put("token", "") }));
    const renewed: [string, number][] = [];
    gateway.onCredentialsReplaced?.((bank) => void renewed.push([bank, came.length]));
    expect(await gateway.post(buildReceiverRequest())).toMatchObject({ kind: "silent" });
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0));
    expect(renewed).toEqual([]);
    for (const [index, token] of ["one", "two"].entries()) {
      await write("token", token);
      await vi.waitFor(() => expect(renewed.length).toBe(index + 1));
      await gateway.post(buildReceiverRequest());
      expect(came.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
    }
    expect(renewed).toEqual([
      ["first", 0],
      ["first", 1],
    ]);
  });

  it("the token of a file is sent without the line's end, and the new one when the file changes", async () => {
    const { came, gateway, write } = await startBank(async (put) => ({ bearerTokenFile: await put("token", "one\n") }));
    await gateway.post(buildReceiverRequest());
    expect(came[0]?.headers.authorization).toBe("Bearer one");
    await write("token", "two");
    await vi.waitFor(async () => {
      await gateway.post(buildReceiverRequest());
      expect(came.at(-1)?.headers.authorization).toBe("Bearer two");
    });
  });

  it("they stay as they were while a file is wrong, which is logged without the file's content", async () => {
    const { came, gateway, write, lines, gauge } = await startBank(async (put) => ({
      bearerTokenFile: await put("token", "one"),
      signingKeys: [symmetric({ secretFile: await put("signing", oldSecret) })],
    }));
    await gateway.post(signedNow());
    await write("signing", `${oldSecret}\nwhsec_s3cret`);
    await write("token", "s3cret\nx-other: s3cret");
    await vi.waitFor(() => expect(gauge("sluice_delivery_credentials_not_read")).toBe(2));
    await gateway.post(signedNow());
    expect([came[1]?.headers.authorization, verifyingSecrets(came[1]!, [oldSecret])]).toEqual(["Bearer one", [oldSecret]]);
    expect(lines).toContainEqual(["credentials.not-read", { receiver: "first", member: "signingKeys[0]", reason: "no-signing-key" }]);
    expect(lines).toContainEqual(["credentials.not-read", { receiver: "first", member: "bearerTokenFile", reason: "no-bearer-token" }]);
    expect(JSON.stringify(lines)).not.toMatch(/s3cret|whsec_/);
  });

  it.each([
    ["token", { bearerTokenFile: "/nowhere/token" }],
    ["signing key", { signingKeys: [symmetric({ secretFile: "/nowhere/signing" })] }],
  ])("nothing is sent without the configured %s", async (_, members) => {
    const { came, gateway } = await startBank(() => Promise.resolve(members));
    expect(await gateway.post(buildReceiverRequest())).toEqual({ kind: "silent", reason: "credentials-not-read" });
    expect(came).toEqual([]);
  });

  it("more than four secrets are refused", async () => {
    const secrets = [1, 2, 3, 4, 5].map(makeSecret).join("\n");
    const { gateway } = await startBank(async (put) => ({ signingKeys: [symmetric({ secretFile: await put("signing", secrets) })] }));
    expect(await gateway.post(buildReceiverRequest())).toEqual({ kind: "silent", reason: "credentials-not-read" });
  });
});
