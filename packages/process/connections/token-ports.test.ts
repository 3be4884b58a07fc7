// The keys of an issuer at an address of its own, which answers, does not and answers again.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLogger, tokenAlgorithms } from "@sluice/kernel";
import { createMetrics, type TokenPorts } from "@sluice/service";
import { openAccessTokens } from "@sluice/service/access-tokens";
import { createTestIssuer, createVirtualTime, tokenAudience as audience } from "@sluice/testkit";
import { expect, test, vi } from "vitest";
import { loadKeySet } from "./token-ports.ts";

test("the gauge of an issuer rises while its address does not answer, and falls once it does", async () => {
  const time = createVirtualTime({ startAtMs: 0 });
  const { issuer, keySet } = await createTestIssuer(() => 0);
  const state = { isAway: false, ended: 0 };
  const server = createServer((request, response) => void (state.isAway ? request.socket.destroy() : response.end(keySet)));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const keys = { kind: "url", url: `http://127.0.0.1:${port}/jwks`, caFile: null } as const;
  const load: TokenPorts["loadKeySet"] = async (one) => await loadKeySet(one, time).finally(() => (state.ended += 1));
  const metrics = createMetrics({ withProcess: false });
  const ports = { time, logger: silentLogger, metrics, tokenPorts: { loadKeySet: load, origins: [] } };
  const tokens = openAccessTokens([{ issuer, audience, algorithms: tokenAlgorithms, keys }], ports);
  const series = async (): Promise<readonly string[]> =>
    (await metrics.text()).split("\n").filter((line) => line.startsWith("sluice_token_issuer_keys_not_read{"));
  const showing = (value: number): readonly string[] => [`sluice_token_issuer_keys_not_read{issuer="${issuer}"} ${value}`];
  const read = async (count: number): Promise<void> => await vi.waitFor(() => expect(state.ended).toBe(count));

  expect(await series()).toEqual(showing(0));
  await read(1);
  state.isAway = true;
  await time.advance(600_000);
  expect(await series()).toEqual(showing(0));
  await read(2);
  await vi.waitFor(async () => expect(await series()).toEqual(showing(1)));
  state.isAway = false;
  await time.advance(60_000);
  await series();
  await read(3);
  await vi.waitFor(async () => expect(await series()).toEqual(showing(0)));
  tokens?.replace([]);
  expect(await series()).toEqual([]);
});
