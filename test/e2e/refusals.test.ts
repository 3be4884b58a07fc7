// Sends invalid requests to a real ingress process on a real broker. Each is answered with a clear ErrorDetail, and
// nothing is stored.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { request as httpRequest } from "node:http";
import { provision, serviceEnvironment, startService } from "@sluice/environment";
import { partitionCountDefault, topics } from "@sluice/contracts";
import { makeRunDirectory } from "@sluice/local-servers";
import { createKafkaMessaging, type Messaging } from "@sluice/messaging";
import { machineTime, silentLogger } from "@sluice/kernel";
import { encodeBody, buildDirectDebit, sampleToken } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { twoBanksYaml, serversFromEnvironment, workFolder } from "./servers.fixture.ts";

const opened = new AsyncDisposableStack();
let port = 0;
let messaging: Messaging;
let storedBefore: bigint;

beforeAll(async () => {
  const servers = serversFromEnvironment();
  await provision(servers, "sluice_e2e_refusals");
  const directory = await makeRunDirectory(workFolder, "e2e");
  const configurationFile = join(directory, "sluice.yaml");
  await writeFile(configurationFile, twoBanksYaml);
  const ingress = await startService("ingress", serviceEnvironment({ servers, configurationFile }), join(directory, "ingress.log"), {
    directory,
  });
  opened.defer(async () => void (await ingress.stop()));
  await ingress.ready();
  port = ingress.port ?? 0;
  const connection = { brokers: servers.kafkaBrokers.split(","), clientId: "e2e" };
  messaging = createKafkaMessaging({ connection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  storedBefore = await stored(messaging);
});
afterAll(() => opened.disposeAsync());

interface Wrong {
  readonly what: string;
  readonly status: number;
  readonly method?: string;
  readonly path?: string;
  readonly token?: string | null;
  readonly contentType?: string;
  readonly body?: Uint8Array | string;
  readonly isChunked?: boolean;
}

const json = (value: unknown): string => JSON.stringify(value);
const invalidRequests: readonly Wrong[] = [
  { what: "a body that is not JSON", status: 400, body: "{ not json" },
  { what: "an empty body", status: 400, body: "" },
  { what: "another schema", status: 400, body: json({ ...buildDirectDebit(), schema: "CreditTransfer" }) },
  { what: "a missing member", status: 400, body: json({ ...buildDirectDebit(), debtor: undefined }) },
  { what: "an unknown member", status: 400, body: json({ ...buildDirectDebit(), surprise: 1 }) },
  { what: "a member twice", status: 400, body: `{"schema":"DirectDebit","schema":"DirectDebit"}` },
  { what: "more digits than the currency allows", status: 422, body: encodeBody(buildDirectDebit({ amount: "1250.505" })) },
  { what: "another bank's debit", status: 403, body: encodeBody(buildDirectDebit({ debtorBranch: "470010", creditorBranch: "470010" })) },
  {
    what: "a debtor at another bank",
    status: 422,
    body: encodeBody(buildDirectDebit({ debtorBranch: "470010", creditorBranch: "250655" })),
  },
  { what: "a body that is too large", status: 413, body: "x".repeat(256 * 1024 + 1) },
  { what: "a body without a length", status: 411, body: json(buildDirectDebit()), isChunked: true },
  { what: "another content type", status: 415, contentType: "text/plain", body: json(buildDirectDebit()) },
  { what: "an unknown path", status: 404, path: "/transactions/outbound/credit", body: json(buildDirectDebit()) },
  { what: "another method", status: 405, method: "PUT", body: json(buildDirectDebit()) },
  { what: "a request without a token", status: 401, token: null, body: json(buildDirectDebit()) },
  { what: "a request with a wrong token", status: 401, token: "guess", body: json(buildDirectDebit()) },
];

describe("I2: a refused request has no effect", () => {
  test.each(invalidRequests)("$what is answered $status with an ErrorDetail", async (invalid) => {
    const answer = await post(invalid);
    expect([answer.status, answer.contentType.split(";")[0]]).toEqual([invalid.status, "application/json"]);
    expect(JSON.parse(answer.text)).toMatchObject({
      schema: "ErrorDetail",
      message: expect.stringMatching(/./),
      detail: expect.stringMatching(/./),
    });
    expect(answer.text).not.toContain("62001872440");
  });

  test("no refused request is stored, and a valid debit is", async () => {
    expect(await stored(messaging)).toBe(storedBefore);
    const answer = await post({ what: "a good one", status: 202, body: encodeBody(buildDirectDebit()) });
    expect([answer.status, answer.text]).toEqual([202, ""]);
    expect(await stored(messaging)).toBe(storedBefore + 1n);
  });
});

async function stored(log: Messaging): Promise<bigint> {
  const partitions = Array.from({ length: partitionCountDefault }, (_, partition) => ({ topic: topics.journal, partition }));
  return (await log.ends(partitions)).reduce((sum, { logEnd }) => sum + logEnd, 0n);
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

async function post(invalid: Wrong): Promise<Answer> {
  const {
    method = "POST",
    path = "/transactions/outbound/direct-debit",
    contentType = "application/json",
    token = sampleToken("first"),
    body = "",
  } = invalid;
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const length: Record<string, string> =
    invalid.isChunked === true ? { "transfer-encoding": "chunked" } : { "content-length": String(Buffer.byteLength(body)) };
  return await new Promise<Answer>((resolve, reject) => {
    const headers = { "content-type": contentType, ...authorization, ...length };
    const call = httpRequest({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers["content-type"] ?? "",
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    call.on("error", reject);
    call.end(body);
  });
}
