// The console in a browser: pages for operators on the control API's port, outside its prefix.
//
// #1 A page knows nothing that the control API does not answer to this operator, and decides nothing that it does not
//    accept (`api-client.ts`).
// #2 No script and no style of a page is inline, and nothing comes from elsewhere: the content security policy allows
//    neither. What a bank or an operator wrote is escaped wherever it is shown.
// #3 A form is taken only with the session's form token, and only from a page of this origin.
// #4 Every page can be read without script; a page with live numbers has a stream of its own (`live.ts`).

import { listRoutes, problemResponse, type ClientConnection, type ServedRoute } from "@sluice/service";
import { signInPath } from "@sluice/service/sign-in";
import type { Random, Time } from "@sluice/kernel";
import { Hono, type Context } from "hono";
import { ApiRefusal, createApiClient } from "./api-client.ts";
import { readAssets, type Asset } from "./assets/assets.ts";
import { decideByForm, prepareDecision } from "./decisions/decision-page.ts";
import { download } from "./download.ts";
import { renderFailure } from "./pages/failure.ts";
import { pages } from "./pages/pages.ts";
import { renderClock, renderPage, renderProblem, type Frame, type PageContent } from "./parts/layout.ts";
import type { Asked, Elsewhere } from "./asked.ts";
import { createHelpSite, type HelpSite } from "./help/help-site.ts";
import { createOperatorSlots, type OperatorSlots } from "../http/operator-slots.ts";
import { liveStreamLimits, streamPage, type LivePage } from "./live.ts";
import { createSessions, type Session, type Sessions } from "./sessions/sessions.ts";
import { readSessionId } from "./sessions/session-cookie.ts";
import { fileFormBytesMax, formBytesMax, htmlResponse, isFromHere, readForm, redirect, safeNext, security } from "./responses.ts";
import { createSignInDesk, type SignInDesk, type SignInDeskPorts } from "./sign-in/sign-in-desk.ts";

export interface WebAppPorts extends SignInDeskPorts {
  readonly time: Time;
  readonly random: Random;
  /** Folder of the documentation site; null: there is none. */
  readonly helpFolder: string | null;
}

export interface WebApp {
  readonly routes: readonly ServedRoute[];
  fetch(request: Request, connection: ClientConnection | null): Promise<Response>;
}

type Environment = { readonly Bindings: { readonly connection: ClientConnection | null } };
type Visit = Context<Environment>;

interface Desk extends WebAppPorts {
  readonly sessions: Sessions;
  readonly door: SignInDesk;
  readonly streams: OperatorSlots;
  readonly help: HelpSite | null;
}

export function createWebApp(ports: WebAppPorts): WebApp {
  const app = new Hono<Environment>();
  const sessions = createSessions(ports);
  const desk: Desk = {
    ...ports,
    sessions,
    door: createSignInDesk(ports, sessions),
    streams: createOperatorSlots(liveStreamLimits),
    help: ports.helpFolder === null ? null : createHelpSite(ports.helpFolder),
  };
  for (const [path, asset] of readAssets()) app.get(path, ({ req }) => assetResponse(asset, req.header("if-none-match") ?? null));
  app.get("/sign-in", ({ req }) => desk.door.showDoor(safeNext(req.query("next")), null, 200));
  app.post("/sign-in", ({ req, env }) => desk.door.takeToken(req.raw, env.connection));
  app.get("/sign-in/begin", ({ req, env }) => desk.door.begin(req.raw, env.connection));
  app.get(signInPath, ({ req, env }) => desk.door.comeBack(req.raw, env.connection));
  app.post("/sign-out", ({ req }) => desk.door.signOut(req.raw));
  for (const { path, load } of pages) app.get(path, (visit) => visitPage(desk, visit, load));
  for (const { path, load, takesFile } of pages)
    if (takesFile === true) app.post(path, (visit) => takeForm(desk, visit, load, fileFormBytesMax));
  for (const { path, load } of pages) app.get(`/live${path === "/" ? "" : path}`, (visit) => openStream(desk, visit, load));
  app.get("/files/:name", (visit) => visitFile(desk, visit));
  app.get("/help", () => redirect("/help/"));
  app.get("/help/*", (visit) => visitHelp(desk, visit));
  app.get("/decide/:name", (visit) => visitPage(desk, visit, prepareDecision));
  app.post("/decide/:name", (visit) => takeForm(desk, visit, decideByForm, formBytesMax));
  app.notFound((visit) => visitPage(desk, visit, () => Promise.reject(new ApiRefusal(404, "Not known", "There is no such page."))));
  return { routes: listRoutes(app), fetch: async (request, connection) => await app.fetch(request, { connection }) };
}

async function visitFile(desk: Desk, visit: Visit): Promise<Response> {
  const session = findSession(desk, visit);
  if (session === null) return await askToSignIn(desk, visit);
  try {
    const url = new URL(visit.req.url);
    const file = await download(desk.control, session.access, url, visit.req.param("name") ?? "", visit.env.connection);
    for (const [name, value] of Object.entries(security)) file.headers.set(name, value);
    return file;
  } catch (error) {
    return await visitPage(desk, visit, () => Promise.reject(error instanceof Error ? error : new Error(String(error))));
  }
}

/** The site is for whom the control API answers, has runbooks that are not for banks, and a policy of its own. */
async function visitHelp(desk: Desk, visit: Visit): Promise<Response> {
  const session = findSession(desk, visit);
  if (session === null) return await askToSignIn(desk, visit);
  const refused = await createApiClient(desk.control, session.access, visit.env.connection)
    .read("showMe", "/me")
    .then(({ bank }) => (bank === null ? null : noHelpForBanks))
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (refused !== null) return await visitPage(desk, visit, () => Promise.reject(refused));
  const path = new URL(visit.req.url).pathname.slice("/help/".length);
  const file = desk.help?.read(path === "" ? "index.html" : path) ?? null;
  if (file === null) return await visitPage(desk, visit, () => Promise.reject(desk.help === null ? noHelp : noHelpPage));
  const headers = { ...security, "content-security-policy": file.policy, "content-type": file.type, "cache-control": "no-cache" };
  return new Response(file.bytes, { headers });
}

const noHelp = new ApiRefusal(
  404,
  "Not here",
  "This console has no documentation site: ./sluice docs builds it, and SLUICE_HELP_FOLDER names its folder.",
);
const noHelpForBanks = new ApiRefusal(403, "Not allowed", "The documentation site is for Sluice's own operators.");
const noHelpPage = new ApiRefusal(404, "Not known", "The documentation site has no such page.");

type Load = (asked: Asked) => Promise<PageContent | Elsewhere>;

async function visitPage(desk: Desk, visit: Visit, load: Load): Promise<Response> {
  const session = findSession(desk, visit);
  return session === null ? await askToSignIn(desk, visit) : await answerPage(desk, visit, session, load);
}

/** Also a page that cannot be shown has the frame, so that a person can go on. */
async function answerPage(desk: Desk, visit: Visit, session: Session, load: Load, form: URLSearchParams | null = null): Promise<Response> {
  try {
    const { content, frame } = await makePage(desk, visit, session, load, form);
    if ("location" in content) return redirect(content.location);
    return await htmlResponse(renderPage(content, frame), content.status ?? 200);
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 401) {
      desk.sessions.end(session.id);
      return await askToSignIn(desk, visit);
    }
    const { status = 500 } = renderFailure(error, desk.logger);
    const detail = error instanceof ApiRefusal ? error.detail : "The page could not be made.";
    return await htmlResponse(renderProblem(detail), status);
  }
}

interface MadePage {
  readonly content: PageContent | Elsewhere;
  readonly frame: Frame;
}

async function makePage(desk: Desk, visit: Visit, session: Session, load: Load, form: URLSearchParams | null): Promise<MadePage> {
  const api = createApiClient(desk.control, session.access, visit.env.connection);
  const me = await api.read("showMe", "/me");
  const clock = { zone: me.schemes[0]?.zone ?? "UTC", nowMs: me.asOf === null ? null : Date.parse(me.asOf) };
  const query = new URL(visit.req.url).searchParams;
  const { formToken, outcomes } = session;
  const hasHelp = desk.help !== null;
  const asked: Asked = {
    api,
    me,
    clock,
    query,
    params: visit.req.param(),
    formToken,
    hasHelp,
    form,
    outcomes,
    newActionId: () => desk.random.hex(16),
  };
  const content = await load(asked).catch((error: unknown) => renderFailure(error, desk.logger));
  return { content, frame: { me, clock, formToken, calls: api.calls, hasHelp } };
}

async function openStream(desk: Desk, visit: Visit, load: Load): Promise<Response> {
  const id = readSessionId(visit.req.header("cookie") ?? null);
  const session = id === null ? null : desk.sessions.find(id, { isActive: false });
  if (session === null) return await desk.door.showDoor("/", null, 401);
  const slot = desk.streams.acquire(session.operator);
  if (slot === null) return problemResponse(503, "Not available now", "Too many pages show live numbers.", { "retry-after": "30" });
  const stream = streamPage(desk.time, slot, () => makeLivePage(desk, visit, session.id, load));
  // A proxy that collects an answer would show a change when it has enough of them.
  for (const [name, value] of Object.entries({ ...security, "x-accel-buffering": "no" })) stream.headers.set(name, value);
  return stream;
}

async function makeLivePage(desk: Desk, visit: Visit, sessionId: string, load: Load): Promise<LivePage> {
  const session = desk.sessions.find(sessionId, { isActive: false });
  if (session === null) return { kind: "ended" };
  try {
    const { content, frame } = await makePage(desk, visit, session, load, null);
    if ("location" in content) return { kind: "failed", detail: "There is another page for this." };
    if (content.status !== undefined) return { kind: "failed", detail: `The console answers ${content.status}.` };
    return { kind: "page", content: String(await content.body), clock: String(await renderClock(frame)) };
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    if (error.status !== 401) return { kind: "failed", detail: error.detail };
    desk.sessions.end(session.id);
    return { kind: "ended" };
  }
}

/** #3 */
async function takeForm(desk: Desk, visit: Visit, load: Load, bytesMax: number): Promise<Response> {
  const session = findSession(desk, visit);
  if (session === null) return await askToSignIn(desk, visit);
  const form = await readForm(visit.req.raw, bytesMax);
  if (form instanceof Response) return form;
  return isFromHere(visit.req.raw) && form.get("formToken") === session.formToken
    ? await answerPage(desk, visit, session, load, form)
    : await answerPage(desk, visit, session, () => Promise.reject(foreignForm));
}

const foreignForm = new ApiRefusal(403, "Not taken", "The form was not sent by a page of this session. Open the page again.");

function findSession({ sessions }: Desk, { req }: Visit): Session | null {
  const id = readSessionId(req.header("cookie") ?? null);
  return id === null ? null : sessions.find(id, { isActive: req.header("x-live") === undefined });
}

/** What a page asks for by itself gets 401, so that its script can say that the session has ended. */
async function askToSignIn({ door }: Desk, { req }: Visit): Promise<Response> {
  const { pathname, search } = new URL(req.url);
  if (req.header("x-live") !== undefined) return await door.showDoor("/", null, 401);
  return redirect(`/sign-in?next=${encodeURIComponent(req.method === "GET" ? `${pathname}${search}` : "/")}`);
}

function assetResponse({ bytes, type, etag }: Asset, known: string | null): Response {
  const headers = { ...security, "content-type": type, "cache-control": "no-cache", etag };
  return known === etag ? new Response(null, { status: 304, headers }) : new Response(bytes, { headers });
}
