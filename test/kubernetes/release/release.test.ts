// Installs the chart on a real cluster, and disturbs the release under load in the ways in which a cluster does.
//
// #1 The tests are one story: each begins with a release whose pods are all ready.
// #2 Network policies, autoscalers and ingress controllers are not enforced by this cluster, and not tested.

import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCase, type E2eCase, type FlowName, flows } from "../../e2e/parties/flows.ts";
import { enteredStates, untilState } from "../../e2e/recorded/evidence.ts";
import { type ClusterEnvironment, namespace, openClusterEnvironment, release } from "../cluster-environment.ts";
import { helm, kubectl, type RestartWatch, tryCommand, watchRestarts } from "../kubectl.ts";
import {
  capPods,
  type Disturbance,
  disturb,
  pairs,
  type ServiceName,
  servicePods,
  services,
  until,
  untilReady,
  untilReplaced,
} from "../release-steps.ts";

const opened = new AsyncDisposableStack();
let environment: ClusterEnvironment;
let watch: RestartWatch;

beforeAll(async () => {
  environment = opened.use(await openClusterEnvironment());
  watch = opened.use(watchRestarts(namespace, services));
});
afterAll(() => opened.disposeAsync());
beforeEach(async () => void (await untilReady()));

async function submit({ flow, bank, message }: E2eCase): Promise<void> {
  const { simulators, connector } = environment.parties;
  const party = flows[flow].isFromConnector ? connector.simulator : simulators.get(bank);
  expect(await party?.send(flows[flow].operation, message)).toMatchObject({ status: 202 });
}

const unnoticed = { unanswered: 0, lost: 0, repeated: { debits: 0, reports: 0, events: 0 } };
/** A 503 asks for a repeat: there may be some on a machine that has no processor to spare, and no more than a tenth. */
const acceptedMin = 0.9;
/**
 * Milliseconds from the answer to the debit, of 99 of 100, while cores are free. An upgrade provisions too, and one of
 * all services at once starts a pod of each at the same time (ADR 101).
 */
const waitMaxMs = { rollout: 1_000, upgradeInPairs: 4_000, allAtOnce: 20_000 };
/** Cores that others may use for the cores to count as free. */
const othersCoresMax = 0.2;

/** On request, because it takes minutes: processor time that is too little for the rollouts. */
const scarceCores = process.env["SLUICE_LONG"] === "1" ? [0.6] : [];

/** The bound of the waits holds only where nobody else took the cores. A standstill is added: no service ran then. */
function expectShortWaits({ othersCores, standstillMs, waitsMs }: Disturbance, maxMs: number): void {
  const areFree = othersCores < othersCoresMax;
  if (!areFree) process.stdout.write(`  its waits are not held to ${maxMs} ms: the cores were not free\n`);
  expect(areFree ? waitsMs.p99 : 0).toBeLessThan(maxMs + standstillMs);
}

const deployment = (service: ServiceName): string => `deployment/sluice-${service}`;

/** The revision that the pods run. */
async function revision(): Promise<number> {
  const history: readonly { readonly revision: number; readonly status: string }[] = JSON.parse(
    await helm("history", release, "-n", namespace, "-o", "json"),
  );
  return history.findLast(({ status }) => status === "deployed")?.revision ?? 0;
}

describe("the release", () => {
  test("every pod keeps the policy restricted, which refuses one that does not say so", async () => {
    const loose = await tryCommand("kubectl", ["-n", namespace, "run", "loose", "--image", "sluice-local/sluice:kubernetes-1"]);
    expect(loose).toMatchObject({ isGood: false, output: expect.stringContaining('violates PodSecurity "restricted') });
    expect(await servicePods()).toHaveLength(2 * services.length);
  });

  test("a Service named sluice-http or sluice-control sets no variable of a pod", async () => {
    const names = ["SLUICE_HTTP_PORT", "SLUICE_CONSOLE_PORT", "SLUICE_CONTROL_PORT"];
    const print = `process.stdout.write(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name])))`;
    const read = (service: string): Promise<string> =>
      kubectl("-n", namespace, "exec", `deployment/sluice-${service}`, "--", "/usr/local/bin/node", "--eval", print);
    const found = await Promise.all(services.map(async (service): Promise<unknown> => JSON.parse(await read(service))));
    for (const ports of found) expect(ports).toEqual(["8080", "8080", "8082"]);
  });

  test.each<[FlowName, string]>([
    ["on-us", "acacia"],
    ["on-us", "baobab"],
    ["off-us", "acacia"],
    ["credit", "baobab"],
  ])("a journey ends well: %s of %s, from a party beside the pods and to it", async (flow, bank) => {
    const { branch } = environment.bank(bank);
    const journey = createCase({ flow, bank, branch });
    await submit(journey);
    const transaction = await untilState(environment, journey.uetr, flows[flow].path.at(-1) ?? "");
    expect(enteredStates(transaction)).toEqual(flows[flow].path);
  });

  test("helm test finds every service ready", async () => {
    expect(await helm("test", release, "-n", namespace, "--timeout", "2m")).toContain("Succeeded");
  });
});

describe("wrong values", () => {
  test("a value that the chart does not know is refused, and the release stays as it is", async () => {
    const before = await revision();
    const refused = await tryCommand("helm", [...environment.upgradeWords(), "--set", "services.ingress.replica=3"]);
    expect(refused).toMatchObject({ isGood: false, output: expect.stringContaining("'replica' not allowed") });
    expect(await revision()).toBe(before);
  });

  test("a wrong configuration file ends the upgrade before any pod changes", async () => {
    const [before, pods] = [await revision(), await servicePods()];
    const file = `${environment.configurationFile}.wrong`;
    await writeFile(file, '{ "version": "wrong", "banks": 7 }');
    const more = ["--set-file", `configuration=${file}`, "--set", "provision.retries=0,provision.deadlineSeconds=60", "--wait"];
    expect(await tryCommand("helm", [...environment.upgradeWords(), ...more])).toMatchObject({ isGood: false });
    expect(await revision()).toBe(before);
    expect((await servicePods()).map(({ name }) => name)).toEqual(pods.map(({ name }) => name));
  });
});

describe("disturbances under load", () => {
  test.each(pairs)(
    "I1, I3: rollouts of %s and %s leave no request without an answer, lose nothing and send nothing twice [D10.40]",
    async (...pair) => {
      const figures = await disturb(environment, `rollouts of ${pair.join(" and ")}`, async () => {
        await kubectl("-n", namespace, "rollout", "restart", ...pair.map(deployment));
        await Promise.all(pair.map((service) => untilReplaced(service)));
      });
      expect(figures).toMatchObject(unnoticed);
      expect(figures.accepted).toBeGreaterThan(acceptedMin * figures.sent);
      expectShortWaits(figures, waitMaxMs.rollout);
    },
  );

  test.each(pairs)("I1: a pod of %s and one of %s that are killed lose nothing", async (...pair) => {
    const figures = await disturb(environment, `killed pods of ${pair.join(" and ")}`, async () => {
      const pods = await Promise.all(pair.map((service) => servicePods(service)));
      const names = pods.flatMap(([pod]) => (pod === undefined ? [] : [pod.name]));
      expect(names).toHaveLength(pair.length);
      await kubectl("-n", namespace, "delete", "pod", ...names, "--grace-period=0", "--force");
      await untilReady();
    });
    expect(figures.accepted).toBeGreaterThan(0);
    expect(figures.lost).toBe(0);
  });

  test("I1, I16: a broker that goes and comes back ends no pod and loses nothing", async () => {
    const scale = (replicas: number): Promise<string> => kubectl("-n", "data", "scale", "deployment/kafka", `--replicas=${replicas}`);
    const figures = await disturb(environment, "a broker away", async () => {
      await scale(0);
      await until(async () => {
        const ready = (await servicePods("ingress")).filter(({ isReady }) => isReady);
        if (ready.length > 0) throw new Error(`ready without a broker: ${ready.map(({ name }) => name).join(", ")}`);
      }, 60_000);
      await scale(1);
      await kubectl("-n", "data", "rollout", "status", "deployment/kafka", "--timeout=120s");
      process.stdout.write(`all pods ready ${await untilReady()} ms after the broker\n`);
    });
    expect(figures.accepted).toBeGreaterThan(0);
    expect(figures.lost).toBe(0);
  });

  test("I1: a drain of the node leaves one pod of each service, which goes on", async () => {
    const figures = await disturb(environment, "a drained node", async () => {
      const words = ["drain", "sluice", "--pod-selector=app.kubernetes.io/name=sluice", "--ignore-daemonsets", "--timeout=12s"];
      expect(await tryCommand("kubectl", words)).toMatchObject({ isGood: false, output: expect.stringContaining("disruption budget") });
      const ready = (await servicePods()).filter(({ isReady, isEnding }) => isReady && !isEnding);
      expect(ready.map(({ component }) => component).toSorted()).toEqual([...services].toSorted());
      await kubectl("uncordon", "sluice");
      await untilReady();
    });
    expect(figures).toMatchObject(unnoticed);
    expect(figures.accepted).toBeGreaterThan(acceptedMin * figures.sent);
  });

  test("I1, I3: an upgrade in pairs and a rollback at once leave no request without an answer, lose nothing and send nothing twice", async () => {
    const images = async (): Promise<readonly string[]> => [...new Set((await servicePods()).map(({ image }) => image))];
    // Unless it is named, helm takes the revision before the present one, also if that one was refused.
    const before = await revision();
    const upgrade = await disturb(environment, "an upgrade of all services, in pairs", async () => {
      await kubectl("-n", namespace, "rollout", "pause", ...services.map(deployment));
      await helm(...environment.upgradeWords(), "--set", "image.tag=kubernetes-2", "--timeout", "5m");
      for (const pair of pairs) {
        await kubectl("-n", namespace, "rollout", "resume", ...pair.map(deployment));
        await Promise.all(pair.map((service) => untilReplaced(service)));
      }
      await untilReady();
    });
    expect(await images()).toEqual([expect.stringContaining("kubernetes-2")]);
    const rollback = await disturb(environment, "its rollback, of all services at once", async () => {
      await helm("rollback", release, String(before), "-n", namespace, "--wait", "--timeout", "5m");
      await untilReady();
    });
    expect(await images()).toEqual([expect.stringContaining("kubernetes-1")]);
    for (const figures of [upgrade, rollback]) {
      expect(figures).toMatchObject(unnoticed);
      expect(figures.accepted).toBeGreaterThan(acceptedMin * figures.sent);
    }
    expectShortWaits(upgrade, waitMaxMs.upgradeInPairs);
    expectShortWaits(rollback, waitMaxMs.allAtOnce);
  }, 900_000);
});

describe.each(scarceCores)("with %d of a core for all pods", (cores) => {
  const load = { perSecond: 5, debitMaxMs: 300_000, isRepeating: true };

  test("I1: rollouts lose nothing, and a caller that repeats for a minute is answered 202", async () => {
    await using opened = new AsyncDisposableStack();
    opened.use(await capPods(cores));
    const rollouts = async (): Promise<void> => {
      for (const pair of pairs) {
        await kubectl("-n", namespace, "rollout", "restart", ...pair.map(deployment));
        await Promise.all(pair.map((service) => untilReplaced(service)));
      }
    };
    const figures = await disturb(environment, `rollouts of all services with ${cores} of a core`, rollouts, load);
    expect(figures).toMatchObject({ lost: 0, accepted: figures.sent });
  }, 1_200_000);
});

describe("after all of it", () => {
  test("no container was ever started a second time", () => {
    expect(watch.lines()).toBeGreaterThan(0);
    expect([...watch.restarts]).toEqual([]);
  });

  test("I1 to I16: the checker finds no violation in the whole history", async () => {
    const { violations, counts } = await environment.check();
    process.stdout.write(`checked: ${JSON.stringify(counts)}\n`);
    expect(violations).toEqual([]);
  }, 300_000);
});
