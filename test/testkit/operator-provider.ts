// A real provider of OpenID Connect (`oidc-provider`, certified), with a few people who sign in by a click. Tests and
// development sign operators in at it; nobody's secret is behind it.
//
// #1 A person chooses who they are and whether they have a second factor: `acr` says which.
// #2 It knows one client, the console, by its public key alone (`private_key_jwt`).

import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type AccessToken, type ClientCredentials, type Configuration, errors, type KoaContextWithOIDC, Provider } from "oidc-provider";
import { twoFactors } from "./operator-client.ts";

export interface ProvidedPerson {
  /** `sub` of its tokens. */
  readonly subject: string;
  readonly name: string;
  readonly claims?: Readonly<Record<string, unknown>>;
}

export interface OperatorProviderOptions {
  /** Port of 127.0.0.1; 0: any free one. */
  readonly port: number;
  /** Null: in clear. */
  readonly tls: { readonly certificatePem: string; readonly keyPem: string } | null;
  readonly clientId: string;
  /** The console's private key in PEM; only its public half is used. */
  readonly clientKeyPem: string;
  /** Origins of consoles to which it sends people back. */
  readonly origins: readonly string[];
  readonly people: readonly ProvidedPerson[];
  /** A public client that signs people in on a command line, and what its access tokens are for; left out: none. */
  readonly commandLine?: { readonly clientId: string; readonly audience: string; readonly accessTokenLifeS: number };
}

export interface OperatorProvider {
  readonly issuer: string;
  close(): Promise<void>;
}

const oneFactor = "urn:sluice:acr:one-factor";

export async function startOperatorProvider(options: OperatorProviderOptions): Promise<OperatorProvider> {
  const { tls, port } = options;
  let listener: RequestListener = (_, answer) => void answer.writeHead(503).end();
  const serve: RequestListener = (request, answer) => listener(request, answer);
  const server = tls === null ? createServer(serve) : createTlsServer({ cert: tls.certificatePem, key: tls.keyPem }, serve);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  const { port: taken } = server.address() as AddressInfo;
  const issuer = `${tls === null ? "http" : "https"}://127.0.0.1:${taken}`;
  listener = createListener(issuer, options);
  return {
    issuer,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

function createListener(issuer: string, options: OperatorProviderOptions): RequestListener {
  const provider = new Provider(issuer, buildSettings(options));
  const handle = provider.callback();
  return (request, answer) => {
    const interaction = /^\/interaction\/[\w-]+$/.test(new URL(request.url ?? "/", issuer).pathname);
    const answering = interaction ? showPeople(provider, options.people, request, answer) : handle(request, answer);
    answering.catch(() => void answer.writeHead(400).end("This sign-in has ended."));
  };
}

function buildSettings({ clientId, clientKeyPem, origins, people, commandLine }: OperatorProviderOptions): Configuration {
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
  const clientKey = createPublicKey(clientKeyPem).export({ format: "jwk" });
  const names = [...new Set(people.flatMap(({ claims = {} }) => Object.keys(claims)))];
  return {
    jwks: { keys: [{ ...key, kid: "provider", use: "sig", alg: "ES256" }] },
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_signing_alg: "ES256",
        id_token_signed_response_alg: "ES256",
        jwks: { keys: [{ ...clientKey, use: "sig" }] },
        redirect_uris: origins.map((origin) => `${origin}/sign-in/callback`),
        post_logout_redirect_uris: origins.map((origin) => `${origin}/sign-in`),
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
      ...(commandLine === undefined ? [] : [toPublicClient(commandLine.clientId)]),
    ],
    ...(commandLine === undefined
      ? {}
      : {
          extraTokenClaims: (context: KoaContextWithOIDC, token: AccessToken | ClientCredentials) => {
            const accountId = "accountId" in token ? token.accountId : undefined;
            const { DeviceCode: device, RefreshToken: refresh } = context.oidc.entities;
            return { acr: device?.acr ?? refresh?.acr, ...people.find(({ subject }) => subject === accountId)?.claims };
          },
        }),
    findAccount: (_context, subject) => {
      const person = people.find((one) => one.subject === subject);
      return person && { accountId: subject, claims: () => ({ sub: subject, ...person.claims }) };
    },
    acrValues: [oneFactor, twoFactors],
    claims: { openid: ["sub", "acr", ...names] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true },
      ...(commandLine === undefined ? {} : toDeviceFeatures(commandLine)),
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: [generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }).d ?? ""] },
    // The client is the console itself: there is nothing that a person could refuse it.
    async loadExistingGrant(context) {
      const { client, session } = context.oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new context.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid offline_access");
      await grant.save();
      return grant;
    },
  };
}

function toPublicClient(clientId: string) {
  return {
    client_id: clientId,
    token_endpoint_auth_method: "none",
    id_token_signed_response_alg: "ES256",
    dpop_bound_access_tokens: true,
    redirect_uris: [],
    response_types: [],
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
  } as const;
}

function toDeviceFeatures({ audience, accessTokenLifeS }: NonNullable<OperatorProviderOptions["commandLine"]>) {
  return {
    deviceFlow: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context: unknown, resource: string) => {
        if (resource !== audience) throw new errors.InvalidTarget();
        return {
          scope: "",
          audience,
          accessTokenFormat: "jwt" as const,
          accessTokenTTL: accessTokenLifeS,
          jwt: { sign: { alg: "ES256" as const } },
        };
      },
    },
  } as const;
}

/** #1 */
async function showPeople(
  provider: Provider,
  people: readonly ProvidedPerson[],
  request: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const { prompt } = await provider.interactionDetails(request, answer);
  const chosen = new URL(request.url ?? "/", provider.issuer).searchParams;
  const person = people.find(({ subject }) => subject === chosen.get("person"));
  if (person === undefined) {
    const links = people.flatMap(({ subject, name }) =>
      ([2, 1] as const).map((factors) => {
        const how = factors === 2 ? "with a second factor" : "with a password alone";
        return `<li><a href="?person=${encodeURIComponent(subject)}&amp;factors=${factors}">${name}, ${how}</a></li>`;
      }),
    );
    answer.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
    answer.end(
      `<!doctype html><html lang="en"><title>Sign in (${prompt.name})</title><h1>Who are you?</h1><ul>${links.join("")}</ul></html>`,
    );
    return;
  }
  const acr = chosen.get("factors") === "2" ? twoFactors : oneFactor;
  await provider.interactionFinished(request, answer, { login: { accountId: person.subject, acr, remember: false } });
}
