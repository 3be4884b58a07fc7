// The three tasks in a browser.
//
// #1 A click is a click or an Enter. Words that are typed and boxes that stay as they are do not count.
// #2 A task is done when the console says so. One that is not done within a minute is a problem.

import type { Time } from "@sluice/kernel";
import type { Browser, Locator, Page } from "playwright-core";
import { roundTo } from "../spread.ts";
import type { Stay } from "./staying-demo.ts";

export interface TimedTask {
  readonly name: string;
  readonly clicks: number;
  readonly seconds: number;
  /** What the console said at the end; null: the task was not done. */
  readonly said: string | null;
}

interface TaskPorts {
  readonly time: Time;
  readonly say: (text: string) => void;
}

interface PlayedTasks {
  readonly tasks: readonly TimedTask[];
  readonly problems: readonly string[];
}

const taskWithinMs = 60_000;
const viewport = { width: 1_400, height: 1_000 } as const;

export async function playTasks(browser: Browser, stay: Stay, { time, say }: TaskPorts): Promise<PlayedTasks> {
  const person = await signIn(browser, stay, stay.tokens[0]);
  const tasks: TimedTask[] = [];
  const problems: string[] = [];
  for (const [name, play] of taskList) {
    const hand = createHand();
    const beganMs = time.monotonicMs();
    const said = await play({ person, browser, stay, hand }).catch((error: unknown) => {
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    });
    const task = { name, clicks: hand.clicks(), seconds: roundTo((time.monotonicMs() - beganMs) / 1_000, 1), said };
    say(`${name}: ${task.clicks} clicks, ${task.seconds} s`);
    tasks.push(task);
  }
  return { tasks, problems };
}

interface Playing {
  readonly person: Page;
  readonly browser: Browser;
  readonly stay: Stay;
  readonly hand: Hand;
}
type Task = (playing: Playing) => Promise<string>;

const taskList: readonly (readonly [name: string, task: Task])[] = [
  ["why a debit waits, and what comes next", findWhy],
  ["pause a bank for 30 minutes", pauseBank],
  ["close the day's list as two people", closeList],
];

interface Hand {
  clicks(): number;
  click(target: Locator): Promise<void>;
  enter(page: Page): Promise<void>;
}

/** #1 */
function createHand(): Hand {
  let made = 0;
  return {
    clicks: () => made,
    async click(target) {
      made += 1;
      await target.first().click();
    },
    async enter(page) {
      made += 1;
      await page.keyboard.press("Enter");
    },
  };
}

async function findWhy({ person, stay, hand }: Playing): Promise<string> {
  await person.locator("input[name=q]").fill(stay.waiting);
  await hand.enter(person);
  const waiting = person.getByRole("region", { name: /^Waits for/ });
  await waiting.getByText("Then", { exact: true }).waitFor();
  return await oneLine(waiting.getByRole("heading"));
}

async function pauseBank({ person, stay, hand }: Playing): Promise<string> {
  await openFromNavigation(person, hand, "Banks");
  await hand.click(person.getByRole("main").getByRole("link", { name: stay.bank, exact: true }));
  await hand.click(person.getByRole("link", { name: /^Pause/ }));
  await person.getByLabel("For how long").selectOption("30");
  await person.getByLabel(/^Reason/).fill("maintenance of the bank");
  await hand.click(person.getByRole("button", { name: /^Pause/ }));
  const outcome = person.locator("main .line").filter({ hasText: "applied" });
  await outcome.waitFor();
  return await oneLine(outcome);
}

async function closeList({ person, browser, stay, hand }: Playing): Promise<string> {
  await openFromNavigation(person, hand, "Reconciliation");
  await hand.click(person.getByRole("link", { name: /^Resolve several/ }));
  await hand.click(person.getByRole("radio", { name: /^It was not made/ }));
  await person.getByLabel(/^Reason/).fill("the bank says that it never came");
  await hand.click(person.getByRole("button", { name: /^Propose/ }));
  await person.getByRole("status").filter({ hasText: "waits for a second person" }).waitFor();
  const second = await signIn(browser, stay, stay.tokens[1]);
  await openFromNavigation(second, hand, "Reconciliation");
  await hand.click(second.getByRole("link", { name: /^Confirm several/ }));
  await second.getByLabel(/^Reason/).fill("I have asked the bank too");
  await hand.click(second.getByRole("button", { name: /^Confirm/ }));
  const outcome = second.getByRole("status").filter({ hasText: /\b(\d+) of \1 applied/ });
  await outcome.waitFor();
  const said = await oneLine(outcome);
  await second.goto(`${stay.origin}/reconciliation`);
  const left = await second.getByRole("link", { name: /^(Resolve|Confirm) several/ }).count();
  if (left > 0) throw new Error(`the list is not closed after: ${said}`);
  return said;
}

async function openFromNavigation(page: Page, hand: Hand, name: string): Promise<void> {
  await hand.click(page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }));
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

async function signIn(browser: Browser, { origin }: Stay, token: string): Promise<Page> {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  page.setDefaultTimeout(taskWithinMs);
  await page.goto(origin);
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  return page;
}

async function oneLine(target: Locator): Promise<string> {
  return (await target.first().innerText()).replaceAll(/\s+/g, " ").trim();
}
