// Writes docs/security/matrix.md: who may ask for what, and how a caller is refused, from docs/security/matrix.yaml.
// `node tools/generate/docs/matrix.ts [--check]`. The test of the matrix asks every address in every way, and expects
// what `expectAnswer` says.
//
// #1 A caller whom a listener does not know gets what the listener answers to strangers, whatever the address is.
// #2 Who is known is refused for what it shows (401), then for what it may not do (403), and only then answered.
// #3 What anybody may ask for is answered to everybody in the same way.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { formatPageTable, runGenerator, writeOrCompare } from "../generator.ts";

export interface MatrixListener {
  readonly says: string;
  /** The kinds of callers that it knows. */
  readonly knows: readonly string[];
  /** The status for everybody else. */
  readonly stranger: number;
}

export interface MatrixRoute {
  readonly at: string;
  /** Method and path, as the router has them. */
  readonly route: string;
  /** `anybody`, a kind of party, or a role; `caller` is a bank or a connector. */
  readonly may: string;
  /** The status for who may. */
  readonly answer: number;
  /** The status for one of another bank or scheme who may; left out: the same. */
  readonly other?: number;
  /** The status for connectors who may; left out: the same. */
  readonly connectors?: number;
  /** The status for a form of another site; left out: that of strangers. */
  readonly otherSite?: number;
  /** The operators of one bank that may too: of that bank, or of any. */
  readonly ofBank?: "own" | "any";
  /**
   * The operators of one scheme that may too: of the scheme that is asked for, or of any. `stored`: only the store
   * knows the scheme, so that it is read before another one is refused.
   */
  readonly ofScheme?: "own" | "any" | "stored";
  /** The status for them, if it is another. */
  readonly schemesAnswer?: number;
  /** The role that Sluice's own operators need besides. */
  readonly also?: string;
  /** The status for who may, while what was asked for before is under way. */
  readonly again?: number;
  /** The status for them, if it is another. */
  readonly banksAnswer?: number;
  /** The kinds of callers that it knows, if they are not the listener's. */
  readonly knows?: readonly string[];
  /** The status for strangers, if it is not the listener's. */
  readonly stranger?: number;
  /** What stands for the parts of the path, if it is not the usual, and the query. */
  readonly asks?: string;
}

export interface MatrixWay {
  readonly way: string;
  readonly says: string;
  /** Bank, connector, operator or session; left out: nobody. */
  readonly is?: string;
  readonly roles?: readonly string[];
  /** The party is not the one that the addresses name, or has another scheme. */
  readonly isOther?: boolean;
  /** The operator has one bank alone. */
  readonly ofBank?: "own" | "other";
  /** The operator has one scheme alone. */
  readonly ofScheme?: "own" | "other";
  /** Why it is refused where it is known. */
  readonly refused?: string;
  /** `refused` counts for addresses whose route begins so; left out: for all. */
  readonly refusedFor?: string;
  /** `refused` counts only if it may ask: that is known when the whole message was read. */
  readonly isRefusedLast?: boolean;
  /** The listeners that it is tried at; left out: all. */
  readonly at?: readonly string[];
  /** Only routes that begin so are asked; left out: all. */
  readonly triedFor?: string;
}

export interface Matrix {
  readonly listeners: Readonly<Record<string, MatrixListener>>;
  readonly routes: readonly MatrixRoute[];
  readonly ways: readonly MatrixWay[];
}

export interface ExpectedAnswer {
  readonly status: number;
  /** Why nobody was let in; null: for another cause, or somebody was. */
  readonly reason: string | null;
  /** Nothing may be appended and nothing read for this request. */
  readonly isRefused: boolean;
  /** It is refused for what the store says, so that the store is read. */
  readonly mayRead?: true;
}

const page = "docs/security/matrix.md";
const source = "docs/security/matrix.yaml";

export function readMatrix(root: string): Matrix {
  const matrix: Matrix = parse(readFileSync(join(root, source), "utf8"));
  return matrix;
}

/** Lists the ways that are tried at an address. */
export function listWays({ ways }: Matrix, { at: listener, route }: Pick<MatrixRoute, "at" | "route">): readonly MatrixWay[] {
  return ways.filter(({ at, triedFor = "" }) => (at === undefined || at.includes(listener)) && route.startsWith(triedFor));
}

/** #1 #2 #3 */
export function expectAnswer(listener: MatrixListener, route: MatrixRoute, way: MatrixWay): ExpectedAnswer {
  if (route.may === "anybody") return { status: route.answer, reason: null, isRefused: true };
  const stranger = route.stranger ?? listener.stranger;
  const knows = route.knows ?? listener.knows;
  if (way.refused === "other-site" && route.otherSite !== undefined) return { status: route.otherSite, reason: null, isRefused: true };
  if (way.is === undefined || !knows.includes(way.is)) return { status: stranger, reason: "unknown", isRefused: true };
  const { refused, refusedFor = "" } = way;
  if (refused === "form" || refused === "other-site") return { status: 403, reason: null, isRefused: true };
  const isFirst = way.isRefusedLast !== true || mayAsk(route, way);
  if (refused !== undefined && isFirst && route.route.startsWith(refusedFor)) return { status: stranger, reason: refused, isRefused: true };
  if (way.ofScheme === "other" && route.ofScheme === "stored") return { status: 403, reason: null, isRefused: true, mayRead: true };
  if (!mayAsk(route, way)) return { status: 403, reason: null, isRefused: true };
  return { status: answerFor(route, way), reason: null, isRefused: false };
}

function answerFor({ answer, ...route }: MatrixRoute, { is, isOther, ofBank, ofScheme }: MatrixWay): number {
  const { other = answer, connectors = answer, banksAnswer = answer, schemesAnswer = answer } = route;
  if (ofScheme !== undefined) return schemesAnswer;
  if (ofBank !== undefined) return banksAnswer;
  if (is === "connector" && route.connectors !== undefined) return connectors;
  return isOther === true ? other : answer;
}

function mayAsk({ may, ofBank, ofScheme, also = may }: MatrixRoute, way: MatrixWay): boolean {
  if (way.roles === undefined) return may === way.is || may === "caller";
  if (way.ofScheme !== undefined && ofScheme !== "any" && (ofScheme === undefined || way.ofScheme === "other")) return false;
  if (way.ofBank === undefined) return way.roles.includes(may) && way.roles.includes(also);
  return way.roles.includes(may) && (ofBank === "any" || ofBank === way.ofBank);
}

/** Returns the differences, one sentence each; none when all is well. */
export function generateMatrix(root: string, isCheck: boolean): readonly string[] {
  const matrix = readMatrix(root);
  const mistakes = findMatrixMistakes(matrix);
  return mistakes.length > 0 ? mistakes : writeOrCompare(root, page, buildPage(matrix), isCheck);
}

export function findMatrixMistakes({ listeners, routes, ways }: Matrix): readonly string[] {
  const named = [...routes.map(({ at, route }) => `${at} ${route}`), ...ways.map(({ way }) => way)];
  const unknown = [...routes.map(({ at }) => at), ...ways.flatMap(({ at = [] }) => at)].filter((at) => listeners[at] === undefined);
  return [
    ...named.filter((name, index) => named.indexOf(name) !== index).map((name) => `${name} has two rows`),
    ...unknown.map((at) => `there is no listener ${at}`),
  ];
}

function buildPage(matrix: Matrix): string {
  const { listeners, routes, ways } = matrix;
  const countOf = (at: string): number =>
    routes.filter((route) => route.at === at).reduce((sum, route) => sum + listWays(matrix, route).length, 0);
  const listenerRows = Object.entries(listeners).map(([at, { says, knows, stranger }]) => [
    at,
    says,
    knows.join(", ") || "nobody",
    `${stranger}`,
    `${routes.filter((route) => route.at === at).length}`,
    `${countOf(at)}`,
  ]);
  const total = Object.keys(listeners).reduce((sum, at) => sum + countOf(at), 0);
  const wayRows = ways.map(({ way, says, is = "nobody", refused = "", refusedFor, at = Object.keys(listeners) }) => [
    way,
    says,
    is,
    refusedFor === undefined ? refused : `${refused}, for \`${refusedFor.trim()}\``,
    at.join(", "),
  ]);
  const tables = Object.entries(listeners).map(([at, { says }]) => {
    const own = routes.filter((route) => route.at === at);
    const rows = own.map((route) => [`\`${route.route}\``, mayCell(route), answerCell(route)]);
    return `## ${at}\n\n${says}.\n\n${formatPageTable(["address", "may", "answer"], rows)}`;
  });
  return `# Who may ask for what

Generated by \`./sluice generate\` from \`docs/security/matrix.yaml\`. Do not edit.

The [test of the matrix](../../test/interface/matrix/matrix.test.ts) asks each address of each listener in each way,
over TLS on real ports: ${total} requests.

- The addresses come from the running routers. One that has no row here fails the test.
- For who is refused nothing may be appended to the log but to the audit, and nothing read from the store but the scheme
  of a transaction.
- The answer to who may is that of the test's data: what counts is that it was let in.
- Another method at an address is answered 405 and another address 404 before anybody is asked who they are. In the
  browser an unknown address leads to the sign-in.

${formatPageTable(["listener", "for", "knows", "strangers get", "addresses", "requests"], listenerRows)}
## Ways to come

Where a listener does not know the kind of caller, it is a stranger, whatever it shows.

${formatPageTable(["way", "shows", "is", "refused as", "tried at"], wayRows)}
${tables.join("\n")}`;
}

function mayCell({ may, ofBank, ofScheme }: MatrixRoute): string {
  return [
    may,
    ...(ofBank === undefined ? [] : [`operators of ${ofBank === "own" ? "that" : "any"} bank`]),
    ...(ofScheme === undefined ? [] : [`operators of ${ofScheme === "any" ? "any" : "that"} scheme`]),
  ].join(", and ");
}

function answerCell({ answer, other, connectors, banksAnswer, schemesAnswer, stranger }: MatrixRoute): string {
  return [
    `${answer}`,
    ...(connectors === undefined ? [] : [`connectors ${connectors}`]),
    ...(banksAnswer === undefined ? [] : [`operators of a bank ${banksAnswer}`]),
    ...(schemesAnswer === undefined ? [] : [`operators of a scheme ${schemesAnswer}`]),
    ...(other === undefined ? [] : [`another's ${other}`]),
    ...(stranger === undefined ? [] : [`strangers ${stranger}`]),
  ].join(", ");
}

if (import.meta.main) runGenerator(generateMatrix);
