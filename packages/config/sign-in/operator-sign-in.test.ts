import { expect, test } from "vitest";
import { formatProblems } from "../file/problem.ts";
import { readConfiguration } from "../file/read-configuration.ts";
import { listOperatorChanges } from "../operator-changes.ts";
import { takeAway } from "../revocations.ts";

const signIn = {
  issuer: "https://login.example",
  clientId: "console",
  keyFile: "key.pem",
  origin: "https://console.example",
  acrValues: ["two"],
};
const thandi = { id: "thandi", name: "Thandi", subject: "s-1", roles: ["read", "act"] };

function tree(operatorSignIn: object | null = signIn, operators: readonly object[] = [thandi]) {
  const bank = { id: "first", name: "First", agents: [{ memberId: "1" }], baseUrl: "https://first.example", tokenSha256: ["a".repeat(64)] };
  return { ...(operatorSignIn === null ? {} : { operatorSignIn }), banks: [bank], operators };
}

function read(...given: Parameters<typeof tree>) {
  return readConfiguration(JSON.stringify(tree(...given)), {});
}

test("a person without a token signs in at the provider, whose defaults name no shared or weak algorithm [D10.110]", () => {
  const defaults = { algorithms: ["PS256", "ES256", "EdDSA", "Ed25519"], rolesClaim: null, bankClaim: null, takesTokens: true };
  expect(read()).toMatchObject({
    ok: true,
    configuration: { operators: [{ subject: "s-1", tokens: [] }], operatorSignIn: { ...signIn, ...defaults } },
  });
  expect(read(null, [{ ...thandi, subject: undefined, tokenSha256: ["b".repeat(64)] }])).toMatchObject({
    ok: true,
    configuration: { operators: [{ subject: null }], operatorSignIn: null },
  });
});

test.each([
  ["no value of acr", { ...signIn, acrValues: [] }, [thandi], "operatorSignIn.acrValues: at least one"],
  ["a provider in clear", { ...signIn, issuer: "http://login.example" }, [thandi], "operatorSignIn.issuer: must be https"],
  ["a console in clear", { ...signIn, origin: "http://console.example" }, [thandi], "operatorSignIn.origin: must be https"],
  [
    "a path of the console",
    { ...signIn, origin: "https://console.example/" },
    [thandi],
    "operatorSignIn.origin: an address without a path",
  ],
  ["an algorithm with a shared secret", { ...signIn, algorithms: ["HS256"] }, [thandi], "operatorSignIn.algorithms[0]"],
  ["an unknown member", { ...signIn, clientSecret: "x" }, [thandi], "operatorSignIn.clientSecret: unknown member"],
  ["a subject without a provider", null, [thandi], "operators[0].subject: only together with operatorSignIn"],
  ["a subject twice", signIn, [thandi, { ...thandi, id: "sipho" }], "operators[1].subject: another operator has this subject"],
  ["a subject with blanks", signIn, [{ ...thandi, subject: "s 1" }], "operators[0].subject: 1 to 255 printable"],
  ["neither token nor subject", signIn, [{ ...thandi, subject: undefined }], "operators[0].tokens: at least one"],
])("a file with %s is refused", (_, operatorSignIn, operators, problem) => {
  const reading = read(operatorSignIn, operators);
  expect(reading.ok ? "" : formatProblems(reading.problems).join("\n")).toContain(problem);
});

test("a loopback address needs no TLS", () => {
  expect(read({ ...signIn, issuer: "http://127.0.0.1:9000", origin: "http://localhost:3000" }).ok).toBe(true);
});

test("a refused file takes subjects, the provider and values of acr away, and adds none [D10.27]", () => {
  const reading = read({ ...signIn, acrValues: ["two", "three"] });
  if (!reading.ok) throw new Error("refused");
  const left = (...given: Parameters<typeof tree>) => {
    const { operators, operatorSignIn } = takeAway(tree(...given), reading.configuration);
    return [operators[0]?.subject, operatorSignIn?.acrValues, operatorSignIn?.takesTokens];
  };
  expect(left({ ...signIn, acrValues: ["three", "four"], takesTokens: false })).toEqual(["s-1", ["three"], false]);
  expect(left({ ...signIn, issuer: "https://other.example" })).toEqual(["s-1", undefined, undefined]);
  expect(left(null)).toEqual(["s-1", undefined, undefined]);
  const kept = ["two", "three"];
  expect(left({ ...signIn, acrValues: kept }, [{ ...thandi, subject: "s-2" }])).toEqual([null, kept, true]);
  expect(left({ ...signIn, acrValues: kept }, [{ ...thandi, id: "sipho" }])).toEqual([null, kept, true]);
  expect(takeAway(undefined, reading.configuration).operators[0]).toBe(reading.configuration.operators[0]);
});

test("a refused file takes schemes of an operator away, and gives none back [D10.133]", () => {
  const reading = read();
  if (!reading.ok) throw new Error("it can be read");
  const left = (given: object, before: readonly string[] | null) => {
    const { operators, ...rest } = reading.configuration;
    const held = operators.map((one) => ({ ...one, schemes: before }));
    return takeAway(tree(signIn, [{ ...thandi, ...given }]), { ...rest, operators: held }).operators[0]?.schemes;
  };
  expect(left({ schemes: ["ZA_EFT"] }, null)).toEqual(["ZA_EFT"]);
  expect(left({ schemes: ["ZA_EFT"] }, ["ZA_EFT", "ZA_RTC"])).toEqual(["ZA_EFT"]);
  expect([left({}, ["ZA_EFT"]), left({ schemes: ["ZA_RTC"] }, ["ZA_EFT"]), left({ schemes: 7 }, ["ZA_EFT"])]).toEqual([
    ["ZA_EFT"],
    [],
    ["ZA_EFT"],
  ]);
});

test("another subject of an operator is a change that leaves a trace", () => {
  const [before, after] = [read(), read(signIn, [{ ...thandi, subject: "s-2" }])];
  if (!before.ok || !after.ok) throw new Error("refused");
  const changes = listOperatorChanges(before.configuration.operators, after.configuration.operators);
  expect(changes.map(({ change, operator }) => [change, operator])).toEqual([["subject", "thandi"]]);
});
