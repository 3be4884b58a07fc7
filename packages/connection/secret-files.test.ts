import { execFileSync } from "node:child_process";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { machineTime } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { describe, expect, it, vi } from "vitest";
import { openFolders } from "./folder.fixture.ts";
import { createSecretFiles, secretFileBytesMax, SecretProblem, startWaitMaxMs } from "./secret-files.ts";

const { defer, folder } = openFolders();
const owner = "secret";

/** Makes a value of two files: both texts, unless one says that it is wrong. */
async function watchFiles() {
  const { write } = await folder();
  const paths = [await write("a", "a1"), await write("b", "b1")];
  const said: string[] = [];
  const files = createSecretFiles({
    time: machineTime,
    pollMs: 2,
    read: () => void said.push("read"),
    notRead: (_, code) => void said.push(code),
  });
  defer(() => files.stop());
  const value = files.watch({
    owner,
    paths,
    make(contents) {
      const text = contents.join("+");
      if (text.includes("wrong")) throw new SecretProblem("no-secret");
      return text;
    },
    changed: (made) => void said.push(made),
  });
  return { write, paths, said, files, value };
}

describe("files that hold secrets", () => {
  it("have no value before they were read, and are read before the service starts", async () => {
    const { files, value, said } = await watchFiles();
    expect(value()).toBeNull();
    await files.started();
    expect([value(), said]).toEqual(["a1+b1", ["a1+b1", "read"]]);
  });

  it("are read again when one of them changes, and not otherwise", async () => {
    const { files, value, said, write } = await watchFiles();
    await files.started();
    await write("b", "b2");
    await vi.waitFor(() => expect(value()).toBe("a1+b2"));
    await write("a", "a3");
    await vi.waitFor(() => expect(value()).toBe("a3+b2"));
    expect(said).toEqual(["a1+b1", "read", "a1+b2", "read", "a3+b2", "read"]);
  });

  it("change nothing while they are wrong, missing or too long, each reported once, and count again when corrected", async () => {
    const { files, value, said, write, paths } = await watchFiles();
    await files.started();
    said.splice(0);
    const hear = (...codes: string[]) => vi.waitFor(() => expect(said).toEqual(codes));
    await write("a", "wrong");
    await hear("no-secret");
    await rm(paths[0]!);
    await hear("no-secret", "ENOENT");
    await write("a", " ".repeat(secretFileBytesMax + 1));
    await hear("no-secret", "ENOENT", "too-long");
    expect(value()).toBe("a1+b1");
    await write("a", "a2");
    await hear("no-secret", "ENOENT", "too-long", "a2+b1", "read");
  });

  it("are read as soon as access allows it, though they have not changed; missing access is reported once", async () => {
    const { write } = await folder();
    const said: string[] = [];
    let asked = 0;
    const files = createSecretFiles({
      time: machineTime,
      pollMs: 2,
      read: () => void said.push("read"),
      notRead: (_, code) => void said.push(code),
      readFile: async (path) => {
        asked += 1;
        if (asked <= 3) throw Object.assign(new Error("s3cret"), { code: "EACCES" });
        return await readFile(path);
      },
    });
    defer(() => files.stop());
    const value = files.watch({ owner, paths: [await write("a", "a1")], make: ([content]) => String(content) });
    await vi.waitFor(async () => {
      await files.started();
      expect([value(), said]).toEqual(["a1", ["EACCES", "read"]]);
    });
  });

  it("count again when they are back as they were", async () => {
    const { files, said, paths } = await watchFiles();
    await files.started();
    said.splice(0);
    await rename(paths[0]!, `${paths[0]!}.away`);
    await vi.waitFor(() => expect(said).toEqual(["ENOENT"]));
    await rename(`${paths[0]!}.away`, paths[0]!);
    await vi.waitFor(() => expect(said).toEqual(["ENOENT", "a1+b1", "read"]));
  });

  it("I14: delay only their own unit if they never answer, and no start for longer than its limit", async () => {
    const { write } = await folder();
    const [dead, good] = [await write("dead", "x"), await write("good", "g1")];
    const time = createVirtualTime({ startAtMs: 0 });
    const files = createSecretFiles({
      time,
      read: () => undefined,
      notRead: () => undefined,
      readFile: (path) => (path === dead ? new Promise(() => {}) : readFile(path)),
    });
    const values = [dead, good].map((path) => files.watch({ owner, paths: [path], make: ([content]) => String(content) }));
    let isStarted = false;
    const started = files.started().then(() => (isStarted = true));
    await vi.waitFor(() => expect(values.map((value) => value())).toEqual([null, "g1"]));
    expect(isStarted).toBe(false);
    await time.advance(startWaitMaxMs);
    await started;
    await files.stop();
  });

  it("are refused if they are a pipe, without waiting for its content", async () => {
    const { write } = await folder();
    const path = await write("pipe", "");
    await rm(path);
    execFileSync("mkfifo", [path]);
    const said: string[] = [];
    const files = createSecretFiles({ time: machineTime, read: () => undefined, notRead: (_, code) => void said.push(code) });
    defer(() => files.stop());
    files.watch({ owner, paths: [path], make: ([content]) => String(content) });
    await files.started();
    expect(said).toEqual(["no-file"]);
  });

  it("are noticed when a link to their folder is turned, as Kubernetes does it", async () => {
    const { write } = await folder();
    const base = dirname(await write("x", ""));
    for (const version of ["v1", "v2"]) {
      await mkdir(join(base, version));
      await writeFile(join(base, version, "token"), version);
    }
    await symlink("v1", join(base, "data"));
    const files = createSecretFiles({ time: machineTime, pollMs: 2, read: () => undefined, notRead: () => undefined });
    defer(() => files.stop());
    const value = files.watch({ owner, paths: [join(base, "data", "token")], make: ([content]) => String(content) });
    await files.started();
    await rm(join(base, "data"));
    await symlink("v2", join(base, "data"));
    await vi.waitFor(() => expect(value()).toBe("v2"));
  });

  it("are reported as wrong, without the text, if making their value throws another error", async () => {
    const said: string[] = [];
    const { write } = await folder();
    const files = createSecretFiles({ time: machineTime, read: () => undefined, notRead: (_, code) => void said.push(code) });
    defer(() => files.stop());
    files.watch({ owner, paths: [await write("a", "s3cret")], make: ([content]) => JSON.parse(String(content)) as unknown });
    await files.started();
    expect(said).toEqual(["wrong"]);
  });
});
