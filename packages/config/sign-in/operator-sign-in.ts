// The provider of OpenID Connect at which operators sign in, and the subjects that it knows them by.
//
// #1 What comes from the provider decides who may do what, so its address has TLS. So has the console's, because a
//    browser keeps no session without it. Loopback addresses need none.

import { signInAlgorithms, type SignInProvider, type TokenClient, tokenAlgorithms } from "@sluice/kernel";
import { z } from "zod";
import { isLoopback } from "../environment/connection-settings.ts";
import { type Path, type Problem, problemAt } from "../file/problem.ts";

const text = (most: number) => z.string().min(1, "must not be empty").max(most, `at most ${most} characters`);
const claim = text(256).nullable().default(null);
/** OpenID Connect Core, section 2: at most 255 ASCII characters. */
const subject = z.string().regex(/^[\x21-\x7e]{1,255}$/, "1 to 255 printable ASCII characters, as `sub` has them");

export const operatorSignInSchema = z.strictObject({
  issuer: text(1_024)
    .regex(/^https?:\/\/[^?#\s]+$/, "an address without query and fragment, as `iss` has it")
    .meta({ description: "The provider's identifier, to the last slash as `iss` has it. https, or a loopback address." }),
  clientId: text(256),
  keyFile: text(1_024).meta({ description: "PEM file of the private key that proves the console to the provider." }),
  keyId: text(256).nullable().default(null).meta({ description: "Name of that key at the provider. None." }),
  origin: z
    .string()
    .regex(/^https?:\/\/[^/?#\s]+$/, "an address without a path")
    .meta({ description: "The console as browsers know it. The provider sends them back to its /sign-in/callback." }),
  algorithms: z
    .array(z.enum(signInAlgorithms))
    .min(1, "at least one")
    .default([...tokenAlgorithms])
    .meta({ description: "Of ID tokens. All but RS256." }),
  acrValues: z
    .array(text(256))
    .min(1, "at least one")
    .max(8)
    .meta({ description: "A person counts only with one of these in `acr`: name those that need a second factor." }),
  rolesClaim: claim.meta({ description: "Claim whose roles narrow the operator's. None: the operator's own." }),
  bankClaim: claim.meta({ description: "Claim whose bank narrows what the operator sees. None: the operator's own." }),
  schemesClaim: claim.meta({ description: "Claim whose schemes narrow what the operator sees. None: the operator's own." }),
  commandLineClient: text(256)
    .nullable()
    .default(null)
    .meta({ description: "Client of ./sluice login; tokenIssuers names the issuer too. Its access tokens are operators'. None." }),
  caFile: text(1_024).nullable().default(null).meta({ description: "PEM file of the provider's authorities. The machine's." }),
  takesTokens: z.boolean().default(true).meta({ description: "Whether the pages also take an operator's token. true" }),
});

/** A member of operators. */
export const subjectMember = {
  subject: subject.optional().meta({ description: "What `sub` of operatorSignIn's tokens has for this person. None." }),
};

interface OperatorInFile {
  readonly subject?: string | undefined;
}

/** `signIn` is null where the file has none, and undefined where it cannot be read. */
export function checkOperatorSignIn(
  signIn: SignInProvider | null | undefined,
  operators: readonly { readonly path: Path; readonly value: OperatorInFile }[],
  tokens: { readonly issuers: readonly { readonly issuer: string }[]; readonly clients: readonly TokenClient[] },
): readonly Problem[] {
  const subjects = new Set<string>();
  const ofSubjects = operators.flatMap(({ path, value }) => {
    if (value.subject === undefined) return [];
    const at = [...path, "subject"];
    const isTaken = subjects.has(value.subject);
    subjects.add(value.subject);
    return [
      ...(signIn === null ? [problemAt(at, "only together with operatorSignIn")] : []),
      ...(isTaken ? [problemAt(at, "another operator has this subject")] : []),
    ];
  });
  return [
    ...ofSubjects,
    ...(signIn === null || signIn === undefined ? [] : [...checkAddresses(signIn), ...checkCommandLine(signIn, tokens)]),
  ];
}

/** Its access tokens are judged as those of banks are, and are nobody else's. */
function checkCommandLine(
  { issuer, commandLineClient: clientId }: SignInProvider,
  { issuers, clients }: Parameters<typeof checkOperatorSignIn>[2],
): readonly Problem[] {
  if (clientId === null) return [];
  const at = ["operatorSignIn", "commandLineClient"];
  return [
    ...(issuers.some((one) => one.issuer === issuer) ? [] : [problemAt(at, "tokenIssuers must name the same issuer")]),
    ...(clients.some((one) => one.issuer === issuer && one.clientId === clientId)
      ? [problemAt(at, "a bank or connector has this client")]
      : []),
  ];
}

/** #1 */
function checkAddresses({ issuer, origin }: SignInProvider): readonly Problem[] {
  return Object.entries({ issuer, origin }).flatMap(([member, address]) => {
    const url = URL.parse(address);
    if (url !== null && (url.protocol === "https:" || isLoopback(url.hostname))) return [];
    return [problemAt(["operatorSignIn", member], "must be https, or a loopback address")];
  });
}
