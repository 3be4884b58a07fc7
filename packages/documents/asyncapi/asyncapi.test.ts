import { partitionCountDefault, recordMap, recordNames, schemaVersions, topics } from "@sluice/contracts";
import { buildTopicSpecs } from "@sluice/messaging";
import { describe, expect, test } from "vitest";
import { resolveReferences } from "../check/resolve-references.ts";
import { buildAsyncApiDocument } from "./asyncapi.ts";

interface Channel {
  readonly address: string;
  readonly messages?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly bindings: { readonly kafka: { readonly topicConfiguration: Readonly<Record<string, unknown>>; readonly partitions: number } };
}
interface Message {
  readonly payload: { readonly schema: object };
  readonly bindings: { readonly kafka: { readonly key: { readonly description: string } } };
}
interface Document {
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Readonly<Record<string, { readonly action: string; readonly messages: readonly object[] }>>;
  readonly components: { readonly messages: Readonly<Record<string, Message>> };
}
const document: Document = resolveReferences(JSON.parse(JSON.stringify(buildAsyncApiDocument())));

describe("the AsyncAPI document", () => {
  test("has every topic with its provisioned settings, and in it the records of the map", () => {
    const specs = buildTopicSpecs({ partitionCount: partitionCountDefault, replication: 3, minInsync: 2 });
    for (const { topic, partitions, config } of specs) {
      const channel = Object.values(document.channels).find(({ address }) => address === topic);
      expect(channel?.bindings.kafka).toMatchObject({
        partitions,
        topicConfiguration: { "retention.ms": Number(config["retention.ms"]) },
      });
      const records = recordMap.filter((use) => use.topic === topic).map(({ record }) => record);
      expect(Object.keys(channel?.messages ?? {}).toSorted()).toEqual(records.toSorted());
    }
    expect(
      Object.values(document.channels)
        .map(({ address }) => address)
        .toSorted(),
    ).toEqual(Object.values(topics).toSorted());
  });

  test("has the whole newest schema of every record", () => {
    expect(Object.keys(document.components.messages).toSorted()).toEqual([...recordNames].toSorted());
    for (const name of recordNames) {
      expect(document.components.messages[name]?.payload.schema).toEqual(JSON.parse(schemaVersions[name].at(-1) ?? ""));
    }
  });

  test("names the writers and readers of each record", () => {
    const said = Object.values(document.operations).reduce((sum, { messages }) => sum + messages.length, 0);
    expect(said).toBe(recordMap.reduce((sum, { writtenBy, readBy }) => sum + writtenBy.length + readBy.length, 0));
    expect(document.operations["ingress-sends-journal"]?.action).toBe("send");
  });

  test("gives the key of each record", () => {
    const key = (name: string) => document.components.messages[name]?.bindings.kafka.key.description;
    expect(key("DirectDebitReceived")).toContain("UETR");
    expect(key("CreditsFinalRequested")).toBe("`scheme:date` of the business day.");
    expect(key("WindowOpened")).toContain("in every partition");
  });
});
