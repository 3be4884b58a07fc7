// Active currency codes and their minor units. Source: ISO 4217:2015, list one (current currency and funds codes), as
// published by the maintenance agency, without codes that have no minor unit (metals, tests). As of 2026-01-01.

const codesByMinorUnits: Readonly<Record<number, string>> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC
      CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR
      KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN
      PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS
      UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
};

const minorUnits: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByMinorUnits).flatMap(([digits, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code): [string, number] => [code, Number(digits)]),
  ),
);

/** Returns the digits after the decimal point that the currency allows; null for a code that is not active. */
export function minorUnitDigits(currency: string): number | null {
  return minorUnits.get(currency) ?? null;
}

export function currencyCodes(): string[] {
  return [...minorUnits.keys()].toSorted();
}
