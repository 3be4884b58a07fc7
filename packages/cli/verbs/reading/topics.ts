// `./sluice topics list` and `./sluice topics show`: the topics, who writes and reads their records, and every field.

import { controlOptions, type AnswerBody } from "../../terminal/control-client.ts";
import { listVerb, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, memberRows, memberText, numberColumn } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";

const topics: ListVerb = {
  path: "/topics",
  options: [],
  isPaged: false,
  columns: () => [
    column("TOPIC", "topic"),
    numberColumn("PARTITIONS", "partitions"),
    { title: "KEPT", of: keptText },
    { title: "RECORDS", isNumber: true, of: (row) => String(memberRows(row, "records").length) },
    column("WHAT IT IS", "text"),
  ],
  none: "there is no topic",
};

const show: ListVerb = {
  path: ({ positionals: [topic = ""] }) => `/topics/${encodeURIComponent(topic)}`,
  options: [],
  isPaged: false,
  columns: () => [
    column("RECORD", "record"),
    { title: "WRITTEN BY", of: (row) => namesText(row["writtenBy"]) },
    { title: "READ BY", of: (row) => namesText(row["readBy"]) },
    numberColumn("VERSIONS", "versions"),
    column("KEY", "key"),
  ],
  rows: "records",
  none: "it has no record that anybody reads",
  below: (body) => memberRows(body, "records").flatMap(fieldLines),
};

function namesText(names: unknown): string {
  return Array.isArray(names) ? names.join(", ") : "";
}

function keptText(row: AnswerBody): string {
  return row["retentionDays"] === null ? "for good" : `${memberText(row, "retentionDays")} days`;
}

function fieldLines(record: AnswerBody): readonly string[] {
  const fields = memberRows(record, "fields").map((field) => {
    const marks = [field["isOptional"] === true ? "or nothing" : "", field["isPersonal"] === true ? "personal" : ""].filter(
      (one) => one !== "",
    );
    return `  ${[memberText(field, "path"), memberText(field, "type"), ...marks].join("  ")}: ${memberText(field, "text")}`;
  });
  return ["", `${memberText(record, "record")}: ${memberText(record, "text")}`, ...fields];
}

export const runTopicsList = runList(topics);
export const runTopicsShow = runList(show);

export const topicsListVerb: Verb = {
  name: "topics list",
  summary: "the topics of this release: what each is, how long its records are kept",
  arguments: [],
  options: controlOptions,
  examples: ["topics list"],
  run: listVerb(topics),
};

export const topicsShowVerb: Verb = {
  name: "topics show",
  summary: "the records of a topic: who writes and reads each, its key, and every field with its type and text",
  arguments: [{ placeholder: "TOPIC", text: "the topic's name" }],
  options: controlOptions,
  examples: ["topics show sluice.state-events.v1"],
  run: listVerb(show),
};
