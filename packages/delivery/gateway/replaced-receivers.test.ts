import { sampleBank } from "@sluice/testkit";
import { expect, it } from "vitest";
import type { DeliveryReceiver } from "../endpoint/operation-addresses.ts";
import { buildReceiverRequest, gatewayOptions, loopbackBlocks, openGatewayEnvironment } from "./gateway.fixture.ts";
import { createUndiciGateway } from "./gateway-undici.ts";

const { defer, httpBank, folder } = openGatewayEnvironment();

function bankAt(id: string, baseUrl: string, members: Partial<DeliveryReceiver> = {}): DeliveryReceiver {
  return sampleBank({ id, baseUrl, allowedAddresses: loopbackBlocks, ...members });
}

/** A bank that notes the local port of the caller, which stays while the connection is used again. */
async function givenBank() {
  const ports: (number | undefined)[] = [];
  const url = await httpBank(({ socket }, response) => {
    ports.push(socket.remotePort);
    response.writeHead(202).end();
  });
  return { url, ports };
}

function givenGateway(...receivers: readonly DeliveryReceiver[]) {
  const gateway = createUndiciGateway(receivers, gatewayOptions);
  defer(() => gateway.close());
  const post = (receiverId: string) => gateway.post(buildReceiverRequest({ receiverId }));
  return { gateway, post };
}

it("I14: a bank that is added is called at once, and the connection to another one is used on", async () => {
  const [first, added] = [await givenBank(), await givenBank()];
  const { gateway, post } = givenGateway(bankAt("first", first.url));
  await post("first");
  expect(await post("added")).toEqual({ kind: "silent", reason: "no-address" });
  gateway.replaceReceivers?.([bankAt("first", first.url), bankAt("added", added.url)]);
  expect(await post("added")).toMatchObject({ status: 202 });
  await post("first");
  expect(new Set(first.ports).size).toBe(1);
});

it("I14: a bank with another address is called there, while a request under way ends at the former one", async () => {
  const begun = Promise.withResolvers<void>();
  const ends = Promise.withResolvers<void>();
  const former = await httpBank((_, response) => {
    begun.resolve();
    void ends.promise.then(() => response.writeHead(202).end());
  });
  const [next, other] = [await givenBank(), await givenBank()];
  const { gateway, post } = givenGateway(bankAt("first", former), bankAt("second", other.url));
  await post("second");
  const underWay = post("first");
  await begun.promise;
  gateway.replaceReceivers?.([bankAt("first", next.url), bankAt("second", other.url)]);
  expect(await post("first")).toMatchObject({ status: 202 });
  expect(next.ports).toHaveLength(1);
  ends.resolve();
  expect(await underWay).toMatchObject({ status: 202 });
  await post("second");
  expect(new Set(other.ports).size).toBe(1);
});

it("a bank that is removed has no address, and one whose token is in a file is called only with it", async () => {
  const bank = await givenBank();
  const seen: (string | undefined)[] = [];
  const url = await httpBank(({ headers }, response) => {
    seen.push(headers.authorization);
    response.writeHead(202).end();
  });
  const { write } = await folder();
  const bearerTokenFile = await write("token", "from-a-file");
  const { gateway, post } = givenGateway(bankAt("first", bank.url));
  gateway.replaceReceivers?.([bankAt("second", url, { bearerTokenFile })]);
  expect(await post("first")).toEqual({ kind: "silent", reason: "no-address" });
  expect(await post("second")).toMatchObject({ status: 202 });
  expect(seen).toEqual(["Bearer from-a-file"]);
});
