// Starts Sluice in containers of its image: the mode `all` alone, or on real servers each service. They listen on ports
// that the engine chooses, and reach this machine as `host.testcontainers.internal`.
//
// #1 A container that is kept for other runs outlives the one through which testcontainers opens ports of this machine.
//    It reaches this machine at the engine's gateway instead.
// #2 testcontainers finds a container again by what it was created with. The configuration file is not part of that, so
//    a label has its digest.

import { createHash } from "node:crypto";
import type { GenericContainer, StartedTestContainer } from "testcontainers";
import type { Launched, LaunchSluice } from "./launched.ts";
import { serverVariables, startedServices } from "./servers.ts";

const ports = { http: 8080, control: 8082, ops: 9464 } as const;
const file = "/etc/sluice/sluice.json";
const hostName = "host.testcontainers.internal";
/** Milliseconds that topics, schemas and indexes may take. */
const provisionMaxMs = 120_000;
/** The label of containers that are kept, with the digest of their configuration (#2). */
const reuseLabel = "sluice.testcontainers.configuration";

export function launchContainer(image: string): LaunchSluice {
  return async ({ render, startAt, hostPorts, log, startWithinMs, servers, isReused }) => {
    const { GenericContainer, TestContainers, Wait } = await import("testcontainers");
    if (hostPorts.length > 0 && !isReused) await TestContainers.exposeHostPorts(...hostPorts);
    const { configuration, variables } = render(hostName);
    const given = servers === null ? { SLUICE_CLOCK_START: startAt } : serverVariables(servers);
    const describe = (word: string): GenericContainer => {
      const container = new GenericContainer(image)
        .withCommand([word])
        .withEnvironment({ ...variables, SLUICE_CONFIG: file, SLUICE_TLS_ENDED_BY: "test", ...given })
        .withCopyContentToContainer([{ content: configuration, target: file, mode: 0o444 }])
        .withLogConsumer((lines) => void lines.on("data", (chunk: unknown) => log.add(String(chunk))));
      if (servers?.network !== undefined) container.withNetworkMode(servers.network.getName());
      return isReused ? keep(container, configuration) : container;
    };
    const start = (word: string): Promise<StartedTestContainer> =>
      describe(word)
        .withExposedPorts(...Object.values(ports))
        .withWaitStrategy(Wait.forHttp("/readyz", ports.ops).forStatusCode(200))
        .withStartupTimeout(startWithinMs)
        .start();
    if (servers === null) return ofOne(await start("all"));
    const provisioned = await describe("provision").withWaitStrategy(Wait.forOneShotStartup()).withStartupTimeout(provisionMaxMs).start();
    await provisioned.stop();
    return await ofServices(start);
  };
}

/** #1, #2 */
function keep(container: GenericContainer, configuration: string): GenericContainer {
  return container
    .withReuse()
    .withExtraHosts([{ host: hostName, ipAddress: "host-gateway" }])
    .withLabels({ [reuseLabel]: createHash("sha256").update(configuration).digest("hex") });
}

function ofOne(container: StartedTestContainer): Launched {
  const url = addressOf(container, ports.http);
  return {
    url,
    consoleUrl: url,
    controlUrl: addressOf(container, ports.control),
    async stop() {
      await container.stop();
    },
  };
}

async function ofServices(start: (word: string) => Promise<StartedTestContainer>): Promise<Launched> {
  await using opened = new AsyncDisposableStack();
  const started = await Promise.allSettled(startedServices.map((name) => start(name)));
  const running = started.flatMap((one) => (one.status === "fulfilled" ? [opened.use(one.value)] : []));
  const failed = started.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  const [ingress, console] = [running[startedServices.indexOf("ingress")], running[startedServices.indexOf("console")]];
  if (ingress === undefined || console === undefined) throw new Error("ingress and console have not started");
  const owned = opened.move();
  return {
    url: addressOf(ingress, ports.http),
    consoleUrl: addressOf(console, ports.http),
    controlUrl: addressOf(console, ports.control),
    stop: () => owned.disposeAsync(),
  };
}

function addressOf(container: StartedTestContainer, port: number): string {
  return `http://${container.getHost()}:${container.getMappedPort(port)}`;
}
