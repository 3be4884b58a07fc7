// The stream of a page with live numbers, and the control API's stream of the overview, without a browser.

import { expect, test } from "vitest";
import { sampleToken } from "@sluice/testkit";
import { openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { streamMaxMs, streamsOfOneMax } from "../outlook/stream-overview.ts";
import { openReader } from "./browser.fixture.ts";
import { liveStreamLimits } from "./live.ts";
import { idleMaxMs } from "./sessions/sessions.ts";

type Environment = Awaited<ReturnType<typeof openDecisionEnvironment>>;

interface Heard {
  readonly event: string;
  readonly data: string;
}

const opens = { kind: "DayTimeReached", scheme: "ZA_EFT", businessDate: "2026-11-20", time: "window-opens", number: 1 } as const;

async function openConsole() {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay(), opens);
  const reader = openReader(environment);
  const { headers } = await reader.signIn();
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  return { environment, reader, cookie };
}

/** Listens to a stream: what it says until it says something that is looked for, or ends. */
function listenTo({ settled }: Environment, answer: Response) {
  const parts = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  async function next(): Promise<Heard | null> {
    const read = await settled(parts?.read() ?? Promise.reject(new Error("no body")));
    if (read.done) return null;
    const [, event = "", data = ""] = /^event: (\w+)\ndata: ([^]*)\n\n$/.exec(read.value) ?? [];
    return { event, data: data.replaceAll("\ndata: ", "\n") };
  }
  return {
    next,
    async until(text: string): Promise<Heard | null> {
      for (let heard = await next(); heard !== null; heard = await next()) if (heard.data.includes(text)) return heard;
      return null;
    },
    close: async () => await parts?.cancel(),
  };
}

test("a page sends its content again within two seconds of a change, and else nothing but the clock [D9 browser]", async () => {
  const { environment, cookie } = await openConsole();
  const open = (path: string) =>
    environment.settled(environment.desk.fetchControl(new Request(`http://console${path}`, { headers: { cookie } })));
  const answer = await open("/live");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const stream = listenTo(environment, answer);
  expect((await stream.next())?.data).toContain("No debit is held");
  const further = [await stream.next(), await stream.next(), await stream.next(), await stream.next()];
  expect(further.some((heard) => heard !== null && !heard.data.includes("content"))).toBe(true);
  const changedMs = environment.time.monotonicMs();
  await environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD");
  expect(await stream.until("1 debit behind a closed gate")).toMatchObject({ event: "page" });
  expect(environment.time.monotonicMs() - changedMs).toBeLessThanOrEqual(2_000);
  await stream.close();
});

test("a stream ends with its session, and keeps none alive", async () => {
  const { environment, cookie } = await openConsole();
  const asked = new Request("http://console/live/banks/first", { headers: { cookie } });
  const stream = listenTo(environment, await environment.settled(environment.desk.fetchControl(asked)));
  const startMs = environment.time.monotonicMs();
  let heard = await stream.next();
  while (heard !== null && heard.event !== "ended") heard = await stream.next();
  expect(heard?.event).toBe("ended");
  expect(environment.time.monotonicMs() - startMs).toBeGreaterThan(idleMaxMs - 60_000);
  expect(await stream.next()).toBeNull();
});

test("a stream without a session is 401, and one more than an operator may have is 503 until another ends", async () => {
  const { environment, cookie } = await openConsole();
  const open = (headers: Record<string, string>) =>
    environment.settled(environment.desk.fetchControl(new Request("http://console/live/system", { headers })));
  expect((await open({})).status).toBe(401);
  const streams = [];
  for (let opened = 0; opened < liveStreamLimits.own.slotsPerCallerMax; opened += 1)
    streams.push(listenTo(environment, await open({ cookie })));
  expect((await open({ cookie })).status).toBe(503);
  await streams[0]?.close();
  const again = await open({ cookie });
  expect(again.status).toBe(200);
  for (const stream of [...streams.slice(1), listenTo(environment, again)]) await stream.close();
});

test("the overview is streamed to an operator each time it changes, a minute long, and four times at once at most", async () => {
  const { environment } = await openConsole();
  const headers = { authorization: `Bearer ${sampleToken("operator")}` };
  const open = () => environment.settled(environment.desk.fetchControl(new Request("http://console/control/v1/stream", { headers })));
  const stream = listenTo(environment, await open());
  expect(await stream.next()).toMatchObject({ event: "overview", data: expect.stringContaining('"schema":"Overview"') });
  const changedMs = environment.time.monotonicMs();
  await environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD");
  expect((await stream.until('"waitsFor":"gate"'))?.event).toBe("overview");
  expect(environment.time.monotonicMs() - changedMs).toBeLessThanOrEqual(2_000);
  const others = [];
  for (let opened = 1; opened < streamsOfOneMax; opened += 1) others.push(listenTo(environment, await open()));
  expect((await open()).status).toBe(503);
  while ((await stream.next()) !== null);
  expect(environment.time.monotonicMs() - changedMs).toBeLessThanOrEqual(streamMaxMs + 1_000);
  const again = await open();
  expect(again.status).toBe(200);
  for (const one of [...others, listenTo(environment, again)]) await one.close();
});
