// How the topics at the brokers differ from the configuration, as the processes that write them say, and what mends it.
//
// #1 Several processes write a topic, and each says the same; during a change of the configuration they may not.
// #2 A missing topic or schema is no difference here: the service that needs it does not start, and says so itself.

interface SaidDifference {
  readonly topic: string;
  readonly what: string;
  readonly wanted: string;
  readonly found: string;
  readonly isDangerous: boolean;
}

interface Saying {
  readonly topicDifferences: readonly SaidDifference[];
  readonly hasComparedTopics: boolean;
}

export function listTopicDifferences(said: readonly Saying[]) {
  const all = said.flatMap(({ topicDifferences }) => topicDifferences);
  const each = new Map(all.map((one) => [`${one.topic} ${one.what} ${one.wanted} ${one.found}`, one]));
  return [...each]
    .toSorted(([a, one], [b, other]) => Number(other.isDangerous) - Number(one.isDangerous) || (a < b ? -1 : 1))
    .map(([, one]) => ({ ...one, sentence: sentenceOf(one), mend: mendOf(one) }));
}

/** How many processes have compared topics; none: nobody knows. */
export function countCompared(said: readonly Saying[]): number {
  return said.filter(({ hasComparedTopics }) => hasComparedTopics).length;
}

function sentenceOf({ topic, what, wanted, found, isDangerous }: SaidDifference): string {
  const danger = isDangerous ? " It would break order or lose records." : "";
  return `${topic}: ${what} is ${found}, configured is ${wanted}.${danger}`;
}

/** A command for Kafka's own tools; a sentence where none mends it, or where it could cost records. */
function mendOf({ topic, what, wanted, isDangerous }: SaidDifference): string {
  if (what === "partitions") return "No command: another number moves keys to other partitions. docs/scaling.md says how it is done.";
  if (what === "replication") return "kafka-reassign-partitions.sh, with a file that names the brokers of each partition.";
  // Kept longer than configured: a shorter time deletes records at once.
  if (what.startsWith("retention.") && !isDangerous) return "Nothing has to be done. A shorter retention would delete records.";
  const entity = `--entity-type topics --entity-name ${topic}`;
  return `kafka-configs.sh --bootstrap-server BROKERS --alter ${entity} --add-config ${what}=${wanted}`;
}
