// Tests of an operator of some schemes: nothing of another scheme is in any answer, and nothing is decided about it.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { controlOperations, schemeScopes, type ControlOperation, type ControlOperationName } from "@sluice/contracts";
import { secondPersonActions } from "@sluice/domain";
import { sampleConfiguration } from "@sluice/testkit";
import { describe, expect, test } from "vitest";
import {
  asOwn,
  canaries,
  canariesOfOwn,
  configureBoth,
  foreign,
  nobody,
  openWithBoth,
  own,
  reason,
  schemeless,
} from "../outlook/both-schemes.fixture.ts";
import { readJsonObject } from "../console.fixture.ts";
import { buildOperatorAction, consoleUetrAt } from "../queries/stored-data.fixture.ts";
import { selectProposals } from "./within-schemes.ts";

/** What the texts of the schemas say of themselves, in every installation. */
const contractExamples = /for example ZA_(?:EFT|RTC)\.|What ZA_EFT asks of a debit\./g;

const bothSchemesFile =
  "schemes:\n  - { id: ZA_EFT, creditsFinal: connector }\n  - { id: ZA_RTC, creditsFinal: connector, reconciliation: '18:30' }\n";

type Environment = Awaited<ReturnType<typeof openWithBoth>>;

const parts = (scheme: string, uetr: string): Readonly<Record<string, string>> => ({
  uetr,
  scheme,
  date: "2026-11-20",
  bank: "first",
  action: "canary-1",
  month: "2026-09",
  letter: "0:0",
  topic: "sluice.journal.v1",
});

function addressOf(path: string, scheme: string, uetr: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts(scheme, uetr)[name] ?? "");
}

/** Each way to name the other scheme that an operation has, and none of them. */
function askedWays({ query, path }: ControlOperation): readonly string[] {
  const named: Readonly<Record<string, string>> = {
    scheme: "ZA_RTC",
    day: "ZA_RTC:2026-11-20",
    reconciliationDay: "ZA_RTC:2026-11-20",
    identificationStart: "canary-mess",
    identification: "canary-message",
    state: "HELD",
    bank: "first",
    sort: "newest",
    key: foreign,
    from: "2026-11-01T00:00:00Z",
  };
  const single = query.flatMap((name) => (named[name] === undefined ? [] : [`?${name}=${encodeURIComponent(named[name])}`]));
  const both = path.includes("export") ? ["?format=csv", "?format=json", "?day=ZA_RTC:2026-11-20&format=csv"] : [];
  const keys = query.includes("key") ? ["?key=ZA_RTC:2026-11-20", "?key=bank:first"] : [];
  return ["", ...single, ...both, ...keys];
}

const questions = controlOperations.filter(
  (operation: ControlOperation) => operation.kind === "question" && operation.name !== "streamOverview",
);

describe.each([
  ["of-eft", canaries],
  ["of-rtc", canariesOfOwn],
])("an operator of one scheme finds nothing of another: %s", (operator, others) => {
  test.each(questions)("$method $path [D10.133]", async (operation) => {
    const environment = await openWithBoth();
    const body = operation.method === "POST" ? { body: bothSchemesFile } : {};
    for (const uetr of [own, foreign, schemeless]) {
      for (const asked of askedWays(operation)) {
        for (const scheme of ["ZA_EFT", "ZA_RTC"]) {
          const address = `${addressOf(operation.path, scheme, uetr)}${asked}`;
          const answer = await environment.control(address, { operator, ...body });
          const text = (await environment.settled(answer.text())).replaceAll(contractExamples, "");
          if (answer.status === 403 || answer.status === 404 || answer.status === 400) continue;
          expect([address, answer.status, others.filter((canary) => text.includes(canary))]).toEqual([address, answer.status, []]);
        }
      }
    }
  });
});

test("the same questions of an operator of every scheme do find it, so that the search above can fail", async () => {
  const environment = await openWithBoth();
  for (const address of [
    "/transactions",
    "/transactions/export?format=csv",
    "/held",
    "/reconciliation",
    "/actions",
    "/windows?scheme=ZA_RTC&from=2026-11-20&to=2026-11-20",
    "/calendar/file-difference",
  ]) {
    const body = address === "/calendar/file-difference" ? { body: bothSchemesFile } : {};
    const text = await environment.settled((await environment.control(address, body)).text());
    expect([address, canaries.some((canary) => text.includes(canary))]).toEqual([address, true]);
  }
});

test("what is of the own scheme is shown, counted and decided as before [D10.133]", async () => {
  const environment = await openWithBoth();
  const read = async (path: string) => await readJsonObject(await environment.control(path, asOwn));
  const found = controlAnswers.searchTransactions.parse(await read("/transactions"));
  expect(found.rows.map(({ uetr }) => uetr)).toEqual([own]);
  expect(controlAnswers.countTransactions.parse(await read("/transactions/counts")).count).toBe(1);
  expect(controlAnswers.searchTransactions.parse(await read("/transactions?sort=newest")).rows).toHaveLength(1);
  expect(controlAnswers.listHeld.parse(await read("/held")).rows).toMatchObject([{ day: "ZA_EFT:2026-11-20", count: 1 }]);
  expect(controlAnswers.listReconciliation.parse(await read("/reconciliation")).rows).toHaveLength(1);
  expect(controlAnswers.listActions.parse(await read("/actions")).rows.map(({ id }) => id)).toEqual(["own-1"]);
  expect(controlAnswers.showMe.parse(await read("/me"))).toMatchObject({ ofSchemes: ["ZA_EFT"], schemes: [{ id: "ZA_EFT" }] });
  const withdrawn = await environment.control(`/transactions/${own}/withdrawal`, { ...asOwn, body: { reason }, actionId: "w-1" });
  expect([withdrawn.status, environment.journal().map(({ key }) => key)]).toEqual([202, [own]]);
});

const named = { offset: "0", contentSha256: "0".repeat(64) };
const refusedDecisions: readonly (readonly [string, object, string])[] = [
  [`/transactions/${foreign}/withdrawal`, { reason }, `${foreign} is of the scheme ZA_RTC, which is none of yours: ZA_EFT.`],
  [`/transactions/${foreign.toUpperCase()}/withdrawal`, { reason }, `${foreign} is of the scheme ZA_RTC, which is none of yours: ZA_EFT.`],
  [`/transactions/${schemeless}/withdrawal`, { reason }, `${schemeless} has no scheme yet, and you are an operator of ZA_EFT alone.`],
  [`/transactions/${foreign}/redrive`, { reason, messageIdentification: "m" }, `${foreign} is of the scheme ZA_RTC`],
  [`/transactions/${foreign}/stop`, { reason, messageIdentification: "m" }, `${foreign} is of the scheme ZA_RTC`],
  [`/transactions/${foreign}/note`, { reason, day: "ZA_RTC:2026-11-20" }, `${foreign} is of the scheme ZA_RTC`],
  [`/transactions/${foreign}/replay`, { reason }, `${foreign} is of the scheme ZA_RTC`],
  [`/transactions/${foreign}/resolution`, { reason, day: "ZA_RTC:2026-11-20", resolution: "MADE" }, `${foreign} is of the scheme ZA_RTC`],
  [`/transactions/${foreign}/resolution/confirmation`, { reason, ...named }, `${foreign} is of the scheme ZA_RTC`],
  ["/withdrawal", { reason, of: [own, foreign] }, `${foreign} is of the scheme ZA_RTC`],
  ["/withdrawal", { reason, of: [own, foreign], isDryRun: true }, `${foreign} is of the scheme ZA_RTC`],
  ["/resolution", { reason, of: [{ uetr: foreign, day: "ZA_EFT:2026-11-20" }], resolution: "MADE" }, `${foreign} is of the scheme ZA_RTC`],
  ["/resolution/confirmation", { reason, of: [{ uetr: foreign, ...named }] }, `${foreign} is of the scheme ZA_RTC`],
  ["/days/ZA_RTC/2026-11-20/credits-final", { reason }, "ZA_RTC is none of your schemes: ZA_EFT."],
  ["/days/ZA_RTC/2026-11-20/close-extension", { reason }, "ZA_RTC is none of your schemes: ZA_EFT."],
  ["/days/ZA_RTC/2026-11-20/gate-opening", { reason, bank: "first" }, "ZA_RTC is none of your schemes: ZA_EFT."],
  ["/banks/first/pause", { reason }, "This is about every scheme, and you are an operator of ZA_EFT alone."],
  ["/replay", { reason, of: ["0:0"], isDryRun: true }, "This is about every scheme"],
  ["/skip", { reason }, "This is about every scheme"],
];

test.each(refusedDecisions)(
  "%s is refused with a sentence that names the scheme, and nothing is appended [D10.133]",
  async (path, body, says) => {
    const environment = await openWithBoth();
    const answer = await environment.control(path, { ...asOwn, body, actionId: "x-1" });
    expect([answer.status, (await readJsonObject(answer))["detail"]]).toEqual([403, expect.stringContaining(says)]);
    expect(environment.journal()).toEqual([]);
  },
);

async function propose(environment: Environment, path: string, body: object, operator = "operator") {
  return await readJsonObject(await environment.control(path, { body, actionId: "p-1", operator }));
}

test.each([
  [`/transactions/${foreign}/withdrawal`, { reason: "canary reason" }],
  ["/withdrawal", { reason: "canary reason", of: [own, foreign] }],
])("a proposal about another scheme is not shown, and not confirmed, rejected or retracted: %s [D10.133]", async (path, body) => {
  const environment = await openWithBoth({ ...nobody, actions: secondPersonActions });
  const { offset, contentSha256 } = await propose(environment, path, body);
  const listed = await environment.settled((await environment.control("/proposals", asOwn)).text());
  const actions = await environment.settled((await environment.control("/actions", asOwn)).text());
  expect([listed, actions].flatMap((text) => canaries.filter((canary) => text.includes(canary)))).toEqual([]);
  for (const end of ["confirmation", "rejection", "retraction"]) {
    const answer = await environment.control(`/proposals/p-1/${end}`, {
      ...asOwn,
      body: { reason, offset, contentSha256 },
      actionId: "c-1",
    });
    expect([end, answer.status, (await readJsonObject(answer))["detail"]]).toEqual([end, 403, expect.stringContaining("ZA_RTC")]);
  }
  expect(environment.journal()).toEqual([]);
  const other = await environment.control("/proposals/p-1/confirmation", {
    operator: "second-person",
    body: { reason, offset, contentSha256 },
    actionId: "c-2",
  });
  expect(other.status).toBe(202);
});

test("the reads that judge proposals are bounded, and the answer says where they ended", async () => {
  const sizes: number[] = [];
  const load = (uetrs: readonly string[]) => Promise.resolve((sizes.push(uetrs.length), new Map()));
  const proposals = Array.from({ length: 30 }, (_, index) => {
    const of = Array.from({ length: 500 }, (_unused, place) => consoleUetrAt(index * 500 + place));
    const ends = { end: null, proposedAtMs: 0, expiresAtMs: 1, offset: BigInt(index), contentSha256: "" };
    const action = { ...buildOperatorAction({ id: `p-${index}` }), person: "operator", confirmedBy: null };
    return { action, operation: "withdrawDebits" as const, path: "/withdrawal", body: JSON.stringify({ reason, of }), ...ends };
  });
  const selected = await selectProposals({ store: { transactions: { load } } }, ["ZA_EFT"], proposals, proposals.length);
  expect([selected.own, selected.isWhole, selected.last?.offset, sizes]).toEqual([[], false, 19n, Array.from({ length: 10 }, () => 1_000)]);
});

test("a proposal is judged by the schemes that its proposer has when it is confirmed [D10.133]", async () => {
  const secondPerson = { ...nobody, actions: secondPersonActions };
  const environment = await openWithBoth(secondPerson);
  const { offset, contentSha256 } = await propose(environment, `/transactions/${own}/withdrawal`, { reason }, "of-eft");
  environment.desk.replaceConfiguration(sampleConfiguration(configureBoth(secondPerson, ["ZA_RTC"])));
  const body = { reason, offset, contentSha256 };
  const answer = await environment.control("/proposals/p-1/confirmation", { operator: "second-person", body, actionId: "c-1" });
  const { detail } = await readJsonObject(answer);
  expect([answer.status, detail, environment.journal()]).toEqual([409, expect.stringContaining("proposer-without-scheme"), []]);
  // It is about who proposed it, and names no scheme of theirs.
  expect(detail).not.toMatch(/yours|ZA_RTC/);
});

test("a decision of an operator of some schemes is judged once", async () => {
  const environment = await openWithBoth();
  const countLoads = async (operator: string, actionId: string) => {
    environment.environment.storeCalls = [];
    const answer = await environment.control(`/transactions/${own}/withdrawal`, { operator, body: { reason }, actionId });
    expect(answer.status).toBe(202);
    return environment.environment.storeCalls.filter((call) => call === "transactions.load").length;
  };
  const ofAll = await countLoads("operator", "w-1");
  expect(await countLoads("of-eft", "w-2")).toBe(ofAll + 1);
});

test("of proposals only those of the time asked for are judged, in one read of the store [D10.133]", async () => {
  const environment = await openWithBoth({ ...nobody, actions: secondPersonActions });
  for (let index = 0; index < 40; index += 1) {
    const uetr = index % 2 === 0 ? own : foreign;
    await environment.control(`/transactions/${uetr}/withdrawal`, { body: { reason }, actionId: `p-${index}` });
  }
  const ask = async (query: string) => {
    environment.environment.storeCalls = [];
    const answer = controlAnswers.listActions.parse(await readJsonObject(await environment.control(`/actions${query}`, asOwn)));
    const loads = environment.environment.storeCalls.filter((call) => call === "transactions.load").length;
    return { proposed: answer.rows.filter(({ key }) => key.startsWith("proposal:")).length, loads, isWhole: answer.isWhole };
  };
  const none = await ask("?from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z");
  // The one load is that of the decided transactions.
  expect(none).toEqual({ proposed: 0, loads: 1, isWhole: true });
  expect(await ask("?kind=WithdrawalRequested")).toMatchObject({ proposed: 0, loads: none.loads });
  expect(await ask("")).toEqual({ proposed: 20, loads: none.loads + 1, isWhole: true });
});

test("a proposal of the own scheme is shown to its operators alone, and confirmed by one [D10.133]", async () => {
  const environment = await openWithBoth({ ...nobody, actions: secondPersonActions });
  const { offset, contentSha256 } = await propose(environment, `/transactions/${own}/withdrawal`, { reason });
  const idsOf = async (operator: string) =>
    controlAnswers.listProposals
      .parse(await readJsonObject(await environment.control("/proposals", { operator })))
      .rows.map(({ id }) => id);
  expect([await idsOf("of-eft"), await idsOf("of-rtc"), await idsOf("operator")]).toEqual([["p-1"], [], ["p-1"]]);
  const body = { reason, offset, contentSha256 };
  expect((await environment.control("/proposals/p-1/confirmation", { ...asOwn, body, actionId: "c-1" })).status).toBe(202);
  expect(environment.journal().map(({ key }) => key)).toEqual([own]);
});

test("a UETR of which nothing is known yet is not handed on: by then it could have another scheme", async () => {
  const environment = await openWithBoth();
  await environment.schedulerReaches(1_000n);
  const uetr = consoleUetrAt(77);
  const answer = await environment.control(`/transactions/${uetr}/withdrawal`, { ...asOwn, body: { reason }, actionId: "w-1" });
  expect([answer.status, environment.journal()]).toEqual([[404, 503].find((status) => status === answer.status), []]);
});

test("an operation that nobody has judged is refused to an operator of some schemes", async () => {
  const environment = await openWithBoth();
  const unlisted = controlOperations.filter(({ name }) => schemeScopes[name satisfies ControlOperationName] === undefined);
  expect(unlisted.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["showSeries", "listAlarms", "listBanks", "showBank", "listDeadLetters"]),
  );
  for (const { method, path } of unlisted) {
    const body = method === "POST" ? { body: { reason } } : {};
    expect([path, (await environment.control(addressOf(path, "ZA_EFT", own), { ...asOwn, ...body })).status]).toEqual([path, 403]);
  }
});
