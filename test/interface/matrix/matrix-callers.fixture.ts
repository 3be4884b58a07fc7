// The callers of the matrix: who is configured, and what each way of `docs/security/matrix.yaml` shows.
//
// #1 A handshake is judged by the machine's clock and a request by the clock of the test, so what counts has begun long
//    before both and ends long after them.

import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Configuration } from "@sluice/config";
import { machineTime, tokenAlgorithms, type CertificateBinding } from "@sluice/kernel";
import {
  type Certificate,
  certificateSha256,
  createCertificateAuthority,
  createProofKey,
  createTestIssuer,
  sampleBank,
  sampleConfiguration,
  sampleConnector,
  sampleHeldToken,
  sampleOperator,
  sampleScheme,
  sampleToken,
  signWithSecret,
  tokenAudience,
  withHead,
} from "@sluice/testkit";

/** The origin under which callers reach each listener. */
export const publicOrigin = "https://payments.example";

/** #1 */
const counting = { fromMs: Date.UTC(2020, 0), toMs: Date.UTC(2048, 0) };
const past = { fromMs: Date.UTC(2020, 0), toMs: Date.UTC(2021, 0) };

/** What a request is sent with. */
export interface Shown {
  readonly certificate?: Certificate;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token that it types where a browser signs in. */
  readonly token?: string;
  /** The operator whose session it has. */
  readonly session?: string;
  /** What is wrong with its form. */
  readonly form?: "no-token" | "other-session" | "other-site";
}

export interface AskedAddress {
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array | null;
}

type Show = (asked: AskedAddress) => Shown | Promise<Shown>;

export interface MatrixCallers {
  readonly configuration: Configuration;
  readonly listener: Certificate;
  readonly authority: string;
  readonly keySet: string;
  readonly ways: Readonly<Record<string, Show>>;
}

export async function createMatrixCallers(nowMs: () => number): Promise<MatrixCallers> {
  const ours = createCertificateAuthority("Ours", machineTime.nowMs());
  const strangers = createCertificateAuthority("Ours", machineTime.nowMs());
  const issuer = await createTestIssuer(nowMs);
  const pretender = await createTestIssuer(nowMs);
  const [key, otherKey] = await Promise.all([createProofKey(nowMs), createProofKey(nowMs)]);
  const of = (id: string) => ({ name: id, uris: [`spiffe://sluice/${id}`], ...counting });
  const certificates = Object.fromEntries(["bound", "other", "operator-bound", "client"].map((id) => [id, ours.issue(of(id))]));
  const certificate = (id: string): Certificate => certificates[id] ?? ours.issue(of(id));
  const binding = (id: string): readonly CertificateBinding[] => [
    { kind: "uri", name: `spiffe://sluice/${id}`, authoritySha256: certificateSha256(ours.pem) },
  ];
  const keys: Readonly<Record<"own" | "others", KeyPair>> = { own: generateKeyPairSync("ed25519"), others: generateKeyPairSync("ed25519") };
  const spki = ({ publicKey }: KeyPair) => publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const signing = (id: string, pair: KeyPair) => ({
    keys: [
      { id, publicKey: spki(pair), notAfterMs: null },
      { id: `${id}-ended`, publicKey: spki(pair), notAfterMs: past.toMs },
    ],
    deliveries: null,
    receipts: null,
  });
  const bearer = (token: string): Shown => ({ token, headers: { authorization: `Bearer ${token}` } });
  const party =
    (id: string, more: Shown = {}) =>
    (): Shown => ({ ...bearer(sampleToken(id)), ...more });
  const bound = (id: string, shown: Certificate | null) => party(id, shown === null ? {} : { certificate: shown });
  const ended = (id: string) => ({ tokens: [sampleHeldToken(sampleToken(id)), sampleHeldToken(`ended-${id}`, past.toMs)] });

  const toCertificate = ({ certificatePem }: Certificate) => ({
    cnf: { "x5t#S256": Buffer.from(certificateSha256(certificatePem), "hex").toString("base64url") },
  });
  const client = certificate("client");
  const toOwn = toCertificate(client);
  const toKey = { cnf: { jkt: key.thumbprint } };
  const endedS = () => Math.floor(nowMs() / 1_000) - 120;
  const byCertificate =
    (token: () => Promise<string>, shown: Certificate | null = client): Show =>
    async () => ({
      ...bearer(await token()),
      ...(shown === null ? {} : { certificate: shown }),
    });
  const changedHead = (head: Readonly<Record<string, unknown>>, isSigned: boolean) => async (): Promise<string> => {
    const token = await issuer.issue(toOwn);
    return withHead(token, { typ: "at+jwt", ...head }, isSigned ? token.split(".")[2] : "");
  };
  const ofTerminal = { ...toKey, client_id: "terminal", sub: "s-terminal", acr: "two" };
  const atTerminal =
    (changed: Readonly<Record<string, unknown>> = {}): Show =>
    async ({ method, path }) => {
      const token = await issuer.issue({ ...ofTerminal, ...changed });
      const url = `${publicOrigin}${path.split("?")[0] ?? ""}`;
      return { headers: { authorization: `DPoP ${token}`, dpop: await key.prove({ method, url, token }) } };
    };
  type Prove = (proven: Parameters<typeof key.prove>[0]) => Promise<string>;
  const byProof =
    (prove: Prove): Show =>
    async ({ method, path }) => {
      const token = await issuer.issue(toKey);
      const url = `${publicOrigin}${path.split("?")[0] ?? ""}`;
      return { headers: { authorization: `DPoP ${token}`, dpop: await prove({ method, url, token }) } };
    };

  /** Signs by hand: the base of a signature over method, address and digest is four lines (RFC 9421, section 2.5). */
  const signed =
    (changed: SignedChange = {}): Show =>
    (asked) => {
      const body = Buffer.from(asked.body ?? new Uint8Array());
      const digest = `sha-256=:${createHash("sha256")
        .update(changed.body ?? body)
        .digest("base64")}:`;
      const createdS = Math.floor(nowMs() / 1_000) + (changed.seconds ?? 0);
      const { keyId = "signs", pair = keys.own, method = asked.method, path = asked.path, alg = null } = changed;
      const fields = changed.fields ?? ["@method", "@target-uri", "content-digest"];
      const values: Readonly<Record<string, string>> = {
        "@method": method,
        "@target-uri": `${publicOrigin}${path}`,
        "content-digest": digest,
      };
      const params = `(${fields.map((name) => `"${name}"`).join(" ")});created=${createdS};keyid="${keyId}"${alg === null ? "" : `;alg="${alg}"`}`;
      const lines = [...fields.map((name) => `"${name}": ${values[name] ?? ""}`), `"@signature-params": ${params}`];
      const signature = sign(null, Buffer.from(lines.join("\n")), pair.privateKey).toString("base64");
      const own = { "content-digest": digest, "signature-input": `sig=${params}`, signature: `sig=:${signature}:` };
      return { headers: { authorization: `Bearer ${sampleToken(changed.caller ?? "signs")}`, ...own } };
    };

  const usedProof = { jti: "used" };
  return {
    configuration: sampleConfiguration({
      banks: [
        sampleBank({ id: "first", ...ended("first") }),
        sampleBank({ id: "second", branch: "250656" }),
        sampleBank({ id: "bound", branch: "250657", certificates: binding("bound"), ...ended("bound") }),
        sampleBank({ id: "other", branch: "250658", certificates: binding("other") }),
        sampleBank({ id: "signs", branch: "250659", messageSignatures: signing("signs", keys.own) }),
        sampleBank({ id: "signs-too", branch: "250660", messageSignatures: signing("signs-too", keys.others) }),
        sampleBank({ id: "client", branch: "250661", tokens: [], clients: [{ issuer: issuer.issuer, clientId: "own" }] }),
      ],
      connectors: [sampleConnector({ schemes: ["ZA_EFT", "ZA_RTC"] }), sampleConnector({ id: "rapid", schemes: ["ZA_RPP"] })],
      schemes: [sampleScheme({ creditsFinal: "connector" }), sampleScheme({ id: "ZA_RTC" }), sampleScheme({ id: "ZA_RPP" })],
      operators: [
        sampleOperator({ id: "everything", ...ended("everything") }),
        sampleOperator({ id: "reader", roles: ["read"] }),
        sampleOperator({ id: "actor", roles: ["act"] }),
        sampleOperator({ id: "approver", roles: ["approve"] }),
        sampleOperator({ id: "of-first", roles: ["read"], bank: "first" }),
        sampleOperator({ id: "of-second", roles: ["read"], bank: "second" }),
        sampleOperator({ id: "at-terminal", tokens: [], subject: "s-terminal" }),
        sampleOperator({ id: "of-eft", schemes: ["ZA_EFT"] }),
        sampleOperator({ id: "of-rapid", schemes: ["ZA_RPP"] }),
        sampleOperator({ id: "operator-bound", certificates: binding("operator-bound"), ...ended("operator-bound") }),
      ],
      operatorSignIn: {
        issuer: issuer.issuer,
        clientId: "console",
        keyFile: "",
        keyId: null,
        origin: publicOrigin,
        algorithms: tokenAlgorithms,
        acrValues: ["two"],
        rolesClaim: null,
        bankClaim: null,
        schemesClaim: null,
        commandLineClient: "terminal",
        caFile: null,
        takesTokens: true,
      },
      tokenIssuers: [{ issuer: issuer.issuer, audience: tokenAudience, algorithms: tokenAlgorithms, keys: { kind: "file", path: "" } }],
    }),
    listener: ours.issue({ name: "listener", hosts: ["127.0.0.1"], ...counting }),
    authority: ours.pem,
    keySet: issuer.keySet,
    ways: {
      nothing: () => ({}),
      "wrong-token": () => bearer("of-nobody"),
      "hash-as-token": () => bearer(sampleHeldToken(sampleToken("everything")).sha256),
      basic: () => ({ headers: { authorization: `Basic ${Buffer.from(`first:${sampleToken("first")}`).toString("base64")}` } }),
      "certificate-alone": () => ({ certificate: certificate("bound") }),
      bank: party("first"),
      "bank-ended": () => bearer("ended-first"),
      "other-bank": party("second"),
      connector: party("clearing"),
      "other-connector": party("rapid"),
      bound: bound("bound", certificate("bound")),
      "bound-no-certificate": bound("bound", null),
      "bound-others-certificate": bound("bound", certificate("other")),
      "bound-others-token": bound("other", certificate("bound")),
      "bound-self-made": bound("bound", strangers.issue(of("bound"))),
      "bound-ended": bound("bound", ours.issue({ ...of("bound"), ...past })),
      "bound-ended-token": () => ({ ...bearer("ended-bound"), certificate: certificate("bound") }),
      signed: signed(),
      unsigned: party("signs"),
      "signed-by-other": signed({ pair: keys.others }),
      "signed-key-of-other": signed({ pair: keys.others, keyId: "signs-too" }),
      "signed-ended-key": signed({ keyId: "signs-ended" }),
      "signed-stolen": signed({ caller: "signs-too" }),
      "signed-replayed-late": signed({ seconds: -400 }),
      "signed-from-future": signed({ seconds: 400 }),
      "signed-replayed-elsewhere": signed({ path: "/transactions/else" }),
      "signed-other-method": signed({ method: "PUT" }),
      "signed-other-body": signed({ body: Buffer.from("{}\n") }),
      "signed-no-address": signed({ fields: ["@method", "content-digest"] }),
      "signed-alg-none": signed({ alg: "none" }),
      "signed-alg-hmac": signed({ alg: "hmac-sha256" }),
      "access-token": byCertificate(() => issuer.issue(toOwn)),
      "access-token-stolen": byCertificate(() => issuer.issue(toOwn), null),
      "access-token-others-certificate": byCertificate(() => issuer.issue(toOwn), certificate("other")),
      "access-token-unbound": byCertificate(() => issuer.issue()),
      "access-token-ended": byCertificate(() => issuer.issue({ ...toOwn, exp: endedS() })),
      "access-token-audience": byCertificate(() => issuer.issue({ ...toOwn, aud: "https://else.example" })),
      "access-token-client": byCertificate(() => issuer.issue({ ...toOwn, client_id: "of-nobody" })),
      "access-token-issuer": byCertificate(() => issuer.issue({ ...toOwn, iss: "https://else.example" })),
      "access-token-key": byCertificate(() => pretender.issue(toOwn)),
      "access-token-type": byCertificate(() => issuer.issue(toOwn, { typ: "JWT" })),
      "access-token-alg-none": byCertificate(changedHead({ alg: "none" }, false)),
      "access-token-alg-kept-signature": byCertificate(changedHead({ alg: "none" }, true)),
      "access-token-alg-other": byCertificate(changedHead({ alg: "PS256", kid: "one" }, true)),
      "access-token-alg-secret": byCertificate(() =>
        signWithSecret({ iss: issuer.issuer, aud: tokenAudience, client_id: "own", ...toOwn }, Buffer.from(issuer.keySet)),
      ),
      proof: byProof((proven) => key.prove(proven)),
      "proof-missing": async () => bearer(await issuer.issue(toKey)),
      "proof-of-other-key": byProof((proven) => otherKey.prove(proven)),
      "proof-elsewhere": byProof((proven) => key.prove({ ...proven, url: `${proven.url}/else` })),
      "proof-other-method": byProof((proven) => key.prove(proven, { htm: "PUT" })),
      "proof-other-token": byProof(async (proven) => await key.prove({ ...proven, token: await issuer.issue(toKey) })),
      "proof-old": byProof((proven) => key.prove(proven, { iat: endedS() })),
      "proof-replayed": byProof((proven) => key.prove(proven, usedProof)),
      "proof-alg-none": byProof(async (proven) => withHead(await key.prove(proven), { alg: "none", typ: "dpop+jwt" })),
      operator: party("everything"),
      "operator-ended": () => bearer("ended-everything"),
      reader: party("reader"),
      actor: party("actor"),
      approver: party("approver"),
      "operator-of-bank": party("of-first"),
      "operator-of-other-bank": party("of-second"),
      "operator-of-scheme": party("of-eft"),
      "operator-of-other-scheme": party("of-rapid"),
      "operator-bound": bound("operator-bound", certificate("operator-bound")),
      "operator-bound-no-certificate": bound("operator-bound", null),
      "operator-bound-others-certificate": bound("operator-bound", certificate("other")),
      "operator-bound-ended": bound("operator-bound", ours.issue({ ...of("operator-bound"), ...past })),
      "operator-bound-ended-token": () => ({ ...bearer("ended-operator-bound"), certificate: certificate("operator-bound") }),
      "command-line": atTerminal(),
      "command-line-stolen": async () => bearer(await issuer.issue(ofTerminal)),
      "command-line-ended": atTerminal({ exp: endedS() }),
      "command-line-audience": atTerminal({ aud: "https://else.example" }),
      "command-line-one-factor": atTerminal({ acr: "one" }),
      "command-line-stranger": atTerminal({ sub: "s-nobody" }),
      "command-line-other-client": atTerminal({ client_id: "own" }),
      session: () => ({ session: "everything" }),
      "session-reader": () => ({ session: "reader" }),
      "session-of-bank": () => ({ session: "of-first" }),
      "session-of-other-bank": () => ({ session: "of-second" }),
      "session-of-scheme": () => ({ session: "of-eft" }),
      "session-of-other-scheme": () => ({ session: "of-rapid" }),
      "session-ended": () => ({ headers: { cookie: `__Host-sluice=${"0".repeat(64)}` } }),
      "session-no-form-token": () => ({ session: "everything", form: "no-token" }),
      "session-others-form-token": () => ({ session: "everything", form: "other-session" }),
      "session-other-site": () => ({ session: "everything", form: "other-site" }),
    },
  };
}

interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

interface SignedChange {
  readonly caller?: string;
  readonly keyId?: string;
  readonly pair?: KeyPair;
  readonly seconds?: number;
  readonly method?: string;
  readonly path?: string;
  readonly body?: Buffer;
  readonly fields?: readonly string[];
  readonly alg?: string;
}
