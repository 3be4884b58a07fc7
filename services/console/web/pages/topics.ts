// The topics and their schemas: who writes and reads each record, its key, and every field. Each record has an address
// of its own: the topic's page and the record's name behind a number sign.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import type { Asked } from "../asked.ts";
import { count, dataTable, facts, link, mark, plural, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

type Topic = AnswerOf<"showTopic">;
type Row = AnswerOf<"listTopics">["rows"][number];

export async function showTopics({ api, query }: Asked): Promise<PageContent> {
  const { rows } = await api.read("listTopics", "/topics");
  const wanted = (query.get("record") ?? "").trim().toLowerCase();
  const columns = [
    { title: "Topic" },
    { title: "What it is", isText: true },
    { title: "Partitions", isNumber: true },
    { title: "Kept" },
    { title: "Records", isText: true },
  ];
  const matching = rows.filter((row) => wanted === "" || row.records.some(({ record }) => record.toLowerCase().includes(wanted)));
  const cells = matching.map((row) => [
    link(`/topics/${row.topic}`, row.topic),
    row.text,
    count(row.partitions),
    keptText(row),
    row.records.map(({ record }) => html`${link(`/topics/${row.topic}#${record}`, record)} `),
  ]);
  return {
    title: "Topics",
    section: "system",
    command: "./sluice topics list",
    body: html`<form class="terms">
        <p>
          <label for="record">Record, or a part of its name</label><input id="record" name="record" value="${query.get("record") ?? ""}" />
        </p>
        <p class="wide"><button class="main">Show</button> ${link("/topics", "Clear")}</p>
      </form>
      ${dataTable("Topics", columns, cells, "No topic has such a record.")}
      <p class="quiet">
        As this release and its configuration have them. What the brokers have is compared by <code>./sluice provision --check</code>.
      </p>`,
  };
}

export async function showTopicPage({ api, params, query }: Asked): Promise<PageContent> {
  const name = params["topic"] ?? "";
  const topic = await api.read("showTopic", `/topics/${encodeURIComponent(name)}`);
  const wanted = (query.get("field") ?? "").trim().toLowerCase();
  return {
    title: name,
    section: "system",
    command: `./sluice topics show ${name}`,
    body: html`<p>${topic.text}</p>
      ${facts([
        ["Partitions", count(topic.partitions)],
        ["Records are kept", keptText(topic)],
        [
          "Records",
          topic.records.length === 0 ? "none that anybody reads" : topic.records.map(({ record }) => html`${link(`#${record}`, record)} `),
        ],
      ])}
      <form class="terms">
        <p>
          <label for="field">Fields with</label
          ><input id="field" name="field" value="${query.get("field") ?? ""}" placeholder="a part of name or text" />
        </p>
        <p class="wide"><button class="main">Show</button> ${link(`/topics/${name}`, "Clear")}</p>
      </form>
      ${topic.records.map((record) => renderRecord(record, wanted))}
      <p>${link("/topics", "All topics")}</p>`,
  };
}

function keptText({ retentionDays, isCompacted }: Pick<Row, "retentionDays" | "isCompacted">): string {
  const time = retentionDays === null ? "for good" : plural(Math.round(retentionDays * 100) / 100, "day");
  return isCompacted ? `${time}, the newest of each key` : time;
}

function renderRecord({ record, text, key, writtenBy, readBy, versions, fields }: Topic["records"][number], wanted: string): Html {
  const shown = fields.filter((one) => wanted === "" || `${one.path} ${one.text}`.toLowerCase().includes(wanted));
  const columns = [{ title: "Field" }, { title: "Type", isText: true }, { title: "Since" }, { title: "What it says", isText: true }];
  const rows = shown.map(({ path, type, text: said, isOptional, isPersonal, since }) => [
    html`<code>${path}</code>`,
    html`${type}${isOptional ? html` <span class="quiet">or nothing</span>` : ""}`,
    `version ${since}`,
    html`${said} ${isPersonal ? mark("warns", "personal") : ""}`,
  ]);
  return html`<section id="${record}">
    <h2>${link(`#${record}`, record)}</h2>
    <p>${text}</p>
    ${facts([
      ["Key", key.replaceAll("`", "")],
      ["Written by", writtenBy.join(", ")],
      ["Read by", readBy.join(", ")],
      ["Versions", count(versions)],
    ])}
    ${dataTable(`Fields of ${record}`, columns, rows, "No field has this.")}
  </section>`;
}
