// Parts of full messages, drawn: addresses, parties, institutions, remittance. Valid by section 5 of the decisions, with what is seldom seen:
// numbers where strings are usual, characters beyond ASCII, empty lists, the longest texts.

import type { Random } from "@sluice/runtime";
import { rawNumber, type Json, type JsonObject } from "./builders.ts";

/** Draws from one `Random`. `share`: how much of what is optional is there, 0 to 1. */
export interface Draw {
  readonly random: Random;
  readonly share: number;
}

export function oneOf<T>({ random }: Draw, first: T, ...others: readonly T[]): T {
  const all = [first, ...others];
  return all[Math.floor(random.fraction() * all.length)] ?? first;
}

/** Members of an object; each of those that may be left out is there with the share of the draw. */
export function some(draw: Draw, members: Readonly<Record<string, () => Json>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (draw.random.fraction() < draw.share ? [[name, value()] as const] : [])),
  );
}

export function listOf(draw: Draw, lengthMax: number, item: () => Json): Json {
  return Array.from({ length: Math.floor(draw.random.fraction() * (lengthMax + 1)) }, item);
}

const words = ["Karoo", "Société", "Ångström", "Nkosi & Seuns", "漢字", "O'Reilly", "“Quote”", "tab-free", "R100", "😀", "ZA"];

/** Text of 1 to `charactersMax` code points. */
export function text(draw: Draw, charactersMax: number): string {
  const length = 1 + Math.floor(draw.random.fraction() ** 3 * charactersMax);
  let drawn = "";
  while (Array.from(drawn).length < length) drawn += `${oneOf(draw, "Baobab", ...words)} `;
  return Array.from(drawn).slice(0, length).join("");
}

/** Printable ASCII without a blank at either end. */
export function identifier({ random }: Draw, charactersMax: number): string {
  const length = 1 + Math.floor(random.fraction() * charactersMax);
  return random.hex(Math.ceil(length / 2)).slice(0, length);
}

export function code(draw: Draw): JsonObject {
  return { schema: oneOf(draw, "CODE", "PROPRIETARY"), value: identifier(draw, 35) };
}

export function amountOf(draw: Draw): JsonObject {
  const cents = String(Math.floor(draw.random.fraction() * 100)).padStart(2, "0");
  const rand = Math.floor(draw.random.fraction() * 1_000_000);
  return { value: rawNumber(oneOf(draw, `${rand}`, `${rand}.${cents}`, `${rand}.${cents.slice(1)}`)), currency: "ZAR" };
}

function textOrNumber(draw: Draw): Json {
  return oneOf(draw, rawNumber("8001"), rawNumber("0"), rawNumber("12.50"), "8001", text(draw, 70));
}

export function address(draw: Draw): JsonObject {
  const line = (): string => text(draw, 70);
  return some(draw, {
    addressType: () => oneOf(draw, "ADDR", "PBOX", "HOME", "BIZZ", "MLTO", "DLVY"),
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
    country: () => oneOf(draw, "ZA", "NA", "GB"),
    addressLine: () => listOf(draw, 7, () => textOrNumber(draw)),
  });
}

function identifiers(draw: Draw): Json {
  return listOf(draw, 3, () => ({
    identification: identifier(draw, 35),
    ...some(draw, { issuer: () => text(draw, 35), scheme: () => code(draw) }),
  }));
}

/** What a party may have beside its legal name. */
export function partyMembers(draw: Draw): JsonObject {
  return some(draw, {
    address: () => address(draw),
    contactDetails: () =>
      some(draw, {
        phoneNumber: () => "+27 11 555 0100",
        mobileNumber: () => "+27825550100",
        emailAddress: () => "payments@example.co.za",
      }),
    countryOfResidence: () => oneOf(draw, "ZA", "BW", "LS"),
    identification: () => ({ schema: oneOf(draw, "PERSON", "ORGANISATION"), ...some(draw, { identifiers: () => identifiers(draw) }) }),
    knownAsName: () => text(draw, 140),
  });
}

export function party(draw: Draw): JsonObject {
  return { legalName: text(draw, 140), ...partyMembers(draw) };
}

/** What an institution may have beside what finds its bank. */
export function institutionMembers(draw: Draw): JsonObject {
  return some(draw, {
    name: () => text(draw, 140),
    lei: () => "5493001KJTIIGC8Y1R12",
    companyRegistration: () => "1929/001225/06",
    additionalIdentifications: () => identifiers(draw),
  });
}

export function institution(draw: Draw): JsonObject {
  return {
    ...institutionMembers(draw),
    ...some(draw, {
      bicfi: () => oneOf(draw, "FIRNZAJJ", "ABSAZAJJXXX"),
      memberId: () => identifier(draw, 35),
      branch: () => ({ identification: identifier(draw, 35), ...branchMembers(draw) }),
    }),
  };
}

export function branchMembers(draw: Draw): JsonObject {
  return some(draw, { name: () => text(draw, 140), address: () => address(draw) });
}

/** What an account may have beside its number. */
export function accountMembers(draw: Draw): JsonObject {
  return some(draw, {
    name: () => text(draw, 70),
    proxy: () => ({ schema: "MSISDN", value: "+27825550100", ...some(draw, { namespace: () => "ZA" }) }),
  });
}

export function remittanceInformation(draw: Draw): JsonObject {
  const type = (): JsonObject => some(draw, { issuer: () => text(draw, 35), schema: () => "CODE", value: () => "CINV" });
  const structured = (): JsonObject =>
    some(draw, {
      referredDocuments: () => listOf(draw, 2, () => some(draw, { type, documentIdentifier: () => identifier(draw, 35) })),
      referredDocumentAmount: () => some(draw, { duePayableAmount: () => amountOf(draw), remittedAmount: () => amountOf(draw) }),
      creditorReference: () => some(draw, { type, reference: () => text(draw, 35) }),
      additionalRemittanceInformation: () => listOf(draw, 2, () => text(draw, 140)),
      originatorReference: () => text(draw, 35),
    });
  return some(draw, {
    unstructured: () => listOf(draw, 3, () => text(draw, 140)),
    structured: () => listOf(draw, 2, structured),
  });
}

export function supplementaryData(draw: Draw): JsonObject {
  const count = Math.floor(draw.random.fraction() * 5);
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${identifier(draw, 60)}-${index}`, text(draw, 200)]));
}
