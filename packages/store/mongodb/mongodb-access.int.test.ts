// A store whose address and certificates are replaced while it runs, on a real server behind TLS with certificates on
// both sides.

import { connect } from "node:net";
import { createSecureContext, createServer, type SecureContext } from "node:tls";
import { machineTime, silentLogger as logger } from "@sluice/kernel";
import { createCertificateAuthority } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";
import { createRenewableMongoStore } from "./mongodb-store.ts";

const address = new URL((process.env["MONGO_URL"] ?? "").replace(/^mongodb:/, "http:"));
const ours = createCertificateAuthority("Ours", machineTime.nowMs());
const server = ours.issue({ name: "store", hosts: ["127.0.0.1"] });
const client = ours.issue({ name: "sluice" });
const opened = new AsyncDisposableStack();
afterEach(async () => await opened.disposeAsync());

/** Hands on to the store what comes over TLS with a certificate of ours. */
async function openTls(): Promise<string> {
  const tls = { key: server.keyPem, cert: server.certificatePem, ca: ours.pem, requestCert: true, rejectUnauthorized: true };
  const listening = createServer(tls, (near) => {
    const far = connect(Number(address.port), address.hostname);
    near.pipe(far).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  listening.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  opened.defer(() => void listening.close());
  const bound = listening.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return `mongodb://127.0.0.1:${port}/?directConnection=true&serverSelectionTimeoutMS=1000`;
}

test("calls after a renewal use what the files have then", async () => {
  const url = await openTls();
  const ca = ours.pem;
  let tls: SecureContext = createSecureContext({ ca });
  const store = createRenewableMongoStore({
    access: () => ({ url, login: null, tls }),
    database: "access_test",
    logger,
    time: machineTime,
  });
  opened.defer(() => store.close());
  await expect(store.ping()).rejects.toMatchObject({ code: "store.unavailable", isRetryable: true });
  tls = createSecureContext({ ca, cert: client.certificatePem, key: client.keyPem });
  store.renew();
  await store.ping();
  expect(await store.days.load(["ZA_EFT:2026-11-20"])).toEqual(new Map());
});
