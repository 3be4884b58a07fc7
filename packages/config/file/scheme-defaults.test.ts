import { schemeIds, schemes } from "@sluice/domain/schemes";
import { expect, test } from "vitest";
import { fillFromRow, type RowDefaults } from "./scheme-defaults.ts";

const silent: RowDefaults = { currencies: null, calendar: null, processing: null, reconciliation: null, accountRule: null };
const whole = {
  currencies: ["GBP"],
  calendar: "uk",
  processing: [{ opens: "07:00", closes: "15:00" }],
  reconciliation: "16:00",
  accountRule: "uk-modulus",
} as const;

test("what neither the file nor the scheme's row says is missing, and nothing of another scheme is taken for it", () => {
  expect(fillFromRow({}, silent)).toEqual({
    ok: false,
    missing: ["currencies", "calendar", "processing", "reconciliation", "accountRule"],
  });
  expect(fillFromRow({ ...whole, calendar: undefined }, silent)).toEqual({ ok: false, missing: ["calendar"] });
});

test("a row that says nothing is enough for a file that says everything", () => {
  expect(fillFromRow(whole, silent)).toEqual({ ok: true, members: whole });
});

test.each(schemeIds)("what the file says of %s goes before its row", (id) => {
  const row: RowDefaults = schemes[id].defaults;
  const said = { ...whole, currencies: undefined };
  expect(fillFromRow({ ...whole, currencies: ["USD"] }, row)).toEqual({ ok: true, members: { ...whole, currencies: ["USD"] } });
  expect(fillFromRow(said, row)).toEqual(
    row.currencies === null ? { ok: false, missing: ["currencies"] } : { ok: true, members: { ...whole, currencies: row.currencies } },
  );
});
