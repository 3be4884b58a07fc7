import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerText, answerTextCharactersMax } from "./answer-text.ts";

const bytes = (body: Uint8Array) => answerText({ kind: "answered", status: 400, retryAfter: null, body });
const body = (text: string) => bytes(new TextEncoder().encode(text));
const errorDetail = (message: unknown, detail?: unknown) => body(JSON.stringify({ schema: "ErrorDetail", message, detail }));

describe("the text that is kept of a bank's answer", () => {
  it("keeps the message of an ErrorDetail as it is, and of its detail the words that name nothing [D10 privacy]", () => {
    expect(errorDetail("Unknown agent")).toBe("Unknown agent");
    expect(errorDetail("Unknown agent", "debtorAgent.memberId of T Mokoena")).toBe("Unknown agent: debtorAgent.memberId of …");
    expect(errorDetail("Unknown agent", "T Mokoena")).toBe("Unknown agent");
  });

  it("keeps of an error page, of other JSON and of text the words that name nothing [D10 privacy]", () => {
    const page = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><hr>nginx/1.25.3</body></html>";
    expect(body(page)).toBe("502 Bad Gateway 502 Bad Gateway nginx/1.25.3");
    expect(body("upstream connect error or disconnect/reset before headers")).toBe(
      "upstream connect error or disconnect/reset before headers",
    );
    expect(body('{"error":"account of T. Mokoena is closed","code":"AC04","name":"Thandi"}')).toBe(
      '{"error":"account of … is closed","code":"AC04","…"}',
    );
    expect(errorDetail(17)).toBe('{"schema":"ErrorDetail","message":17}');
  });

  it("keeps nothing of an answer without a known word", () => {
    for (const text of ["", "  ", "T Mokoena, 62001872440", "<html>", "[]", "null", "62001872440", "👍", '"Debtór"'])
      expect(body(text)).toBeNull();
  });

  it("masks numbers to the last four digits, however they are grouped, and what mixes letters and digits [D10 privacy]", () => {
    expect(errorDetail("account 62001872440 unknown")).toBe("account …2440 unknown");
    for (const grouped of ["6200 1872-440", "6200.1872.440", "6200, 1872  440", "6\u200b2001872440", "6-2-0-0-1-8-7-2-4-4-0"])
      expect([grouped, errorDetail(`account ${grouped} unknown`)]).toEqual([grouped, "account …2440 unknown"]);
    expect(errorDetail("account ٦٢٠٠١٨٧٢٤٤٠")).toBe("account …٢٤٤٠");
    expect(errorDetail("MT84MALT011000012345MTLCAST001S unknown")).toBe("…001S unknown");
    expect(errorDetail("code 4031")).toBe("code 4031");
    expect(body("account 6200 1872-440 unknown")).toBe("account …2440 unknown");
  });

  it("is at most 1,024 characters, printable and well-formed", () => {
    expect(errorDetail("x".repeat(10_000))).toHaveLength(answerTextCharactersMax);
    expect(errorDetail("a\u0000\n\u202e\u2028b")).toBe("a b");
    expect(errorDetail(`${"x".repeat(answerTextCharactersMax - 1)}👍`)?.isWellFormed()).toBe(true);
    expect(body("error ".repeat(10_000))!.length).toBeLessThanOrEqual(answerTextCharactersMax);
  });

  it("cuts a long answer between words, never inside a number or a name", () => {
    const head = `error${" ".repeat(4_096 - 5 - 4)}`;
    expect(body(`${head}62001872440`)).toBe("error …");
    expect(body(`${head}6200`)).toBe("error 6200");
  });

  it("handles any bytes of a hostile receiver in bounded time", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2_000 }), (given) => /^[^\p{C}]*$/u.test(bytes(given) ?? "")));
    for (const unit of ["<", ">", "<a", "1", "1 ", "\u0000", "a1", "{", "[", '"', "…", "\u0301", "𝟙"]) body(unit.repeat(65_536 / 2));
    expect(bytes(new Uint8Array(65_536).fill(255))).toBeNull();
    expect(body("[".repeat(60_000))).toBeNull();
  });

  it("keeps the reason where there was no response", () => {
    expect(answerText({ kind: "silent", reason: "timeout" })).toBe("timeout");
  });
});
