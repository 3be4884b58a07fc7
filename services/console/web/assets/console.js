// Live numbers: a page that says so is asked for again, and what it shows is replaced. Everything can be read without
// this script.
//
// #1 Nothing is replaced under the reader's hands: not while the focus, an open detail or a selection is in it.
// #2 A hidden page asks for nothing. A page that asks by itself keeps no session alive.
/* oxlint-disable no-undef -- the browser's own names */

const everyMs = 1_500;
const answerMaxMs = 5_000;
const content = document.querySelector("#content[data-live=yes]");
const connection = document.querySelector("#connection");
const clock = document.querySelector("#clock");

function isInUse() {
  const selection = getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && content.contains(selection.anchorNode);
  const focused = document.activeElement;
  return isSelected || (focused !== null && content.contains(focused)) || content.querySelector("details[open]") !== null;
}

function say(text) {
  if (connection.textContent !== text) connection.textContent = text;
  connection.hidden = text === "";
}

async function refresh() {
  const headers = { "x-live": "1" };
  const answer = await fetch(location.href, { headers, redirect: "manual", signal: AbortSignal.timeout(answerMaxMs) });
  if (answer.status === 401) {
    say("Your session has ended. Load the page again to sign in.");
    return false;
  }
  if (!answer.ok) {
    say(`The console answers ${answer.status}. What you see may be old; it is asked for again.`);
    return true;
  }
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  say("");
  const next = fresh.querySelector("#content");
  if (next === null) return false;
  clock.replaceChildren(...fresh.querySelector("#clock").childNodes);
  if (next.innerHTML !== content.innerHTML && !isInUse()) content.replaceChildren(...next.childNodes);
  return next.dataset.live === "yes";
}

async function refreshForEver() {
  let isLive = true;
  while (isLive) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    if (document.hidden) continue;
    try {
      isLive = await refresh();
    } catch {
      say("No connection to the console. What you see may be old; it is asked for again.");
    }
  }
}

if (content !== null) await refreshForEver();
