import { describe, expect, it } from "vitest";
import { answerText } from "./answer-text.ts";

const body = (text: string) => answerText({ kind: "answered", status: 400, retryAfter: null, body: new TextEncoder().encode(text) });
const errorDetail = (message: unknown) => body(JSON.stringify({ schema: "ErrorDetail", message, detail: "debtor T Mokoena" }));

describe("what is kept of a bank's answer", () => {
  it("keeps the message of an ErrorDetail and nothing else of it", () => {
    expect(errorDetail("Unknown agent")).toBe("Unknown agent");
  });

  it("keeps nothing of a body that is no ErrorDetail", () => {
    for (const text of ["", "T Mokoena, 62001872440", "<html>", '{"message":"x"}', "[]", "null", '{"schema":"ErrorDetail"'])
      expect(body(text)).toBeNull();
    expect(errorDetail(17)).toBeNull();
  });

  it("masks digits to the last four of a run, however they are grouped", () => {
    expect(errorDetail("account 62001872440 unknown")).toBe("account …2440 unknown");
    expect(errorDetail("account 6200 1872-440 unknown")).toBe("account …2440 unknown");
    expect(errorDetail("code 4031")).toBe("code 4031");
  });

  it("is short and printable", () => {
    expect(errorDetail("x".repeat(10_000))).toHaveLength(140);
    expect(errorDetail("a\u0000\n\u202eb")).toBe("a b");
  });

  it("says why there was no answer", () => {
    expect(answerText({ kind: "silent", reason: "timeout" })).toBe("timeout");
  });
});
