// The pages that the console bench asks for: the first page, each list, and the searches that a large store makes slow.

import { scheme } from "./transactions.ts";

export interface PagePlaces {
  readonly uetr: string;
  readonly bank: string;
  readonly dayBefore: string;
  readonly day: string;
}

export function listBenchPages({ uetr, bank, dayBefore, day }: PagePlaces): readonly string[] {
  const [today, yesterday] = [`${scheme}:${day}`, `${scheme}:${dayBefore}`];
  return [
    firstPage,
    "/search?sort=newest",
    "/search?state=HELD",
    "/search?state=HELD&counts=yes",
    `/search?bank=${bank}&state=DELIVERED`,
    `/search?businessDate=${day}&bank=${bank}`,
    `/search?sender=${bank}`,
    "/search?endToEndIdentification=E2E-77",
    "/search?identificationStart=E2E-77",
    "/search?reason=AC02",
    "/search?state=ORPHAN",
    "/search?observation=conflict",
    "/search?amountFrom=100.00&amountTo=110.00",
    "/search?sort=amount",
    `/search?q=${uetr}`,
    `/transactions/${uetr}`,
    "/banks",
    `/banks/${bank}`,
    `/own/${bank}`,
    "/days",
    `/days/${today}`,
    `/days/${yesterday}`,
    `/days/${yesterday}?conservation=yes`,
    "/reconciliation",
    `/reconciliation?day=${yesterday}`,
    "/proposals",
    "/dead-letters",
    "/services",
    "/system",
    "/audit",
    "/calendar",
    "/topics",
  ];
}

export const firstPage = "/";
