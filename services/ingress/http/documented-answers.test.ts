// Ingress does what the OpenAPI document says: it accepts each example, and answers each error in the documented words.

import { servedOperations, type ServedOperationName } from "@sluice/contracts";
import {
  buildProvokingBody,
  buildReceivedExamples,
  createDocumentCheck,
  type DocumentedError,
  documentedErrors,
  errorBody,
  errorsFor,
  type ObservedExchange,
} from "@sluice/documents/check";
import { sampleBank, sampleScheme, sampleTimes } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { authorizationFor, startTestIngress, postBody, sampleParties } from "../ingress.fixture.ts";

const check = createDocumentCheck();
const operations = servedOperations.filter(({ service }) => service === "ingress");
const addresses = operations.flatMap(({ name, paths, caller }) => paths.map((path) => ({ name, path, caller })));

interface Sent {
  readonly name: ServedOperationName;
  readonly path: string;
  readonly caller: "bank" | "connector";
  readonly text: string;
}

const withoutSundays = { ...sampleTimes, calendar: { ...sampleTimes.calendar, workingDays: [1, 2, 3, 4, 5, 6] } };

/** The configuration lets the operation's sender declare the credits. */
function given(name: ServedOperationName) {
  return declaredBy(name === "creditsFinal" ? "bank" : "connector");
}

function declaredBy(creditsFinal: "bank" | "connector" | "clock") {
  const [, ...others] = sampleParties.schemes;
  return startTestIngress({ ...sampleParties, schemes: [sampleScheme({ creditsFinal, times: withoutSundays }), ...others] });
}

const authorizations = { bank: authorizationFor("first"), connector: authorizationFor("clearing") } as const;
const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function exchange(response: Response, { path, text }: Sent): Promise<ObservedExchange & { readonly answer: Uint8Array }> {
  return { method: "POST", path, body: toBytes(text), status: response.status, answer: new Uint8Array(await response.arrayBuffer()) };
}

describe("the document itself", () => {
  it.each(["/openapi.json", "/docs"])("%s is open to anybody, and read-only", async (path) => {
    const { ingress } = await startTestIngress();
    const read = await ingress.fetch(new Request(`http://ingress${path}`));
    expect([read.status, (await read.text()).length > 500]).toEqual([200, true]);
    const posted = await ingress.fetch(new Request(`http://ingress${path}`, { method: "POST" }));
    expect([posted.status, await posted.json()]).toMatchObject([404, { schema: "ErrorDetail" }]);
  });
});

describe("the examples of the document", () => {
  it.each(addresses)("$path: each is answered 202 with an empty body, as documented", async ({ name, path, caller }) => {
    const { requested } = await given(name);
    for (const { value } of buildReceivedExamples(name)) {
      const text = JSON.stringify(value);
      const response = await requested(path, postBody(toBytes(text), authorizations[caller]));
      const answered = await exchange(response, { name, path, caller, text });
      expect([answered.status, answered.answer.byteLength, response.headers.get("content-length")]).toEqual([202, 0, "0"]);
      expect(check.checkServed(answered)).toEqual([]);
    }
  });
});

describe("a message that was accepted", () => {
  const ofTransactions = addresses.filter(({ name }) => !["creditsFinal", "schemeCreditsFinal"].includes(name));
  it.each(ofTransactions)("$path: no method and no kind of message takes it back [D7.14]", async ({ name, path, caller }) => {
    const { requested, journal } = await given(name);
    const message = buildReceivedExamples(name)[0]?.value;
    const send = (schema: object): Promise<Response> =>
      requested(path, postBody(toBytes(JSON.stringify(Object.assign({}, message, schema))), authorizations[caller]));
    expect((await send({})).status).toBe(202);
    const accepted = journal().length;
    const answers = [await send({ schema: "PaymentCancellationRequest" })];
    for (const method of ["DELETE", "PUT", "PATCH"]) answers.push(await requested(path, { method, headers: authorizations[caller] }));
    expect(answers.filter(({ status }) => status < 400 || status > 499)).toEqual([]);
    expect([accepted, journal().length]).toEqual([1, 1]);
  });
});

/** The request for each documented error; null: the error is caused in another way. */
function provocation({ provoke }: DocumentedError, { path, caller, text }: Sent): readonly [path: string, init: RequestInit] | null {
  if (provoke === null) return null;
  const usual = (headers: Record<string, string | undefined> = {}, body = text): RequestInit =>
    postBody(toBytes(body), { ...authorizations[caller], ...headers });
  if (!("request" in provoke)) return [path, usual()];
  switch (provoke.request) {
    case "get":
      return [path, { method: "GET", headers: authorizations[caller] }];
    case "no-token":
      return [path, usual({ authorization: undefined })];
    case "other-kind-of-caller":
      return [path, usual(authorizations[caller === "bank" ? "connector" : "bank"])];
    case "other-bank":
      return [path, usual(authorizationFor("second"))];
    case "other-path":
      return [`${path}/elsewhere`, usual()];
    case "other-media-type":
      return [path, usual({ "content-type": "application/xml" })];
    case "compressed":
      return [path, usual({ "content-encoding": "gzip" })];
    case "chunked":
      return [path, usual({ "content-length": undefined })];
    case "too-large":
      return [path, usual({}, text + " ".repeat(262_144))];
    default:
      throw new Error(`no such request: ${String(provoke.request satisfies never)}`);
  }
}

describe("the errors of the document", () => {
  it.each(addresses)("$path: each is answered in the documented words, and nothing is stored", async ({ name, path, caller }) => {
    const { requested, journal } = await given(name);
    const errors = errorsFor(name).filter(({ provoke }) => provoke !== null);
    const answers: unknown[] = [];
    for (const error of errors) {
      const sent = { name, path, caller, text: buildProvokingBody(name, error) };
      const [at, init] = provocation(error, sent) ?? ["", {}];
      const answered = await exchange(await requested(at, init), sent);
      answers.push([error.name, answered.status, JSON.parse(new TextDecoder().decode(answered.answer)), ...check.checkServed(answered)]);
    }
    expect(answers).toEqual(errors.map((error) => [error.name, error.status, errorBody(error)]));
    expect(errors.length).toBeGreaterThan(8);
    expect(journal()).toEqual([]);
  });

  const named = (name: string): DocumentedError | undefined => documentedErrors.find((error) => error.name === name);
  const path = "/transactions/outbound/direct-debit";
  const debit = toBytes(JSON.stringify(buildReceivedExamples("outboundDirectDebit")[0]?.value));

  it.each([
    ["creditsFinal", "connector", "declaredByConnector"],
    ["schemeCreditsFinal", "bank", "declaredByBanks"],
    ["creditsFinal", "clock", "declaredByClock"],
    ["schemeCreditsFinal", "clock", "declaredByClock"],
  ] as const)("422: %s if the %s declares", async (name, declarer, error) => {
    const { requested } = await declaredBy(declarer);
    const day = toBytes(JSON.stringify(buildReceivedExamples(name)[0]?.value));
    const sent = addresses.find((address) => address.name === name)!;
    const answered = await requested(sent.path, postBody(day, authorizations[sent.caller]));
    expect([answered.status, await answered.json()]).toEqual([422, errorBody(named(error)!)]);
  });

  it("422: a scheme that is not configured", async () => {
    const { requested } = await startTestIngress({ ...sampleParties, schemes: [sampleScheme({ id: "ZA_RTC" })] });
    const answered = await requested(path, postBody(debit));
    expect([answered.status, await answered.json()]).toEqual([422, errorBody(named("unknownScheme")!)]);
  });

  it("429: a caller above its rate, and one with too many connections, with Retry-After", async () => {
    const banks = [sampleBank({ id: "first", requestsPerSecond: 1, inboundConnections: 1 })];
    const { requested } = await startTestIngress({ ...sampleParties, banks });
    const connection = () => ({ remoteAddress: "192.0.2.1", onClose: () => {}, authenticated: () => {} });
    await requested(path, postBody(debit), connection());
    const overConnections = await requested(path, postBody(debit), connection());
    const overRate = await requested(path, postBody(debit));
    expect(await overRate.json()).toEqual(errorBody(named("overRate")!));
    expect(await overConnections.json()).toEqual(errorBody(named("overConnections")!));
    expect([overRate, overConnections].map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([
      [429, "1"],
      [429, "1"],
    ]);
  });

  it("503: not stored, or not known, with Retry-After", async () => {
    const { requested, environment, ingress } = await startTestIngress();
    environment.fate = { kind: "lose-answer" };
    const unknown = await requested(path, postBody(debit));
    expect([unknown.status, unknown.headers.get("retry-after"), await unknown.json()]).toEqual([
      503,
      "1",
      errorBody(named("unknownWhetherStored")!),
    ]);
    void ingress.stop();
    const stopping = await requested(path, postBody(debit));
    expect([stopping.status, stopping.headers.get("retry-after"), await stopping.json()]).toEqual([
      503,
      "1",
      errorBody(named("notStored")!),
    ]);
  });
});
