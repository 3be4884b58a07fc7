import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { buildConformance, generateConformance } from "./conformance.ts";
import { toTree } from "../../tidy/file-tree.ts";

const section = { section: "2.5", title: "DirectDebit", rows: ["debtor", "debtorAgent", "purpose"].map(buildRow) };

function buildRow(name: string): { readonly id: string; readonly says: string } {
  return { id: `2.5 ${name}`, says: `About ${name}.` };
}

const decisions = `## D4 Same message again

| id | case | effect |
| --- | --- | --- |
| \`D4 repeat\` | same identity | none |

- **D4.1** \`D4 repeat\` A repeat
  is safe.
- **D4.2** The identity is the UETR.

| second name | same as |
| --- | --- |
| \`D4 second\` | \`D4 repeat\` |
`;

function given(test: string, notYetShown: readonly string[] = [], decided = "", untestable: Readonly<Record<string, string>> = {}) {
  return buildConformance(
    toTree({
      "docs/spec/decisions.md": decided,
      "docs/conformance/rows.json": JSON.stringify([section, { section: "7", title: "Errors", rows: [{ id: "7.3", says: "x" }] }]),
      "docs/conformance/not-yet-shown.json": JSON.stringify(notYetShown),
      "docs/conformance/not-testable.json": JSON.stringify(untestable),
      "packages/a/a.test.ts": test,
    }),
  );
}

test("every row is shown or listed as not yet shown, and every mark names a row", () => {
  expect(generateConformance(fileURLToPath(new URL("../../..", import.meta.url)), true)).toEqual([]);
});

describe("marks in titles", () => {
  test("name rows one by one, or all with the same beginning", () => {
    const { complaints, page } = given(`
      test("a debtor's name | goes through [2.5 debtor] [7.3]", f);
      test.each(cases)('%s is refused [2.5 debtor*]', f);
      it(\`all [2.5 *]\`, f);
    `);
    expect(complaints).toEqual(["no test shows row 2.5 debtorAgent", "no test shows row 2.5 purpose"]);
    expect(page).toContain(
      "| 2.5 debtor | About debtor. | [packages/a/a.test.ts](../../packages/a/a.test.ts): a debtor's name \\| goes through; ",
    );
    expect(page).toContain("%s is refused; all |");
    expect(page).toContain("| 2.5 purpose | About purpose. | [packages/a/a.test.ts](../../packages/a/a.test.ts): all |");
  });

  test("of a row of a test's table are shown with the title of that test", () => {
    const { page } = given(`
      test.each([["a debtor [2.5 debtor]", 1], ["the rest [2.5 *] [7.3]", 2]])("%s goes through: %i", f);
      const rows = [row("an agent [2.5 debtorAgent]")];
      test.each(rows)("$what is shown [7.3]", f);
    `);
    expect(page).toContain("a debtor (“%s goes through: %i”)");
    expect(page).toContain("the rest (“%s goes through: %i”); an agent (“$what is shown”) |");
    expect(page).toContain("; $what is shown |");
  });

  test("that name no row are refused", () => {
    const { complaints } = given('test("x [2.5 debitor]", f);\ntest("y [7.11]", f);\ntest("z [2.5 *] [7.3]", f);\n');
    expect(complaints.slice(0, 2)).toEqual([
      "packages/a/a.test.ts: [2.5 debitor] is no row of docs/conformance/rows.json",
      "packages/a/a.test.ts: [7.11] is no row of docs/conformance/rows.json",
    ]);
  });

  test("of decisions name their rows and sentences, also by a second name; every other one is refused", () => {
    const all = 'test("x [2.5 debtor] [2.5 debtorAgent] [2.5 purpose] [7.3]", f);';
    const shown = given(`${all} test("again [D4 second] [D4.2]", f);`, [], decisions);
    expect(shown.complaints).toEqual([]);
    expect(shown.page).toContain("## D4 Same message again");
    expect(shown.page).toContain("| D4 repeat | same identity; none A repeat is safe. | [packages/a/a.test.ts]");
    const bare = given(`${all} test("again [D4 repat]", f);`, ["D4.2"], decisions);
    expect(bare.complaints).toEqual([
      "packages/a/a.test.ts: [D4 repat] is no row of docs/spec/decisions.md",
      "no test shows row D4 repeat",
    ]);
  });

  test("of decisions may have several words, and a name that ends with a star is a row of its own", () => {
    const named = "## D7 States\n\n- **D7.1** `D7 credit deadline` Two hours.\n- **D7.2** `D7 CREDIT_*` Terminal.\n";
    const all = 'test("x [2.5 debtor] [2.5 debtorAgent] [2.5 purpose] [7.3]", f);';
    expect(given(`${all} test("y [D7 credit deadline] [D7 CREDIT_*]", f);`, [], named).complaints).toEqual([]);
    expect(given(`${all} test("y [D7 credit dead line] [D7 CREDIT_*]", f);`, [], named).complaints).toEqual([
      "packages/a/a.test.ts: [D7 credit dead line] is no row of docs/spec/decisions.md",
      "no test shows row D7 credit deadline",
    ]);
  });

  test("with a star are listed, but show no row by themselves", () => {
    const { complaints, page } = given('test("all [2.5 *]", f);\ntest("x [2.5 debtor] [7.3]", f);\n');
    expect(page).toContain("| 2.5 purpose | About purpose. | [packages/a/a.test.ts](../../packages/a/a.test.ts): all |");
    expect(complaints).toEqual(["no test shows row 2.5 debtorAgent", "no test shows row 2.5 purpose"]);
  });

  test("are only read from titles", () => {
    const text = 'const a = values[0]; read("list[2.5]", "[2.5 debtor]"); // [2.5 debitor]\n';
    expect(
      given(
        text,
        section.rows.map(({ id }) => id),
      ).complaints,
    ).toEqual(["no test shows row 7.3"]);
  });
});

test("two sentences with one number are a complaint", () => {
  const repeated = `${decisions}\n- **D4.2** Another one.\n`;
  const { complaints } = given(
    'test("x [2.5 *] [7.3] [D4 repeat] [D4.2]", f);',
    section.rows.map(({ id }) => id),
    repeated,
  );
  expect(complaints).toEqual(["two sentences of docs/spec/decisions.md have the number D4.2"]);
});

describe("rows that no test can show", () => {
  const all = 'test("x [2.5 debtor] [2.5 debtorAgent] [2.5 purpose] [7.3] [D4 repeat]", f);';

  test("are named with the reason, and are then no complaint", () => {
    const { complaints, page, notYetShown } = given(all, ["D4.2"], decisions, { "D4.2": "A definition." });
    expect([complaints, notYetShown]).toEqual([[], []]);
    expect(page).toContain("| D4.2 | The identity is the UETR. | not testable: A definition. |");
  });

  test("are a complaint if they have no reason, are no rows, or a test shows them", () => {
    const untestable = { "D4.2": " ", "D4.9": "It is gone.", "7.3": "Nobody can." };
    expect(given(all, [], decisions, untestable).complaints).toEqual([
      "docs/conformance/not-testable.json: D4.2 has no reason",
      "docs/conformance/not-testable.json: D4.9 is no row",
      "docs/conformance/not-testable.json: a test shows 7.3",
    ]);
  });
});

test("a row that no test shows is a complaint unless it is on the list, which only shrinks", () => {
  const { complaints, notYetShown } = given('test("x [2.5 debtor]", f);', ["2.5 debtor", "7.3", "2.5 gone"]);
  expect(complaints).toEqual(["no test shows row 2.5 debtorAgent", "no test shows row 2.5 purpose"]);
  expect(notYetShown).toEqual(["7.3"]);
});
