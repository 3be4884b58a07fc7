import { describe, expect, it } from "vitest";
import { durationMs } from "./duration.ts";
import { linesMax, LogTail } from "./log-tail.ts";
import { dateIn, noonZone, type Party, renderSettings, type WindowOptions } from "./settings.ts";

const party: Party = {
  id: "first-bank",
  kind: "bank",
  url: "http://127.0.0.1:9100",
  branch: "250655",
  token: "token of the bank",
  sluiceToken: "token of Sluice",
  signingSecrets: ["whsec_one", "whsk_two"],
  takesEvents: true,
  members: { answerTimeout: "1s" },
};

function render(window: WindowOptions, startAt = "2026-11-20T05:12:00Z") {
  const settings = { parties: [party], window, startAtMs: Date.parse(startAt), operatorToken: "operator", members: {} };
  const { configuration, variables } = renderSettings(settings, (url) => url.replace("127.0.0.1", "host"));
  return { configuration: JSON.parse(configuration) as Record<string, unknown>, text: configuration, variables };
}

describe("the configuration of an environment", () => {
  it("has the window as long after the clock's start as was asked for, about noon", () => {
    const { configuration } = render({ opensIn: "2s", lasts: "60s" });
    expect(configuration["calendars"]).toEqual({
      "every-day": { version: "every-day/1", zone: "+07:00", workingDays: [1, 2, 3, 4, 5, 6, 7] },
    });
    expect(configuration["schemes"]).toMatchObject([
      { id: "ZA_EFT", processing: [{ opens: "12:12:02", closes: "12:13:02" }], reconciliation: "12:13:32" },
      { id: "ZA_RTC" },
    ]);
  });

  it.each(["2026-11-20T00:10:00Z", "2026-11-20T06:00:00Z", "2026-11-20T12:40:00Z", "2026-11-20T23:59:00Z"])(
    "lies within one date, whenever the clock starts: %s",
    (startAt) => {
      const startAtMs = Date.parse(startAt);
      const zone = noonZone(startAtMs);
      expect(zone).toMatch(/^[+-](0\d|1[0-2]):00$/);
      expect(dateIn(zone, startAtMs + 8 * 3_600_000)).toBe(dateIn(zone, startAtMs));
      expect(dateIn(zone, startAtMs - 8 * 3_600_000)).toBe(dateIn(zone, startAtMs));
    },
  );

  it("is refused where the window's close is on another date", () => {
    expect(() => render({ opensIn: "1h", lasts: "20h" })).toThrow(/within one date/);
  });

  it("names banks where they are reached, and holds no token and no secret", () => {
    const { configuration, text, variables } = render({ opensIn: "2s", lasts: "60s" });
    expect(configuration["banks"]).toMatchObject([
      {
        id: "first-bank",
        baseUrl: "http://host:9100",
        eventsUrl: "http://host:9100",
        agents: [{ memberId: "250655" }],
        answerTimeout: "1s",
        signingKeys: [{ kind: "symmetric" }, { kind: "ed25519" }],
      },
    ]);
    const secrets = [party.token, party.sluiceToken, ...party.signingSecrets];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(variables).toEqual({
      PARTY_FIRST_BANK_TOKEN: party.sluiceToken,
      PARTY_FIRST_BANK_SECRET_0: "whsec_one",
      PARTY_FIRST_BANK_SECRET_1: "whsk_two",
    });
  });
});

it("a time is a number with its unit", () => {
  expect(["500ms", "2s", "1.5m", "8h"].map((text) => durationMs(text as "2s"))).toEqual([500, 2_000, 90_000, 28_800_000]);
  for (const wrong of ["2", "s", "-2s", "2 s", "2d"]) expect(() => durationMs(wrong as "2s")).toThrow(/is not a time/);
});

describe("the log that a failure shows", () => {
  it("I15: is bounded, and keeps the last lines, also of lines that come in parts", () => {
    const log = new LogTail();
    for (let line = 1; line <= linesMax + 10; line += 1) {
      log.add(`line `);
      log.add(`${line}\n`);
    }
    const lines = log.text().split("\n");
    expect([lines.length, lines.at(0), lines.at(-1)]).toEqual([linesMax, "line 11", `line ${linesMax + 10}`]);
  });

  it("leaves out what the test itself asked", () => {
    const log = new LogTail();
    expect(log.explain("failed")).toBe("failed");
    log.add('{"event":"window.opened"}\n{"event":"console.answered"}\n');
    expect(log.explain("failed")).toBe('failed\nThe log of Sluice ends with:\n  {"event":"window.opened"}');
  });
});
