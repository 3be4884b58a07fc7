import { createHash } from "node:crypto";
import type { SignInProvider } from "@sluice/kernel";
import { expect, test } from "vitest";
import type { SignedIn } from "./sign-in.ts";
import { identifyAtCommandLine, identifySignedIn } from "./signed-in.ts";

const issuer = "https://login.example";
const person: SignedIn = {
  issuer,
  clientId: "console",
  subject: "s-1",
  acr: "two",
  narrowing: { roles: ["read", "approve"], bank: null, schemes: null },
  credentialId: "sign-in-1",
};
const provider: SignInProvider = {
  issuer,
  clientId: "console",
  keyFile: "",
  keyId: null,
  origin: "https://console.example",
  algorithms: ["ES256"],
  acrValues: ["two"],
  rolesClaim: "roles",
  bankClaim: null,
  schemesClaim: null,
  commandLineClient: null,
  caFile: null,
  takesTokens: true,
};
const thandi = { id: "thandi", tokens: [], certificates: null, subject: "s-1", roles: ["read", "act"], bank: null, schemes: null };
const sipho = { ...thandi, id: "sipho", subject: null };

function identify(operatorSignIn: SignInProvider | null, operators: readonly (typeof thandi | typeof sipho)[], given = person) {
  const found = identifySignedIn(given, { operatorSignIn, operators }, null, 0);
  return found.ok ? { id: found.holder.id, roles: found.holder.roles, tokenId: found.holder.tokenId } : found.reason;
}

test("a signed-in person is the operator with its subject, with the roles that both sides give it [D10.110]", () => {
  expect(identify(provider, [sipho, thandi])).toEqual({ id: "thandi", roles: ["read"], tokenId: "sign-in-1" });
  expect(identify(provider, [{ ...thandi, roles: ["approve"] }])).toMatchObject({ roles: ["approve"] });
});

test.each<[string, SignInProvider | null, readonly (typeof thandi | typeof sipho)[]]>([
  ["the provider", null, [thandi]],
  ["the provider for another", { ...provider, issuer: "https://other.example" }, [thandi]],
  ["the client for another", { ...provider, clientId: "other" }, [thandi]],
  ["the value of acr", { ...provider, acrValues: ["three"] }, [thandi]],
  ["the person", provider, [sipho]],
  ["all roles that the claims had", provider, [{ ...thandi, roles: ["act"] }]],
])("a session ends once the configuration gives up %s", (_, operatorSignIn, operators) => {
  expect(identify(operatorSignIn, operators)).toBe("unknown");
});

test("an operator that is bound to certificates needs one in a session too", () => {
  const sha256 = createHash("sha256").update("c").digest("hex");
  const bound = { ...thandi, certificates: [{ kind: "sha256", sha256 } as const] };
  const known = { operatorSignIn: provider, operators: [bound] };
  const certificate = { id: "c", sha256, notBeforeMs: 0, notAfterMs: 10, uris: [], dnsNames: [], authoritySha256: [] };
  expect(identifySignedIn(person, known, null, 5)).toMatchObject({ ok: false, reason: "certificate-missing", holder: "thandi" });
  expect(identifySignedIn(person, known, certificate, 5)).toMatchObject({ ok: true, holder: { certificateId: "c" } });
});

test("an access token of the command line's client is its person's; without it, or of another client, it is nobody's [D10.134]", () => {
  const claims = { sub: "s-1", acr: "two", roles: ["read"] };
  const token = (over: object = {}, clientId = "terminal", from = issuer) =>
    ({ kind: "good", client: { issuer: from, clientId }, tokenId: "t-1", claims: { ...claims, ...over } }) as const;
  const known = { operatorSignIn: { ...provider, commandLineClient: "terminal" as string | null }, operators: [thandi] };
  const at = (judged: Parameters<typeof identifyAtCommandLine>[0], given = known) => {
    const found = identifyAtCommandLine(judged, given, null, 0);
    return found.ok ? [found.holder.id, ...found.holder.roles] : found.reason;
  };
  expect(at(token())).toEqual(["thandi", "read"]);
  const others = [token({}, "console"), token({}, "bank"), token({}, "terminal", "https://other.example")];
  const unfit = [token({ sub: "s-2" }), token({ acr: "one" }), token({ acr: undefined }), token({ roles: 7 }), token({ roles: [] })];
  expect([...others, ...unfit].map((one) => at(one))).toEqual(Array(8).fill("unknown"));
  expect(at(token(), { ...known, operatorSignIn: { ...provider, commandLineClient: null } })).toBe("unknown");
  expect(at({ ...token(), kind: "refused", reason: "token-expired" })).toBe("token-expired");
});
