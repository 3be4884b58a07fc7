// The registry over TLS, with a login.

import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import { createSecureContext } from "node:tls";
import { machineTime } from "@sluice/kernel";
import { createCertificateAuthority } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";
import { createRegistryClient } from "./registry-client.ts";

const authority = createCertificateAuthority("Ours", machineTime.nowMs());
const { certificatePem: cert, keyPem: key } = authority.issue({ name: "registry", hosts: ["127.0.0.1"] });
const opened: (() => void)[] = [];
afterEach(() => opened.splice(0).forEach((close) => close()));

async function openRegistry(): Promise<{ readonly url: string; readonly logins: (string | undefined)[] }> {
  const logins: (string | undefined)[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    logins.push(request.headers.authorization);
    response.writeHead(401, { "content-type": "application/json" }).end('{"message":"Unauthorized"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => server.close());
  const address = server.address();
  return { url: `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`, logins };
}

test("each request uses the password and the authorities that are in force then", async () => {
  const { url, logins } = await openRegistry();
  let password = "first";
  let ca: string | undefined;
  const client = createRegistryClient(
    { url, tls: () => createSecureContext(ca === undefined ? {} : { ca }), login: () => ({ username: "u", password }) },
    machineTime,
  );
  await expect(client.ask("GET", "/subjects")).rejects.toMatchObject({ code: "contracts.registry-unavailable", isRetryable: true });
  ca = authority.pem;
  expect(await client.ask("GET", "/subjects")).toMatchObject({ status: 401, said: "the registry answers 401: Unauthorized" });
  password = "second";
  await client.ask("GET", "/subjects");
  expect(logins).toEqual(["first", "second"].map((one) => `Basic ${Buffer.from(`u:${one}`).toString("base64")}`));
});

test("no error repeats the password", async () => {
  const login = () => ({ username: "u", password: "s3cret" });
  const closed = createRegistryClient({ url: "http://127.0.0.1:1", login }, machineTime);
  const error: unknown = await closed.ask("GET", "/subjects").catch((reason: unknown) => reason);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/s3cret|dTpzM2NyZXQ/);
});

test("#1 a registry that does not answer is named by its address", async () => {
  const closed = createRegistryClient({ url: "http://u:s3cret@127.0.0.1:1/apis" }, machineTime);
  await expect(closed.ask("GET", "/subjects")).rejects.toThrow(/^the registry at 127\.0\.0\.1:1 does not answer: .*ECONNREFUSED/);
});

test.each([200, 302, 404])("#3 a page of another server, with status %i, is reported as a wrong address", async (status) => {
  const server = createPlainServer((_, response) => void response.writeHead(status, { "content-type": "text/html" }).end("<html>"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => server.close());
  const address = server.address();
  const host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const asked = createRegistryClient({ url: `http://${host}` }, machineTime).ask("POST", "/subjects/x", {});
  await expect(asked).rejects.toMatchObject({
    code: "contracts.registry-unavailable",
    isRetryable: true,
    message: `what answers at ${host} is no registry (HTTP ${status}): check SCHEMA_REGISTRY_URL, with its path`,
  });
});
