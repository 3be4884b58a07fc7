// A client of the control API for operators' verbs. It uses HTTP only, like any other program.
//
// #1 The address comes from --console, else --profile, else SLUICE_CONTROL_URL, else the profile of SLUICE_PROFILE,
//    else what `./sluice up` started. A profile has its own token and authorities.
// #2 A refusal becomes a Fault with the console's own text; no request is repeated automatically.
// #3 Without a profile the token comes from SLUICE_OPERATOR_TOKEN, else it is that of the sample operator in
//    infra/local/sluice.yaml, which is sent only to a loopback address. The authorities of SLUICE_CONTROL_CA_FILE are
//    trusted besides the machine's.
// #4 A profile with a provider has the tokens of `./sluice login`, refreshed before use, and proves their key in each
//    request.

import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { controlPrefix } from "@sluice/contracts/control-operations";
import { Fault, machineTime, sleep } from "@sluice/kernel";
import { readUpState } from "../verbs/local/up-state.ts";
import { highlight, isColourShown } from "./colour.ts";
import { profilesPath, readProfileToken, requireProfile, type Profile } from "./profiles.ts";
import { jsonOption, type RunVerb, type VerbCall, type VerbOptions } from "./verb.ts";

export type AnswerBody = Readonly<Record<string, unknown>>;
export type ControlQueryParameters = Readonly<Record<string, string | null>>;

export interface ControlClient {
  get(path: string, query?: ControlQueryParameters): Promise<AnswerBody>;
  /** Streams a text, for files. */
  text(path: string, query?: ControlQueryParameters): AsyncIterable<string>;
  /** Sends a decision, which is appended when it is answered. Sent again under the same `actionId` it counts once. */
  post(path: string, body: AnswerBody, actionId: string): Promise<AnswerBody>;
}

/** The environment of an operators' verb; tests replace it. */
export interface ControlTerminal {
  out(text: string): void;
  /** Writes text without a line end. */
  write(text: string): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Address of the control API that is up; null: no console is up. */
  upControlUrl(): Promise<string | null>;
  fetch(url: string, request: RequestInit): Promise<Response>;
  /** Whether a person looks at the output; left out: no. */
  readonly isTerminal?: boolean;
  /** Shows a whole answer, through a pager if it needs one; left out, or null: it is printed. */
  readonly page?: ((text: string) => Promise<void>) | null;
  /** The terminal's width; left out: there is none. */
  readonly columns?: number;
  /** The file of profiles; left out: there is none. */
  readonly profilesFile?: string;
  /** Asks the person at the terminal; left out where there is none. */
  readonly ask?: (question: string) => Promise<string>;
}

const isColoured = isColourShown(process.stdout, process.env);

export const controlTerminal: ControlTerminal = {
  out: (text) => void process.stdout.write(`${isColoured ? highlight(text) : text}\n`),
  isTerminal: process.stdout.isTTY,
  ...(process.stdout.isTTY ? { page: pageAnswer, columns: process.stdout.columns } : {}),
  write: (text) => void process.stdout.write(text),
  environment: process.env,
  upControlUrl: async () => {
    const up = await readUpState(["console"]);
    trustAuthorities(up?.authorityFile ?? "");
    return up?.controlUrl ?? null;
  },
  fetch: (url, request) => {
    trustAuthorities(process.env["SLUICE_CONTROL_CA_FILE"] ?? "");
    return fetch(url, request);
  },
  profilesFile: profilesPath(process.env),
  ...(process.stdin.isTTY && process.stderr.isTTY ? { ask: askPerson } : {}),
};

async function pageAnswer(text: string): Promise<void> {
  const { showPaged } = await import("./pager.ts");
  const { columns, rows } = process.stdout;
  const screen = { columns, rows, write: (shownText: string) => void process.stdout.write(shownText) };
  await showPaged(isColoured ? highlight(text) : text, screen, process.env);
}

/** On standard error, because standard output may be read by a program. */
async function askPerson(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  using lines = createInterface({ input: process.stdin, output: process.stderr });
  return await lines.question(question);
}

/** Trusts the authorities of a PEM file besides the machine's. Throws Fault `cli.no-authorities`. */
export function trustAuthorities(path: string): void {
  if (path === "") return;
  try {
    setDefaultCACertificates([...new Set([...getCACertificates("default"), readFileSync(path, "utf8")])]);
  } catch {
    const text = "SLUICE_CONTROL_CA_FILE is not a PEM file of authorities that can be read";
    throw new Fault("cli.no-authorities", text, { isRetryable: false });
  }
}

/** Options of every verb that calls the control API. */
export const controlOptions = {
  console: {
    type: "string",
    placeholder: "URL",
    text: "the console (SLUICE_CONTROL_URL; else what is up), with the token in SLUICE_OPERATOR_TOKEN; to sign in instead: --profile",
  },
  profile: {
    type: "string",
    placeholder: "NAME",
    text: "the console of this profile (SLUICE_PROFILE; ./sluice profile add), with its token or your sign-in (./sluice login NAME)",
  },
  json: jsonOption,
} as const satisfies VerbOptions;

export type RunControlVerb = (call: VerbCall, where: ControlTerminal) => Promise<number>;

export function asControlVerb(run: RunControlVerb): RunVerb {
  return (call) => run(call, controlTerminal);
}

/**
 * Token of the sample operator; infra/local/sluice.yaml has its SHA-256. It gives access only to a developer's machine.
 */
const sampleToken = "sample-operator-token";
const answerTimeoutMs = 10_000;
/** For a file of many pages. */
const fileTimeoutMs = 10 * 60_000;

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function controlClient(call: Pick<VerbCall, "value">, where: ControlTerminal): Promise<ControlClient> {
  const { given, profile } = findConsole(call, where);
  const base = parseBaseUrl(given ?? (await where.upControlUrl()));
  if (profile?.caFile !== null && profile?.caFile !== undefined) trustAuthorities(profile.caFile);
  const authorize = chooseCredential(profile, base, where);

  async function ask(path: string, query: ControlQueryParameters, request: Sent, timeoutMs: number): Promise<Response> {
    const given = Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
    const search = new URLSearchParams(given).toString();
    const url = `${base}${controlPrefix}${path}${search === "" ? "" : `?${search}`}`;
    const signal = AbortSignal.timeout(timeoutMs);
    const headers = await authorize(request.method ?? "GET", url);
    const sent = { ...request, headers: { ...headers, ...request.headers }, signal };
    const answer = await Promise.try(() => where.fetch(url, sent)).catch((error: unknown) => {
      if (error instanceof Fault) throw error;
      throw new Fault("cli.console-away", `the console does not answer at ${base}: ${reasonOf(error)}`, { isRetryable: true });
    });
    if (answer.ok) return answer;
    throw await toFault(answer);
  }

  return {
    get: async (path, query = {}) => await readBody(await ask(path, query, {}, answerTimeoutMs)),
    async *text(path, query = {}) {
      const answer = await ask(path, query, {}, fileTimeoutMs);
      const decoder = new TextDecoder();
      for await (const part of answer.body ?? []) yield decoder.decode(part, { stream: true });
    },
    async post(path, body, actionId) {
      const sent = { "content-type": "application/json", "idempotency-key": actionId };
      return await readBody(await ask(path, {}, { method: "POST", body: JSON.stringify(body), headers: sent }, answerTimeoutMs));
    },
  };
}

type Authorize = (method: string, url: string) => Promise<Readonly<Record<string, string>>>;

/** #4 */
function chooseCredential(profile: Profile | null, base: string, where: ControlTerminal): Authorize {
  if (profile === null || profile.signIn === null) {
    const authorization = `Bearer ${profile === null ? tokenFor(base, where) : readProfileToken(profile)}`;
    return () => Promise.resolve({ authorization });
  }
  const signingIn = { ...profile, signIn: profile.signIn };
  return async (method, url) => {
    const [{ requireSignIn }, { makeProof }] = await Promise.all([import("./sign-in/kept-sign-in.ts"), import("./sign-in/proof-key.ts")]);
    const nowMs = () => machineTime.nowMs();
    const ports = {
      fetch: (address: string, request: RequestInit) => where.fetch(address, request),
      nowMs,
      sleep: (ms: number) => sleep(machineTime, ms),
    };
    const { accessToken, keyPem } = await requireSignIn(signingIn, where.profilesFile ?? "", ports);
    const proof = makeProof(keyPem, { method, url, token: accessToken, nonce: null }, nowMs());
    return { authorization: `DPoP ${accessToken}`, dpop: proof };
  };
}

/** `fetch` says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  // Several addresses were tried: the message is empty, and the code is that of the first.
  return cause.message === "" && "code" in cause ? String(cause.code) : cause.message;
}

/** Whether the caller names a console; else what is up is asked. */
export function isConsoleNamed(call: Pick<VerbCall, "value">, where: ControlTerminal): boolean {
  return findConsole(call, where).given !== null;
}

/** #1 The address that the caller names, and the profile that it is from; null: none. */
function findConsole(
  call: Pick<VerbCall, "value">,
  { environment, profilesFile = "" }: ControlTerminal,
): { readonly given: string | null; readonly profile: Profile | null } {
  const inProfile = (name: string) => {
    const profile = requireProfile(profilesFile, name);
    return { given: profile.url, profile };
  };
  const [console, profile] = [call.value("console"), call.value("profile")];
  if (console !== null) return { given: console, profile: null };
  if (profile !== null) return inProfile(profile);
  const url = environment["SLUICE_CONTROL_URL"] ?? "";
  if (url !== "") return { given: url, profile: null };
  const named = environment["SLUICE_PROFILE"] ?? "";
  return named === "" ? { given: null, profile: null } : inProfile(named);
}

function parseBaseUrl(given: string | null): string {
  if (given === null || given === "") {
    const how = "start one with ./sluice up, or name the console by --console URL, --profile NAME or SLUICE_CONTROL_URL";
    throw new Fault("cli.not-up", `no console is up: ${how}`, { isRetryable: false });
  }
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Fault("cli.no-address", `${given} is no address of a console (http://host:port)`, { isRetryable: false });
  }
  return url.href.replace(/\/+$/, "").replace(/\/control\/v1$/, "");
}

/** #3 */
function tokenFor(base: string, { environment }: ControlTerminal): string {
  const token = environment["SLUICE_OPERATOR_TOKEN"] ?? "";
  if (token !== "") return token;
  if (/^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(base).hostname)) return sampleToken;
  const how =
    "an operator's token must be in SLUICE_OPERATOR_TOKEN, or sign in: ./sluice profile add with --issuer, ./sluice login NAME, then --profile NAME";
  throw new Fault("cli.no-token", how, { isRetryable: false });
}

/** #2 */
async function toFault(answer: Response): Promise<Fault> {
  const body = await readBody(answer).catch((): AnswerBody => ({}));
  const said = [body["message"], body["detail"]].filter((text) => typeof text === "string").join(": ");
  const isRetryable = answer.status === 503 || answer.status === 429;
  return new Fault(answer.status === 404 ? "cli.not-known" : "cli.refused", `the console answers ${answer.status} ${said}`.trimEnd(), {
    isRetryable,
  });
}

async function readBody(answer: Response): Promise<AnswerBody> {
  const body: unknown = await answer.json().catch(() => null);
  if (typeof body !== "object" || body === null) {
    throw new Fault("cli.no-answer", `the server that answers is no console: ${answer.status}`, { isRetryable: false });
  }
  return { ...body };
}
