// The changelog: the subjects of all commits by day, the newest day first. Merges are left out.

export interface LoggedCommit {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly subject: string;
}

export function formatChangelog(commits: readonly LoggedCommit[]): string {
  const days = Map.groupBy(
    commits.filter(({ subject }) => !subject.startsWith("Merge ")),
    ({ day }) => day,
  );
  const parts = [...days]
    .toSorted(([a], [b]) => (a < b ? 1 : -1))
    .map(([day, of]) => [`## ${day}`, "", ...of.map(({ subject }) => `- ${subject}`)].join("\n"));
  return ["# Changelog", ...(parts.length === 0 ? ["This copy has no history."] : parts)].join("\n\n").concat("\n");
}
