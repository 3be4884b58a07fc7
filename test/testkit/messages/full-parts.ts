// Draws parts of full messages: addresses, parties, institutions, remittance. They are valid by
// docs/spec/decisions.md D5.
//
// They include rare values: numbers where strings are usual, characters beyond ASCII, empty lists, the longest
// texts.

import type { Random } from "@sluice/kernel";
import { rawNumber, type MessageJson, type MessageObject } from "./builders.ts";

/** A source of random draws. `share` is the probability, 0 to 1, that an optional member is present. */
export interface Draw {
  readonly random: Random;
  readonly share: number;
}

export function drawOneOf<T>({ random }: Draw, first: T, ...others: readonly T[]): T {
  const all = [first, ...others];
  return all[Math.floor(random.fraction() * all.length)] ?? first;
}

/** Draws an object: each of the members is present with the probability `share`. */
export function drawSome(draw: Draw, members: Readonly<Record<string, () => MessageJson>>): MessageObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (draw.random.fraction() < draw.share ? [[name, value()] as const] : [])),
  );
}

export function drawList(draw: Draw, lengthMax: number, item: () => MessageJson): MessageJson {
  return Array.from({ length: Math.floor(draw.random.fraction() * (lengthMax + 1)) }, item);
}

const words = ["Karoo", "Société", "Ångström", "Nkosi & Seuns", "漢字", "O'Reilly", "“Quote”", "tab-free", "R100", "😀", "ZA"];

/** Draws a text of 1 to `charactersMax` code points. */
export function drawText(draw: Draw, charactersMax: number): string {
  const length = 1 + Math.floor(draw.random.fraction() ** 3 * charactersMax);
  let drawn = "";
  while (Array.from(drawn).length < length) drawn += `${drawOneOf(draw, "Baobab", ...words)} `;
  return Array.from(drawn).slice(0, length).join("");
}

/** Draws printable ASCII without a blank at either end. */
export function drawIdentifier({ random }: Draw, charactersMax: number): string {
  const length = 1 + Math.floor(random.fraction() * charactersMax);
  return random.hex(Math.ceil(length / 2)).slice(0, length);
}

export function drawCode(draw: Draw): MessageObject {
  return { schema: drawOneOf(draw, "CODE", "PROPRIETARY"), value: drawIdentifier(draw, 35) };
}

export function drawAmount(draw: Draw): MessageObject {
  const cents = String(Math.floor(draw.random.fraction() * 100)).padStart(2, "0");
  const rand = Math.floor(draw.random.fraction() * 1_000_000);
  return { value: rawNumber(drawOneOf(draw, `${rand}`, `${rand}.${cents}`, `${rand}.${cents.slice(1)}`)), currency: "ZAR" };
}

function textOrNumber(draw: Draw): MessageJson {
  return drawOneOf(draw, rawNumber("8001"), rawNumber("0"), rawNumber("12.50"), "8001", drawText(draw, 70));
}

function drawAddress(draw: Draw): MessageObject {
  const line = (): string => drawText(draw, 70);
  return drawSome(draw, {
    addressType: () => drawOneOf(draw, "ADDR", "PBOX", "HOME", "BIZZ", "MLTO", "DLVY"),
    department: line,
    streetName: line,
    buildingName: line,
    buildingNumber: () => textOrNumber(draw),
    floor: () => textOrNumber(draw),
    postBox: () => textOrNumber(draw),
    postCode: () => textOrNumber(draw),
    townName: line,
    townLocationName: line,
    districtName: line,
    countrySubDivision: line,
    country: () => drawOneOf(draw, "ZA", "NA", "GB"),
    addressLine: () => drawList(draw, 7, () => textOrNumber(draw)),
  });
}

function identifiers(draw: Draw): MessageJson {
  return drawList(draw, 3, () => ({
    identification: drawIdentifier(draw, 35),
    ...drawSome(draw, { issuer: () => drawText(draw, 35), scheme: () => drawCode(draw) }),
  }));
}

/** Draws the members that a party may have in addition to its legal name. */
export function drawPartyMembers(draw: Draw): MessageObject {
  return drawSome(draw, {
    address: () => drawAddress(draw),
    contactDetails: () =>
      drawSome(draw, {
        phoneNumber: () => "+27 11 555 0100",
        mobileNumber: () => "+27825550100",
        emailAddress: () => "payments@example.co.za",
      }),
    countryOfResidence: () => drawOneOf(draw, "ZA", "BW", "LS"),
    identification: () => ({
      schema: drawOneOf(draw, "PERSON", "ORGANISATION"),
      ...drawSome(draw, { identifiers: () => identifiers(draw) }),
    }),
    knownAsName: () => drawText(draw, 140),
  });
}

export function drawParty(draw: Draw): MessageObject {
  return { legalName: drawText(draw, 140), ...drawPartyMembers(draw) };
}

/** Draws the members that an institution may have in addition to those that identify its bank. */
export function drawInstitutionMembers(draw: Draw): MessageObject {
  return drawSome(draw, {
    name: () => drawText(draw, 140),
    lei: () => "5493001KJTIIGC8Y1R12",
    companyRegistration: () => "1929/001225/06",
    additionalIdentifications: () => identifiers(draw),
  });
}

export function drawInstitution(draw: Draw): MessageObject {
  return {
    ...drawInstitutionMembers(draw),
    ...drawSome(draw, {
      bicfi: () => drawOneOf(draw, "FIRNZAJJ", "ABSAZAJJXXX"),
      memberId: () => drawIdentifier(draw, 35),
      branch: () => ({ identification: drawIdentifier(draw, 35), ...drawBranchMembers(draw) }),
    }),
  };
}

export function drawBranchMembers(draw: Draw): MessageObject {
  return drawSome(draw, { name: () => drawText(draw, 140), address: () => drawAddress(draw) });
}

/** Draws the members that an account may have in addition to its number. */
export function drawAccountMembers(draw: Draw): MessageObject {
  return drawSome(draw, {
    name: () => drawText(draw, 70),
    proxy: () => ({ schema: "MSISDN", value: "+27825550100", ...drawSome(draw, { namespace: () => "ZA" }) }),
  });
}

export function drawRemittanceInformation(draw: Draw): MessageObject {
  const type = (): MessageObject => drawSome(draw, { issuer: () => drawText(draw, 35), schema: () => "CODE", value: () => "CINV" });
  const structured = (): MessageObject =>
    drawSome(draw, {
      referredDocuments: () => drawList(draw, 2, () => drawSome(draw, { type, documentIdentifier: () => drawIdentifier(draw, 35) })),
      referredDocumentAmount: () => drawSome(draw, { duePayableAmount: () => drawAmount(draw), remittedAmount: () => drawAmount(draw) }),
      creditorReference: () => drawSome(draw, { type, reference: () => drawText(draw, 35) }),
      additionalRemittanceInformation: () => drawList(draw, 2, () => drawText(draw, 140)),
      originatorReference: () => drawText(draw, 35),
    });
  return drawSome(draw, {
    unstructured: () => drawList(draw, 3, () => drawText(draw, 140)),
    structured: () => drawList(draw, 2, structured),
  });
}

export function drawSupplementaryData(draw: Draw): MessageObject {
  const count = Math.floor(draw.random.fraction() * 5);
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${drawIdentifier(draw, 60)}-${index}`, drawText(draw, 200)]));
}
