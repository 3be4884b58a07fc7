import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// pure: no server, beside the code. servers: real Kafka, registry and store (`*.int.test.ts`). interface: ingress on a
// port, no server. simulation and e2e: across services. chaos: a trial under faults, which starts servers of its own.
// containers: the image in a container, and what starts it from a bank's tests.
// teeth: planted bugs, in copies of the tree. browser: the console's pages in a real one. languages: banks in Java and
// Python.

/**
 * Files that start servers of their own and then mostly wait, for a window, a close or a bank that is back: two of them
 * together need less than four cores.
 */
const waitingTogether = { maxWorkers: availableParallelism() >= 4 ? 2 : 1, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    // Every core works, also where there are two: vitest would leave one to itself, which hardly uses it.
    maxWorkers: "100%",
    // A failed expectation says what it got, also where only its message is kept, as in the report of CI.
    chaiConfig: { truncateThreshold: 4_000 },
    projects: [
      {
        test: {
          name: "pure",
          setupFiles: ["test/property-seed.ts"],
          include: [
            "{packages,services,infra,tools}/**/*.test.ts",
            "test/{checker,testkit,environment,trials,benches,demo,sandbox}/**/*.test.ts",
            "test/{kubernetes,teeth}/*.test.ts",
          ],
          exclude: ["**/node_modules/**", "**/*.int.test.ts", "**/*.containers.test.ts", "**/*.browser.test.ts", "**/*.languages.test.ts"],
          // Files share their modules: loading them again for each took four times as long. No test mocks a module or
          // leaves state behind.
          isolate: false,
          // For a machine under load.
          testTimeout: 90_000,
        },
      },
      {
        test: {
          name: "servers",
          include: ["{packages,services,infra,test/environment}/**/*.int.test.ts"],
          exclude: ["**/node_modules/**"],
          globalSetup: ["infra/local/vitest-servers.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      { test: { name: "interface", include: ["test/interface/**/*.test.ts"], fileParallelism: false, testTimeout: 300_000 } },
      { test: { name: "languages", include: ["packages/cli/**/*.languages.test.ts"], fileParallelism: false } },
      {
        test: {
          name: "browser",
          include: ["services/console/web/**/*.browser.test.ts"],
          exclude: ["**/node_modules/**"],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: "simulation", include: ["test/simulation/**/*.test.ts", "test/model/**/*.test.ts"], testTimeout: 600_000 } },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          exclude: [
            "**/node_modules/**",
            "test/e2e/{day,demo,versions,three-brokers,leaderless-partition,secured-rebuild,least-rights}.test.ts",
          ],
          globalSetup: ["infra/local/vitest-servers.ts"],
          ...waitingTogether,
          testTimeout: 300_000,
          hookTimeout: 180_000,
        },
      },
      // Its day has the times of a clock, so nothing else runs beside it.
      { test: { name: "demo", include: ["test/e2e/demo.test.ts"], fileParallelism: false, testTimeout: 300_000 } },
      {
        test: {
          name: "days",
          include: ["test/e2e/day.test.ts"],
          globalSetup: ["infra/local/vitest-servers.ts"],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "versions",
          include: ["test/e2e/versions.test.ts"],
          globalSetup: ["infra/local/vitest-servers.ts"],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "brokers",
          include: ["test/e2e/{three-brokers,leaderless-partition,secured-rebuild,least-rights}.test.ts"],
          globalSetup: ["infra/local/vitest-servers.ts"],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "containers",
          include: ["packages/testcontainers/**/*.containers.test.ts", "packages/testcontainers/example/*.test.ts"],
          exclude: ["**/node_modules/**"],
          fileParallelism: false,
          // Files share testcontainers, which reaches this machine through one container at one port.
          isolate: false,
          testTimeout: 120_000,
        },
      },
      { test: { name: "teeth", include: ["test/teeth/sample/*.test.ts"], fileParallelism: false, testTimeout: 900_000 } },
      // Inside the network of the cluster: `./sluice test kubernetes`.
      {
        test: {
          name: "kubernetes",
          include: ["test/kubernetes/release/*.test.ts"],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
      { test: { name: "chaos", include: ["test/chaos/**/*.test.ts"], ...waitingTogether, testTimeout: 600_000 } },
      {
        test: {
          name: "analytics",
          include: ["test/analytics/*.test.ts"],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 540_000,
        },
      },
    ],
  },
});
