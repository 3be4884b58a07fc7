// `./sluice services`: each process of each service: what it runs, whether it is ready and why not, and its partitions.

import { asWatchedVerb } from "../../terminal/control-list.ts";
import { controlClient, controlOptions, type AnswerBody, type RunControlVerb } from "../../terminal/control-client.ts";
import {
  column,
  maskControlCharacters,
  memberRows,
  memberText,
  memberTexts,
  numberColumn,
  tableText,
} from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";
import { watchOption } from "../../terminal/watch.ts";

const serviceColumns = [
  column("SERVICE", "service"),
  numberColumn("PROCESSES", "processes"),
  numberColumn("READY", "ready"),
  numberColumn("PARTITIONS", "partitions"),
  numberColumn("NOT OWNED", "notOwned"),
  numberColumn("LAG", "lag"),
];

const processColumns = [
  column("SERVICE", "service"),
  column("ADDRESS", "address"),
  { title: "STATE", of: stateText },
  column("SINCE", "since"),
  column("RELEASE", "release"),
  column("CONFIGURATION", "configuration.hash"),
  {
    title: "PARTITIONS",
    of: (row: AnswerBody) =>
      memberRows(row, "partitions")
        .map((one) => memberText(one, "partition"))
        .join(",") || "-",
  },
  numberColumn("LAG", "lag"),
  numberColumn("APPEND P99 MS", "appends.p99Ms"),
];

const certificateColumns = [column("CERTIFICATE OF", "receiver"), column("ENDS", "endsAt")];

function stateText(row: AnswerBody): string {
  if (row["failure"] !== null) return "no answer";
  if (row["isReady"] !== true) return "not ready";
  return memberTexts(row, "reasons").length === 0 ? "ready" : "ready in part";
}

/** Why each process is not ready, or not in every part, and what holds its positions back. */
function reasonLines(row: AnswerBody): readonly string[] {
  const name = [memberText(row, "service"), memberText(row, "address")].join(" ");
  const failure = row["failure"] === null ? [] : [memberText(row, "failure")];
  const refused = row["isConfigurationRefused"] === true ? ["a newer configuration file is refused"] : [];
  const stands = memberRows(row, "blocked").map((one) => {
    const [topic, partition, offset, key, since, why] = ["topic", "partition", "offset", "key", "since", "why"].map((part) =>
      memberText(one, part),
    );
    return `${topic}/${partition} stands at offset ${offset} since ${since}: ${key}, ${why}`;
  });
  return [...failure, ...memberTexts(row, "reasons"), ...refused, ...stands].map((why) => maskControlCharacters(`${name}: ${why}`));
}

export const runServices: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  const body = await client.get("/services");
  const rows = memberRows(body, "rows");
  const differences = memberTexts(body, "differences");
  const isWell = differences.length === 0 && rows.every((row) => stateText(row) === "ready" && memberRows(row, "blocked").length === 0);
  if (call.flag("json")) where.out(JSON.stringify(body, null, 2));
  else {
    where.out(tableText(memberRows(body, "services"), serviceColumns));
    if (body["areProcessesKnown"] !== true) where.out("the console does not know where the processes are: SLUICE_OPERATIONS_ADDRESSES");
    else if (rows.length > 0) where.out(tableText(rows, processColumns));
    const certificates = memberRows(body, "certificates");
    if (certificates.length > 0) where.out(tableText(certificates, certificateColumns));
    for (const line of [...rows.flatMap(reasonLines), ...differences.map(maskControlCharacters)]) where.out(line);
  }
  return isWell ? 0 : 1;
};

export const servicesVerb: Verb = {
  name: "services",
  summary: "each process of each service: release, configuration, readiness and why not, partitions and their lag",
  arguments: [],
  options: { watch: watchOption, ...controlOptions },
  notes: ["Exit 0 if every process is ready and nothing differs, else 1."],
  examples: ["services", "services --json"],
  run: asWatchedVerb(runServices),
};
