// The settings of traces. Without an address nothing is traced.

import { address, listOfText, optionalSetting, text } from "./setting-types.ts";

const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const markedMax = 100;
const ratioDefault = 0.01;

export const traceSettings = {
  SLUICE_TRACES_URL: optionalSetting(address("http", "https")).describe(
    "The collector's address for traces by OTLP over HTTP, such as `http://collector:4318/v1/traces`; without it nothing is traced.",
  ),
  SLUICE_TRACES_RATIO: text
    .refine((value) => /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(value), "must be a number from 0 to 1 with at most six decimals")
    .transform(Number)
    .default(ratioDefault)
    .describe("The share of transactions that are traced, from 0 to 1."),
  SLUICE_TRACES_PAGE: optionalSetting(
    address("http", "https").refine((value) => value.includes("{traceId}"), "must have {traceId} where the id of a trace goes"),
  ).describe(
    "Address of the page of a trace, such as `https://traces.example/trace/{traceId}`; pages of the console link to it. Without it there is no link.",
  ),
  SLUICE_TRACES_UETRS: optionalSetting(
    listOfText.refine(
      (uetrs) => uetrs.length <= markedMax && uetrs.every((uetr) => uetrForm.test(uetr)),
      `must be at most ${markedMax} UETRs in lower case`,
    ),
  ).describe("UETRs that are always traced, separated by commas; at most 100."),
} as const;
