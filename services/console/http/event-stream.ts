// Server-sent events as text: https://html.spec.whatwg.org/multipage/server-sent-events.html

export const eventStreamType = "text/event-stream; charset=utf-8";

/** A line break in the data begins a further line of it; a browser puts them together again. */
export function formatEvent(name: string, data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${name}\n${lines.join("")}\n`;
}

/** Says only that the connection lives. */
export const stillThere = ": still there\n\n";
