// Each address of each listener, in each way to come, over TLS on real ports: `docs/security/matrix.yaml` has who may.
// The addresses come from the running routers, so that a new one without a row fails.

import { fileURLToPath } from "node:url";
import { controlPrefix } from "@sluice/contracts";
import { expectAnswer, generateMatrix, type MatrixRoute, type MatrixWay, readMatrix, listWays } from "@sluice/tools/matrix";
import { machineTime, sleep } from "@sluice/kernel";
import { afterAll, describe, expect, test } from "vitest";
import { openMatrixListeners } from "./matrix-listeners.fixture.ts";
import { addressOf, type MatrixAnswer, openAsking } from "./matrix-requests.fixture.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const matrix = readMatrix(root);
const opened = await openMatrixListeners();
const asking = openAsking(opened.callers);
afterAll(async () => {
  asking.close();
  await opened.close();
});

/** Requests that are under way at once. */
const atOnce = 12;
/** Milliseconds that the clock of the rates moves ahead before an address: each caller may ask again. */
const aheadMs = 400;
/** The same between two documents: what all of them together may send in a second is bounded. */
const aheadOfDocumentMs = 2_000;

async function inTurns<T>(all: readonly T[], width: number, work: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  const worker = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** What the answer says of why nobody was let in; a browser is led to the sign-in, and learns no reason. */
function reasonOf({ status, challenge }: MatrixAnswer): string | null {
  if (status !== 401 || challenge === null) return null;
  return /error(?:_description)?="(?!invalid_)([^"]+)"/.exec(challenge)?.[1] ?? "unknown";
}

/** Times that what is answered 503 is asked, and the milliseconds between. */
const [timesMax, againMs] = [5, 500];
const noBody = new TextEncoder().encode("{}");

function isDocument({ at, may }: MatrixRoute): boolean {
  return may === "anybody" && (at === "ingress" || at === "control");
}

/** While nothing is ready yet, or the machine is busy, the answer is 503, and the same may be asked again. */
async function askAgain(ask: () => Promise<MatrixAnswer>): Promise<MatrixAnswer> {
  for (let times = 1; times < timesMax; times += 1) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    await sleep(machineTime, againMs);
  }
  return await ask();
}

async function askInEachWay(route: MatrixRoute): Promise<void> {
  const { at } = route;
  const listener = matrix.listeners[at];
  const served = opened.listeners[at];
  if (listener === undefined || served === undefined) throw new Error(at);
  opened.moveAhead(aheadMs);
  const address = addressOf(route.route, route.asks);
  const wrong: string[] = [];
  const before = opened.countRecords();

  async function askOnce({ way }: MatrixWay, expected: ReturnType<typeof expectAnswer>): Promise<void> {
    const cell = `${at} ${route.route} ${way}`;
    // A proof counts once: what is asked before uses it.
    if (way === "proof-replayed") await asking.ask(at, served!.port, { ...address, body: address.body === null ? null : noBody }, way, "");
    const answer = await askAgain(() => asking.ask(at, served!.port, address, way, cell));
    const isSaid = at !== "pages" && expected.reason !== null;
    const reads = opened.readsOf(cell).join(",");
    const mayRead = !expected.isRefused || expected.mayRead === true || (at === "pages" && expected.reason === null);
    const got = `${answer.status} ${isSaid ? (reasonOf(answer) ?? "") : ""} ${reads}`;
    const isAgain = !expected.isRefused && answer.status === route.again;
    const wanted = `${isAgain ? answer.status : expected.status} ${isSaid ? expected.reason : ""} ${mayRead ? reads : ""}`;
    if (got !== wanted) wrong.push(`${cell}: ${got}, not ${wanted}`);
  }

  const cells = listWays(matrix, route).map((way) => ({ way, expected: expectAnswer(listener, route, way) }));
  // Documents have few places at once.
  const width = isDocument(route) ? 1 : atOnce;
  await inTurns(
    cells.filter(({ expected }) => expected.isRefused),
    width,
    async ({ way, expected }) => {
      if (isDocument(route)) opened.moveAhead(aheadOfDocumentMs);
      await askOnce(way, expected);
    },
  );
  expect(wrong).toEqual([]);
  expect([route.route, opened.countRecords()]).toEqual([route.route, before]);
  await inTurns(
    cells.filter(({ expected }) => !expected.isRefused),
    width,
    ({ way, expected }) => askOnce(way, expected),
  );
  expect(wrong).toEqual([]);
}

test("docs/security/matrix.md agrees with its source", () => {
  expect(generateMatrix(root, true)).toEqual([]);
});

test("each way is known here, and no other", () => {
  expect(Object.keys(opened.callers.ways).toSorted()).toEqual(matrix.ways.map(({ way }) => way).toSorted());
});

test("each address that a listener serves has a row, and each row an address", () => {
  const served = Object.entries(opened.listeners).flatMap(([at, { routes }]) =>
    routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${at} ${method} ${path}`),
  );
  expect(matrix.routes.map(({ at, route }) => `${at} ${route}`).toSorted()).toEqual(served.toSorted());
});

const elsewhere = Object.entries(opened.listeners).flatMap(([at, { routes }]) => [
  ...routes.filter(({ method }) => method === "ALL").map(({ path }) => ({ at, route: `ALL ${path}`, may: "anybody", answer: 405 })),
  ...(at === "pages" ? [] : [{ at, route: `GET ${at === "control" ? controlPrefix : ""}/nowhere`, may: "anybody", answer: 404 }]),
]);

describe("another method is refused before anybody is asked who they are, and so is another address", () => {
  test.each(elsewhere)("$at: $route", async ({ at, route, answer }) => {
    opened.moveAhead(aheadMs);
    for (const way of ["nothing", "bank", "connector", "operator"]) {
      const cell = `${at} ${route} ${way}`;
      const { status } = await asking.ask(at, opened.listeners[at]!.port, addressOf(route), way, cell);
      expect([cell, status, opened.readsOf(cell)]).toEqual([cell, answer, []]);
    }
  });
});

describe("who may ask, and who may not", () => {
  // The clocks of the services are moved ahead for documents, which come last.
  test.each(matrix.routes.toSorted((a, b) => Number(isDocument(a)) - Number(isDocument(b))))(
    "$at: $route for $may [D10.88] [D10.89] [D10.91]",
    askInEachWay,
  );
});
