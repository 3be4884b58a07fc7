// Times the answers of a page of questions (docs/operator-questions.md) against what is up: each page and each command
// three times, the median.
//
// #1 A page is timed from the request to its last byte, a command from its start to its end as a process.
// #2 What decides is not sent: of a decision the page is timed on which it begins.
// #3 An answer that is no answer (a page other than 200, a command that is wrongly used or not answered) is no time.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { sleep, type Time } from "@sluice/kernel";

export interface QuestionsPorts {
  readonly time: Time;
  /** Address of the control API. */
  readonly address: string;
  readonly token: string;
  /** Folder in which `./sluice` runs. */
  readonly folder: string;
  /** Environment of a command. */
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
}

/** Text that stands for something of what is up, and what it stands for. */
type Places = Readonly<Record<"UETR" | "ID" | "DAY" | "FILE", string>>;

const timesEach = 3;
/** A page asks the control API several times, which takes 50 requests a second of one operator. */
const pageSpacingMs = 200;
/** Commands that ask and decide nothing. */
const questions: readonly string[] = [
  "tx",
  "search",
  "counts",
  "rates",
  "held",
  "windows",
  "window list",
  "window outlook",
  "bank history",
  "alarms",
  "undelivered",
  "failing",
  "bank list",
  "bank own",
  "services",
  "status",
  "conservation",
  "decisions",
  "proposals",
  "dead-letters list",
  "reconciliation list",
  "calendar show",
];
/** Exit 1 is an answer: something is not well. */
const answered: ReadonlySet<number | null> = new Set([0, 1]);

/** Returns the page with the times in its table's last two columns, and `said` in its line "Measured …". */
export async function timeQuestions(ports: QuestionsPorts, page: string, said: string): Promise<string> {
  const places = await findPlaces(ports);
  const cookie = await signIn(ports);
  const lines: string[] = [];
  for (const line of page.replace(/^Measured .*$/m, said).split("\n")) lines.push(await timeLine({ ...ports, cookie }, places, line));
  return lines.join("\n");
}

async function signIn({ address, token }: QuestionsPorts): Promise<string> {
  const body = new URLSearchParams({ token, next: "/" }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await fetch(`${address}/sign-in`, { method: "POST", redirect: "manual", headers, body });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (cookie === undefined) throw new Error(`${address} does not take the token: HTTP ${answer.status}`);
  return cookie;
}

async function findPlaces(ports: QuestionsPorts): Promise<Places> {
  const [transaction, bank, day] = await Promise.all([
    readFirst(ports, "/transactions?sort=newest&limit=1", () => true),
    readFirst(ports, "/banks", ({ kind }) => kind === "bank"),
    readFirst(ports, "/windows", () => true),
  ]);
  const text = (row: Row, member: string): string => String(row[member]);
  return {
    UETR: text(transaction, "uetr"),
    ID: text(bank, "bank"),
    DAY: text(day, "day"),
    FILE: text(transaction, "messageIdentification"),
  };
}

type Row = Readonly<Record<string, unknown>>;

async function readFirst({ address, token }: QuestionsPorts, path: string, isWanted: (row: Row) => boolean): Promise<Row> {
  const answer = await fetch(`${address}/control/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  const body: unknown = await answer.json();
  const { rows = [] }: { readonly rows?: readonly Row[] } = Object(body);
  const row = rows.find(isWanted);
  if (row === undefined) throw new Error(`what is up has nothing of ${path}: send something first`);
  return row;
}

interface Visiting extends QuestionsPorts {
  readonly cookie: string;
}

async function timeLine(visiting: Visiting, places: Places, line: string): Promise<string> {
  if (!line.startsWith("| ")) return line;
  const [question = "", shown = "", command = ""] = line.split("|").slice(1, 4);
  const same = `|${question}|${shown}|${command}|`;
  if (question === " question ") return `${same} page in | command in |`;
  if (question === " --- ") return `${same} ---: | ---: |`;
  const [pagePath, asked] = [findPagePath(shown), /`([^`]*)`/.exec(command)?.[1] ?? ""];
  const pageMs = pagePath === null ? null : await timePage(visiting, fillIn(pagePath, places));
  const commandMs = await timeAsked(visiting, fillIn(asked, places));
  visiting.say(`${question.trim()} ${showMs(pageMs)}, ${showMs(commandMs)}`);
  return `${same} ${showMs(pageMs)} | ${showMs(commandMs)} |`;
}

/** The first address of the cell; "Find" is the search in the header. */
function findPagePath(cell: string): string | null {
  return cell.startsWith(" Find") ? "/search?q=UETR" : (/`(\/[^`]*)`/.exec(cell)?.[1] ?? null);
}

function fillIn(given: string, places: Places): string {
  return Object.entries(places).reduce((text, [name, value]) => text.replaceAll(name, value), given);
}

async function timeAsked(visiting: Visiting, asked: string): Promise<number | null> {
  const path = /^GET (\/control\/v1\/\S+)/.exec(asked)?.[1];
  if (path !== undefined) return await timePage(visiting, path);
  const words = asked.replace(/^\.\/sluice /, "");
  const isQuestion = questions.some((name) => words === name || words.startsWith(`${name} `));
  return isQuestion ? await timeCommand(visiting, words.split(" ")) : null;
}

async function timePage({ time, address, cookie, token }: Visiting, path: string): Promise<number | null> {
  const headers: Record<string, string> = path.startsWith("/control/") ? { authorization: `Bearer ${token}` } : { cookie };
  return await median(async () => {
    await sleep(time, pageSpacingMs);
    const beganMs = time.monotonicMs();
    const answer = await fetch(`${address}${path}`, { headers });
    await answer.arrayBuffer();
    return answer.status === 200 ? time.monotonicMs() - beganMs : null;
  });
}

async function timeCommand({ time, folder, environment }: Visiting, words: readonly string[]): Promise<number | null> {
  return await median(async () => {
    const beganMs = time.monotonicMs();
    const child = spawn(join(folder, "sluice"), words, { cwd: folder, env: environment, stdio: "ignore" });
    const [code]: readonly unknown[] = await once(child, "exit");
    return typeof code === "number" && answered.has(code) ? time.monotonicMs() - beganMs : null;
  });
}

/** Null if one of them was no answer. */
async function median(measure: () => Promise<number | null>): Promise<number | null> {
  const measured: number[] = [];
  for (let nth = 0; nth < timesEach; nth += 1) {
    const tookMs = await measure();
    if (tookMs === null) return null;
    measured.push(tookMs);
  }
  return measured.toSorted((a, b) => a - b)[Math.floor(timesEach / 2)] ?? null;
}

function showMs(measured: number | null): string {
  return measured === null ? "–" : `${Math.round(measured)} ms`;
}
