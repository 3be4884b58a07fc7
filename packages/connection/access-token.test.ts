import { createServer } from "node:http";
import { createSecureContext } from "node:tls";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createTokenSource } from "./access-token.ts";
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

test("a token is asked for once, by all that need it, and again a minute before it ends", async () => {
  const { asked, time, token } = await openEndpoint();
  expect(await Promise.all([token(), token()])).toEqual(["token-1", "token-1"]);
  await time.advance(539_000);
  expect(await token()).toBe("token-1");
  await time.advance(1_000);
  expect(await token()).toBe("token-2");
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
