// A console with given answers, and a call of a verb, for tests of operators' verbs.

import { expect } from "vitest";
import type { AnswerBody, ControlTerminal, RunControlVerb } from "./control-client.ts";
import type { VerbCall } from "./verb.ts";

type Answer = AnswerBody | string | { readonly status: number; readonly body: AnswerBody };

interface Asked {
  readonly url: string;
  readonly authorization: string | null;
}

/** A console that returns these answers in turn, and then the last one again. */
export function createFakeConsole(answers: readonly Answer[], environment: Readonly<Record<string, string>> = {}) {
  const asked: Asked[] = [];
  const written: string[] = [];
  const where: ControlTerminal = {
    out: (text) => void written.push(`${text}\n`),
    write: (text) => void written.push(text),
    environment,
    upControlUrl: () => Promise.resolve("http://127.0.0.1:8082"),
    fetch(url, request) {
      asked.push({ url, authorization: new Headers(request.headers).get("authorization") });
      const answer = answers[Math.min(asked.length, answers.length) - 1] ?? {};
      if (typeof answer === "string") return Promise.resolve(new Response(answer));
      const { status } = answer;
      return Promise.resolve(typeof status === "number" ? Response.json(answer["body"], { status }) : Response.json(answer));
    },
  };
  return { where, asked, text: () => written.join("") };
}

export function buildCall(options: Readonly<Record<string, string | true>> = {}, ...positionals: readonly string[]): VerbCall {
  const value = (name: string): string | null => {
    const given = options[name];
    return typeof given === "string" ? given : null;
  };
  return { positionals, raw: [], flag: (name) => options[name] === true, value };
}

export async function runAndRead(run: RunControlVerb, answers: readonly Answer[], call = buildCall()): Promise<string> {
  const { where, text } = createFakeConsole(answers);
  expect(await run(call, where)).toBe(0);
  return text();
}
