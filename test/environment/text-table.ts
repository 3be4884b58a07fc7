// Tables of plain text for a terminal.

/**
 * Formats rows under a head; columns are as wide as their widest cell, and columns of numbers are aligned to the right.
 */
export function formatTable(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => (cell === null ? "–" : String(cell))))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const isNumeric = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => row[column] === null || /^-?[\d.]+$/.test(String(row[column]))),
  );
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (isNumeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return [lines[0], widths.map((width) => "─".repeat(width)).join("  "), ...lines.slice(1)].map((line) => `  ${line}`).join("\n");
}
