// Starts the image's mode `all` as a container. It listens on ports that the engine chooses, and reaches this machine
// as `host.testcontainers.internal`.

import type { LaunchSluice } from "./launched.ts";

const ports = { http: 8080, control: 8082, ops: 9464 } as const;
const file = "/etc/sluice/sluice.json";
const hostName = "host.testcontainers.internal";

export function launchContainer(image: string): LaunchSluice {
  return async ({ render, startAt, hostPorts, log, startWithinMs }) => {
    const { GenericContainer, TestContainers, Wait } = await import("testcontainers");
    if (hostPorts.length > 0) await TestContainers.exposeHostPorts(...hostPorts);
    const { configuration, variables } = render(hostName);
    const container = await new GenericContainer(image)
      .withCommand(["all"])
      .withEnvironment({ ...variables, SLUICE_CONFIG: file, SLUICE_CLOCK_START: startAt, SLUICE_TLS_ENDED_BY: "test" })
      .withCopyContentToContainer([{ content: configuration, target: file, mode: 0o444 }])
      .withExposedPorts(...Object.values(ports))
      .withLogConsumer((lines) => void lines.on("data", (chunk: unknown) => log.add(String(chunk))))
      .withWaitStrategy(Wait.forHttp("/readyz", ports.ops).forStatusCode(200))
      .withStartupTimeout(startWithinMs)
      .start();
    const address = (port: number): string => `http://${container.getHost()}:${container.getMappedPort(port)}`;
    return {
      url: address(ports.http),
      controlUrl: address(ports.control),
      async stop() {
        await container.stop();
      },
    };
  };
}
