import { expect, test } from "vitest";
import { openDecisionEnvironment } from "../decisions/decisions.fixture.ts";
import { openReader } from "./browser.fixture.ts";

test("the search names the verb of its counts where it shows them", async () => {
  const reader = openReader(await openDecisionEnvironment());
  await reader.signIn();
  const footOf = async (path: string) =>
    [...(await reader.ask(path)).text.matchAll(/Command: <code>([^<]*)<\/code>/g)].map(([, command]) => command);
  expect(await footOf("/search?state=HELD")).toEqual(["./sluice search --state HELD"]);
  expect(await footOf("/search?state=HELD&counts=yes")).toEqual(["./sluice search --state HELD", "./sluice counts --state HELD"]);
});
