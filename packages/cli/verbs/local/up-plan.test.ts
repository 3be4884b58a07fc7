import { expect, test } from "vitest";
import { describeConfigurationChange, planUp, type UpQuestion } from "./up-plan.ts";

const kafka = { kind: "server", name: "kafka", isRunning: true } as const;
const validator = { kind: "service", name: "validator", isRunning: true } as const;
const console = { kind: "service", name: "console", isRunning: true } as const;

function plan(question: Partial<UpQuestion>) {
  const whole = { processes: [kafka, validator, console], notedFile: "/mine.yaml", givenFile: null, isNotedFileChanged: false };
  return planUp({ ...whole, sampleFile: "/sample.yaml", ...question });
}

test("up starts a missing service with the configuration that ran, and leaves the others alone", () => {
  expect(plan({ processes: [kafka, { ...validator, isRunning: false }, console] })).toEqual({
    kind: "start-services",
    services: ["validator"],
    configurationFile: "/mine.yaml",
    said: ["validator is down: started again with /mine.yaml; what runs is left alone"],
    isSecured: false,
  });
});

test("up never takes another configuration than the one that ran, unless --config names it", () => {
  const down = [kafka, validator, console].map((one) => ({ ...one, isRunning: false }));
  expect(plan({ processes: down })).toMatchObject({ kind: "start-all", configurationFile: "/mine.yaml" });
  expect(plan({ processes: [{ ...kafka, isRunning: false }, validator] })).toMatchObject({
    kind: "start-all",
    configurationFile: "/mine.yaml",
  });
  expect(plan({ processes: [], notedFile: null })).toEqual({
    kind: "start-all",
    configurationFile: "/sample.yaml",
    said: [],
    isSecured: false,
  });
});

test("another file with --config restarts everything, and the change is said", () => {
  const changed = { kind: "start-all", configurationFile: "/other.yaml", isSecured: false };
  const said = ["the configuration changes from /mine.yaml to /other.yaml"];
  expect(plan({ givenFile: "/other.yaml" })).toEqual({ ...changed, said });
  expect(plan({ givenFile: "/other.yaml", processes: [kafka, { ...console, isRunning: false }] })).toEqual({ ...changed, said });
});

test("the same file with --config changes nothing; an edited file is said", () => {
  const present = { kind: "nothing-to-do", configurationFile: "/mine.yaml", isSecured: false };
  expect(plan({ givenFile: "/mine.yaml" })).toEqual({ ...present, said: ["is up already (./sluice down stops it)"] });
  expect(plan({ isNotedFileChanged: true }).said).toContain("/mine.yaml was edited since it was started with");
});

test("what runs stays secured or not; --secured starts everything again where it was not", () => {
  const down = [kafka, validator].map((one) => ({ ...one, isRunning: false }));
  const partly = [kafka, { ...validator, isRunning: false }];
  expect(plan({ isNotedSecured: true })).toMatchObject({ kind: "nothing-to-do", isSecured: true });
  expect(plan({ isNotedSecured: true, processes: partly })).toMatchObject({ kind: "start-services", isSecured: true });
  expect(plan({ isNotedSecured: true, wantsSecured: true })).toMatchObject({ kind: "nothing-to-do", isSecured: true });
  expect(plan({ wantsSecured: true })).toEqual({
    kind: "start-all",
    configurationFile: "/mine.yaml",
    said: ["TLS, logins and rights come on: everything is started again"],
    isSecured: true,
  });
  expect(plan({ wantsSecured: true, processes: down })).toMatchObject({ kind: "start-all", isSecured: true });
  expect(plan({ isNotedSecured: true, processes: down })).toMatchObject({ kind: "start-all", isSecured: false });
});

test("what two configurations do not share is named", () => {
  const before = { banks: ["first", "other"], connectors: ["clearing"], schemes: ["ZA_EFT"] };
  const after = { banks: ["first", "third"], connectors: [], schemes: ["ZA_EFT"] };
  expect(describeConfigurationChange(before, after)).toEqual([
    "banks that are gone: other",
    "banks that are new: third",
    "connectors that are gone: clearing",
  ]);
  expect(describeConfigurationChange(before, before)).toEqual([]);
});
