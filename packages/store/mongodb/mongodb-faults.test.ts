import { MongoServerError } from "mongodb";
import { expect, test } from "vitest";
import { runGuarded } from "./mongodb-faults.ts";

const expired = (): Promise<never> =>
  Promise.reject(new MongoServerError({ message: "operation exceeded time limit", code: 50, codeName: "MaxTimeMSExpired" }));

test("a read that the server gave up at its bound is another fault than a server that is away", async () => {
  await expect(runGuarded("transactions.search", "read", expired)).rejects.toMatchObject({ code: "store.too-slow", isRetryable: true });
  await expect(runGuarded("transactions.write", "write", expired)).rejects.toMatchObject({ code: "store.unknown-outcome" });
});
