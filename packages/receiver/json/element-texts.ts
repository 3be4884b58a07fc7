// Cuts the texts of a list's elements out of a JSON text: an event on a page is, byte for byte, what is posted.

/**
 * Reads the list that is the named member of the outermost object; of two such members the last counts. `json` must be
 * valid JSON.
 */
export function elementTexts(json: string, member: string): readonly string[] {
  let found: string[] = [];
  let levels = 0;
  let lastText = "";
  let isListed = false;
  let start = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') {
      const end = textEnd(json, at);
      if (levels === 1) lastText = json.slice(at + 1, end);
      at = end;
    } else if (character === "{" || character === "[") {
      levels += 1;
      if (levels === 2) {
        isListed = character === "[" && lastText === member;
        if (isListed) found = [];
        start = at + 1;
      }
    } else if (isListed && levels === 2 && (character === "," || character === "]")) {
      const element = json.slice(start, at).trim();
      if (element !== "") found.push(element);
      start = at + 1;
      if (character === "]") levels -= 1;
    } else if (character === "}" || character === "]") levels -= 1;
  }
  return found;
}

/** Finds the quotation mark that ends the text which begins at `start`. */
function textEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}
