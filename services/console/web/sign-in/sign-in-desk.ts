// Signing in and out: with a token, or at the provider of OpenID Connect.
//
// #1 A sign-in gives a new session, and ends the one that the browser had.
// #2 A sign-in at the provider, and its refusal, is a request of the report: it is logged, counted, and in the audit
//    with its address and subject.
// #3 A person learns why a sign-in was refused, because the provider has proved who it is. Of a token that is not good
//    only that is said.

import {
  type ClientConnection,
  type FinishedSignIn,
  type LogIn,
  problemResponse,
  type SignedIn,
  type SignIn,
  type SignInRefusalReason,
} from "@sluice/service";
import type { Logger, SignInProvider } from "@sluice/kernel";
import type { QuestionReport, ReportedAnswer } from "../../http/request-report.ts";
import { ApiRefusal, createApiClient, type ControlSide } from "../api-client.ts";
import { htmlResponse, isFromHere, readForm, redirect, safeNext } from "../responses.ts";
import { endedCookie, readSessionId, sessionCookie } from "../sessions/session-cookie.ts";
import type { Session, SessionAccess, Sessions } from "../sessions/sessions.ts";
import { renderSignIn, renderWayOn } from "./render-sign-in.ts";
import { endedFlowCookie, flowCookie, readFlowId } from "./sign-in-cookie.ts";

export interface SignInDeskPorts {
  readonly logger: Logger;
  readonly control: ControlSide;
  readonly report: QuestionReport;
  /** Null: this console reaches no provider. */
  readonly signIn: SignIn | null;
  readonly provider: () => SignInProvider | null;
  /** Tells which operator a signed-in person is now. */
  readonly identify: (
    person: SignedIn,
    connection: ClientConnection | null,
  ) => LogIn<{ readonly id: string; readonly bank: string | null }>;
}

export interface SignInDesk {
  showDoor(next: string, problem: string | null, status: number): Promise<Response>;
  takeToken(request: Request, connection: ClientConnection | null): Promise<Response>;
  begin(request: Request, connection: ClientConnection | null): Promise<Response>;
  comeBack(request: Request, connection: ClientConnection | null): Promise<Response>;
  signOut(request: Request): Promise<Response>;
}

const refusals: Readonly<Record<SignInRefusalReason, string>> = {
  "flow-unknown": "The sign-in took longer than five minutes, or was begun in another browser. Sign in again.",
  "provider-refused": "The provider refused the sign-in.",
  "token-refused": "What the provider sent is not good for this sign-in.",
  "acr-refused": "You signed in without the second factor that is needed here.",
  "claims-refused": "What the provider says of your roles or bank cannot be read.",
};
const providerAway = "The provider cannot be reached now. Try again.";

export function createSignInDesk(ports: SignInDeskPorts, sessions: Sessions): SignInDesk {
  const { logger, signIn, provider } = ports;
  const offered = () => (signIn === null ? null : provider());

  async function showDoor(next: string, problem: string | null, status: number, cookies: readonly string[] = []): Promise<Response> {
    const at = offered();
    const ways = { provider: at === null ? null : new URL(at.issuer).host, takesTokens: at?.takesTokens ?? true };
    return await htmlResponse(renderSignIn(next, problem, ways), status, cookies);
  }

  async function refuse(reason: string, text: string, known: Omit<ReportedAnswer, "response" | "refusal">): Promise<ReportedAnswer> {
    const response = await showDoor("/", text, 401, [endedFlowCookie]);
    return { ...known, refusal: reason, response };
  }

  async function welcome(request: Request, finished: FinishedSignIn, connection: ClientConnection | null): Promise<ReportedAnswer> {
    if (finished.kind === "away") {
      const response = await showDoor("/", providerAway, 503, [endedFlowCookie]);
      response.headers.set("retry-after", "5");
      return { caller: null, response };
    }
    if (finished.kind === "refused") {
      const { reason, subject } = finished;
      return await refuse(reason, refusals[reason], { caller: null, subject });
    }
    const { person, next } = finished;
    const found = ports.identify(person, connection);
    const { subject, credentialId: tokenId } = person;
    if (!found.ok) {
      const isKnown = found.holder !== null;
      const text = isKnown
        ? "A client certificate of yours is needed here."
        : `No operator here is ${subject}, or your roles leave nothing.`;
      return await refuse(isKnown ? found.reason : "person-unknown", text, { caller: found.holder, tokenId, subject });
    }
    const { id, bank, certificateId } = found.holder;
    const cookie = openSession(request, sessions, logger, { kind: "signed-in", person }, { id, bank });
    const response = await leadOn(next, "Signed in", [cookie, endedFlowCookie]);
    return { caller: id, tokenId, certificateId, subject, response };
  }

  async function signOut(request: Request): Promise<Response> {
    const session = findSession(request, sessions);
    const form = await readForm(request);
    if (form instanceof Response) return form;
    const isOwn = session !== null && form.get("formToken") === session.formToken;
    if (isOwn) sessions.end(session.id);
    const location = isOwn && session.access.kind === "signed-in" ? ((await signIn?.endSession()) ?? null) : null;
    if (location === null) return redirect("/sign-in", { "set-cookie": endedCookie });
    return await leadOn(location, "Signed out here", [endedCookie]);
  }

  return {
    showDoor,
    takeToken: async (request, connection) => await takeToken({ ...ports, sessions, showDoor, offered }, request, connection),
    signOut,
    async begin(request, connection) {
      const next = safeNext(new URL(request.url).searchParams.get("next"));
      if (offered() === null) return await showDoor(next, "There is no provider to sign in at.", 404);
      const begun = (await signIn?.begin(next, connection?.remoteAddress ?? null)) ?? null;
      if (begun === null) return await showDoor(next, providerAway, 503);
      return redirect(begun.location, { "set-cookie": flowCookie(begun.flow) });
    },
    async comeBack(request, connection) {
      if (signIn === null || offered() === null) return problemResponse(404, "Not found", "There is no provider to sign in at.");
      // #2
      return await ports.report({ operation: "signIn", uetr: null, connection }, async () => {
        const finished = await signIn.finish(readFlowId(request.headers.get("cookie")), new URL(request.url).searchParams);
        return await welcome(request, finished, connection);
      });
    },
  };
}

interface Door extends SignInDeskPorts, Pick<SignInDesk, "showDoor"> {
  readonly sessions: Sessions;
  readonly offered: () => SignInProvider | null;
}

async function takeToken(
  { control, logger, sessions, showDoor, offered }: Door,
  request: Request,
  connection: ClientConnection | null,
): Promise<Response> {
  const form = await readForm(request);
  if (form instanceof Response) return form;
  const next = safeNext(form.get("next"));
  const token = (form.get("token") ?? "").trim();
  if (!isFromHere(request)) return await showDoor(next, "Sign in from this page.", 403);
  if (offered()?.takesTokens === false) return await showDoor(next, "No token is taken here. Sign in at the provider.", 403);
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) return await showDoor(next, "This is not a token.", 401);
  const access = { kind: "token", token } as const;
  try {
    const me = await createApiClient(control, access, connection).read("showMe", "/me");
    return redirect(next, { "set-cookie": openSession(request, sessions, logger, access, me) });
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    return await showDoor(next, error.status === 401 ? "No operator has this token." : error.detail, error.status);
  }
}

function findSession({ headers }: Request, sessions: Sessions): Session | null {
  const id = readSessionId(headers.get("cookie"));
  return id === null ? null : sessions.find(id, { isActive: true });
}

/** #1 */
function openSession(
  request: Request,
  sessions: Sessions,
  logger: Logger,
  access: SessionAccess,
  { id, bank }: { readonly id: string; readonly bank: string | null },
): string {
  const former = findSession(request, sessions);
  if (former !== null) sessions.end(former.id);
  logger.info("session.opened", { operator: id });
  return sessionCookie(sessions.open(access, { id, bank }).id);
}

/**
 * A redirect would not do: a browser does not send the session's cookie after a redirect from the provider, and follows
 * none from a form to another site.
 */
async function leadOn(location: string, said: string, cookies: readonly string[]): Promise<Response> {
  const response = await htmlResponse(renderWayOn(location, said), 200, cookies);
  response.headers.set("refresh", `0;url=${location}`);
  return response;
}
