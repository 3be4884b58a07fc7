import { createServer } from "node:https";
import { openFolders } from "@sluice/connection/folder.fixture";
import { machineTime } from "@sluice/kernel";
import { createCertificateAuthority } from "@sluice/testkit";
import { expect, test } from "vitest";
import { controlClient, controlTerminal, trustAuthorities } from "./control-client.ts";

const { defer, folder } = openFolders();

test("a console with TLS is trusted by the authorities of a file, and a refusal says why", async () => {
  const authority = createCertificateAuthority("Ours", machineTime.nowMs());
  const { certificatePem: cert, keyPem: key } = authority.issue({ name: "console", hosts: ["127.0.0.1"] });
  const server = createServer({ cert, key }, (_, response) => response.end('{"schema":"Status"}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  defer(() => server.closeAllConnections());
  defer(() => server.close());
  const address = server.address();
  const url = `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const client = await controlClient({ value: () => url }, controlTerminal);
  await expect(client.get("/status")).rejects.toThrow(/the console does not answer at .*: unable to verify/);
  const { write } = await folder();
  trustAuthorities(await write("ca", authority.pem));
  expect(await client.get("/status")).toEqual({ schema: "Status" });
  expect(() => trustAuthorities("/nowhere/ca.pem")).toThrow("SLUICE_CONTROL_CA_FILE is not a PEM file");
});
