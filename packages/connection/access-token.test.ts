import { createServer } from "node:http";
import { createSecureContext } from "node:tls";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test, vi } from "vitest";
import { createTokenCache, createTokenSource } from "./access-token.ts";
import { openFolders } from "./folder.fixture.ts";

const { defer } = openFolders();

/** An endpoint that issues `token-1`, `token-2` and so on, or answers as it is asked to. */
async function openEndpoint(answer: { status: number; body?: object } = { status: 200 }) {
  const asked: { readonly authorization: string | undefined; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += String(chunk)));
    request.on("end", () => {
      asked.push({ authorization: request.headers.authorization, body });
      const issued = { access_token: `token-${asked.length}`, expires_in: 600 };
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body ?? issued));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  defer(() => server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const time = createVirtualTime({ startAtMs: 0 });
  const endpoint = { url: `http://127.0.0.1:${port}/token`, clientId: "sluice", clientSecret: () => "s3cret:&", scope: "kafka" };
  return { asked, time, token: createTokenSource({ ...endpoint, secureContext: () => createSecureContext() }, time) };
}

test("a token is asked for once, by all that need it, and again a minute before it ends, while it is still used", async () => {
  const { asked, time, token } = await openEndpoint();
  expect(await Promise.all([token(), token()])).toEqual(["token-1", "token-1"]);
  await time.advance(539_000);
  expect(await token()).toBe("token-1");
  await time.advance(1_000);
  expect(await token()).toBe("token-1");
  await vi.waitFor(async () => expect(await token()).toBe("token-2"));
  expect(asked[0]).toEqual({
    authorization: `Basic ${Buffer.from("sluice:s3cret%3A%26").toString("base64")}`,
    body: "grant_type=client_credentials&scope=kafka",
  });
});

test("an endpoint that refuses is asked again at the next need, and no error repeats the secret", async () => {
  const { asked, token } = await openEndpoint({ status: 401, body: { error: "invalid_client", error_description: "s3cret" } });
  for (const _ of [1, 2]) {
    await expect(token()).rejects.toMatchObject({
      code: "connection.no-token",
      isRetryable: true,
      message: "the endpoint that issues tokens gave none: it answers 401 invalid_client",
    });
  }
  expect(asked).toHaveLength(2);
});

test("an answer without a token is no token", async () => {
  const { token } = await openEndpoint({ status: 200, body: { access_token: "two words" } });
  await expect(token()).rejects.toThrow("its answer has no token");
});

/** A cache before an endpoint that answers, or not, as it is asked to. */
function openCache() {
  const time = createVirtualTime({ startAtMs: 0 });
  const endpoint = { isAway: false, asked: 0 };
  async function ask() {
    endpoint.asked += 1;
    if (endpoint.isAway) throw new Error("away");
    const body = JSON.stringify({ access_token: `token-${endpoint.asked}`, expires_in: 600 });
    return await Promise.resolve({ status: 200, body });
  }
  return { time, endpoint, cache: createTokenCache(ask, time) };
}

test("a token is used to its end while the endpoint is away, which is asked again every five seconds and not by each that needs it", async () => {
  const { time, endpoint, cache } = openCache();
  await cache.take();
  endpoint.isAway = true;
  await time.advance(540_000);
  for (let index = 0; index < 10; index += 1) expect(await cache.take()).toBe("token-1");
  expect(endpoint.asked).toBe(2);
  await time.advance(54_000);
  expect([await cache.take(), endpoint.asked]).toEqual(["token-1", 3]);
  await time.advance(1_000);
  await expect(cache.take()).rejects.toMatchObject({ code: "connection.no-token", isRetryable: true });
  endpoint.isAway = false;
  expect(await cache.take()).toBe("token-5");
});

test("a token that was refused is asked for again, and an older one that is refused takes nothing away", async () => {
  const { endpoint, cache } = openCache();
  const first = await cache.take();
  cache.drop(first);
  expect(await cache.take()).toBe("token-2");
  cache.drop(first);
  expect([await cache.take(), endpoint.asked]).toEqual(["token-2", 2]);
});
