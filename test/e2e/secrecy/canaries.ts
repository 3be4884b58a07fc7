// What a message says of people: a message with all of it, and the texts to search for.
//
// #1 The members are those that docs/security/secrecy.md names as sealed.
// #2 Account numbers and the names of their owners are left as they are: the validator and the flow depend on them.

import type { Random } from "@sluice/kernel";
import type { MessageObject } from "@sluice/testkit";

/** Members below which everything is about people (#1). */
const personal: ReadonlySet<string> = new Set([
  "debtor",
  "creditor",
  "mandateInformation",
  "remittanceInformation",
  "supplementaryData",
  "instructionForCreditorAgent",
  "schemeData",
]);
const accounts: ReadonlySet<string> = new Set(["debtorAccount", "creditorAccount"]);
const ofAccount: ReadonlySet<string> = new Set(["identification", "proxy", "name"]);
/** Shorter texts are codes, and could be found by chance. */
const charactersMin = 6;
const canariesOfMemberMax = 6;

/** Adds to a debit or a credit what it may say of people, each text drawn for it alone (#2). */
export function fillPersonal(message: MessageObject, random: Random): MessageObject {
  const text = (what: string): string => `${what} ${random.hex(6)}`;
  const party = (name: "debtor" | "creditor"): MessageObject => ({
    ...memberOf(message, name),
    knownAsName: text(`${name} alias`),
    address: { streetName: text(`${name} street`) },
    contactDetails: { emailAddress: `${name}-${random.hex(6)}@example.co.za` },
    identification: { schema: "PERSON", identifiers: [{ identification: `${name}-${random.hex(6)}` }] },
  });
  const account = (name: "debtorAccount" | "creditorAccount"): MessageObject => ({
    ...memberOf(message, name),
    name: text(name),
    proxy: { schema: "MSISDN", value: `+27 ${random.hex(6)}` },
  });
  return {
    ...message,
    debtor: party("debtor"),
    creditor: party("creditor"),
    debtorAccount: account("debtorAccount"),
    creditorAccount: account("creditorAccount"),
    remittanceInformation: { unstructured: [text("policy of"), text("premium of")] },
    supplementaryData: { note: text("note about") },
    ...(message["schema"] === "DirectDebit"
      ? { mandateInformation: { mandateIdentification: `mandate-${random.hex(6)}` } }
      : { instructionForCreditorAgent: [{ information: text("phone before paying") }] }),
  };
}

function memberOf(message: MessageObject, name: string): object {
  const member = message[name];
  return typeof member === "object" && member !== null ? member : {};
}

/** The texts about people in these messages: some of each member, evenly. */
export function listCanaries(messages: readonly unknown[]): readonly string[] {
  const found = messages.flatMap((message) => listPersonal(message, []));
  return [...Map.groupBy(found, ({ member }) => member).values()].flatMap((all) => {
    const texts = [...new Set(all.map(({ text }) => text))];
    const step = Math.ceil(texts.length / canariesOfMemberMax);
    return texts.filter((_, index) => index % step === 0);
  });
}

interface Personal {
  /** Names of the members that lead to it, without places in lists. */
  readonly member: string;
  readonly text: string;
}

function listPersonal(value: unknown, path: readonly string[]): readonly Personal[] {
  if (typeof value === "string") return isCanary(path, value) ? [{ member: path.join("."), text: value }] : [];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => listPersonal(one, path));
  return Object.entries(value).flatMap(([name, one]) => listPersonal(one, [...path, name]));
}

function isCanary(path: readonly string[], text: string): boolean {
  if (text.length < charactersMin || path.at(-1) === "schema") return false;
  return path.some((name, index) => personal.has(name) || (accounts.has(name) && ofAccount.has(path[index + 1] ?? "")));
}
