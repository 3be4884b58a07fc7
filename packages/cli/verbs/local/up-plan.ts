// Decides what `./sluice up` does, from what the last `up` recorded and what of it still runs.
//
// #1 The configuration that ran is the one that is started again. Another one needs --config, and the change is said.
// #2 What runs stays secured, or not. Only --secured changes it, and everything is started again.
// #3 What runs is left alone if only services are missing. A missing server takes the services with it, so then all is
//    started again.

import type { UpProcess } from "./up-state.ts";

export interface UpQuestion {
  readonly processes: readonly UpProcess[];
  /** The configuration file of the last `up`; null: there was none. */
  readonly notedFile: string | null;
  /** The file that --config names; null: none. */
  readonly givenFile: string | null;
  /** The file of a first start. */
  readonly sampleFile: string;
  /** Whether --secured is given, and whether what was noted is secured. What runs keeps its way. */
  readonly wantsSecured?: boolean;
  readonly isNotedSecured?: boolean;
  /** Whether the content of the noted file differs from what `up` read. */
  readonly isNotedFileChanged: boolean;
}

export type UpPlan = { readonly configurationFile: string; readonly isSecured: boolean; readonly said: readonly string[] } & (
  | { readonly kind: "nothing-to-do" }
  | { readonly kind: "start-services"; readonly services: readonly string[] }
  | { readonly kind: "start-all" }
);

export function planUp(question: UpQuestion): UpPlan {
  const { processes, wantsSecured = false, isNotedSecured = false } = question;
  const isUp = processes.some((one) => one.isRunning);
  const plan = planProcesses(question);
  if (!isUp || !wantsSecured || isNotedSecured) return { ...plan, isSecured: wantsSecured || (isUp && isNotedSecured) };
  const said = ["TLS, logins and rights come on: everything is started again", ...plan.said.filter((line) => line !== upAlready)];
  return { kind: "start-all", configurationFile: plan.configurationFile, isSecured: true, said };
}

const upAlready = "is up already (./sluice down stops it)";

type ProcessPlan = UpPlan extends infer Plan ? (Plan extends UpPlan ? Omit<Plan, "isSecured"> : never) : never;

function planProcesses({ processes, notedFile, givenFile, sampleFile, isNotedFileChanged }: UpQuestion): ProcessPlan {
  const configurationFile = givenFile ?? notedFile ?? sampleFile;
  const isOther = notedFile !== null && notedFile !== configurationFile;
  const changed = isOther ? [`the configuration changes from ${notedFile} to ${configurationFile}`] : [];
  const edited = !isOther && isNotedFileChanged ? [`${configurationFile} was edited since it was started with`] : [];
  const said = [...changed, ...edited];
  const down = processes.filter((one) => !one.isRunning);
  if (processes.length === down.length) {
    const again =
      notedFile === configurationFile ? [`with the configuration that ran last: ${notedFile} (--config FILE names another)`] : [];
    return { kind: "start-all", configurationFile, said: [...again, ...said] };
  }
  if (isOther) return { kind: "start-all", configurationFile, said };
  if (down.length === 0) return { kind: "nothing-to-do", configurationFile, said: [upAlready, ...said] };
  const names = down.map(({ name }) => name);
  const missing = `${names.join(", ")} ${names.length === 1 ? "is" : "are"} down`;
  return down.some(({ kind }) => kind === "server")
    ? { kind: "start-all", configurationFile, said: [`${missing}: everything is started again with ${configurationFile}`, ...said] }
    : {
        kind: "start-services",
        services: names,
        configurationFile,
        said: [`${missing}: started again with ${configurationFile}; what runs is left alone`, ...said],
      };
}

/** What a configuration names, for the difference between two. */
export interface ConfigurationNames {
  readonly banks: readonly string[];
  readonly connectors: readonly string[];
  readonly schemes: readonly string[];
}

/** One line for each kind of thing that one configuration names and the other does not. */
export function describeConfigurationChange(before: ConfigurationNames, after: ConfigurationNames): readonly string[] {
  return (["banks", "connectors", "schemes"] as const).flatMap((kind) => {
    const gone = before[kind].filter((id) => !after[kind].includes(id));
    const added = after[kind].filter((id) => !before[kind].includes(id));
    return [
      ...(gone.length === 0 ? [] : [`${kind} that are gone: ${gone.join(", ")}`]),
      ...(added.length === 0 ? [] : [`${kind} that are new: ${added.join(", ")}`]),
    ];
  });
}
