// Live numbers: a page that says so is read as a stream, and what it shows is replaced. Where no stream is given the
// page is asked for again every second. Everything can be read without this script.
//
// #1 Nothing is replaced under the reader's hands: not while the focus, an open detail or a selection is in it.
// #2 A hidden page reads nothing. A page that asks by itself keeps no session alive.
// #3 Saved views lie in this browser alone, apart for each operator. Of what is read there only addresses of this
//    console become links, and every name is text.
/* oxlint-disable no-undef -- the browser's own names */

const everyMs = 1_000;
const answerMaxMs = 5_000;
const content = document.querySelector("#content[data-live=yes]");
const connection = document.querySelector("#connection");
const clock = document.querySelector("#clock");
const lost = "No connection to the console. What you see may be old; it is asked for again.";
const over = "Your session has ended. Load the page again to sign in.";
let latest = null;
let heardMs = 0;
let stream = null;
let isOver = false;

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

function show(target, html) {
  if (html !== target.innerHTML) target.replaceChildren(document.createRange().createContextualFragment(html));
}

/** #1 */
function showLatest() {
  if (latest === null || isInUse()) return;
  show(content, latest);
  latest = null;
}

function hear({ content: html, clock: time }) {
  heardMs = Date.now();
  say(navigator.onLine ? "" : lost);
  if (time !== undefined) show(clock, time);
  if (html !== undefined) latest = html;
  showLatest();
}

function end() {
  isOver = true;
  stream?.close();
  say(over);
}

function openStream() {
  const path = location.pathname === "/" ? "" : location.pathname;
  heardMs = Date.now();
  stream = new EventSource(`/live${path}${location.search}`);
  stream.addEventListener("page", ({ data }) => hear(JSON.parse(data)));
  stream.addEventListener("failed", ({ data }) => {
    heardMs = Date.now();
    say(`${data} What you see may be old; it is asked for again.`);
  });
  stream.addEventListener("ended", end);
  stream.addEventListener("error", () => {
    if (isOver) return;
    // A stream that was refused is not tried again by the browser.
    if (stream?.readyState === EventSource.CLOSED) void refreshForEver();
    else say(lost);
  });
}

async function refresh() {
  const headers = { "x-live": "1" };
  const answer = await fetch(location.href, { headers, redirect: "manual", signal: AbortSignal.timeout(answerMaxMs) });
  if (answer.status === 401) return end();
  if (!answer.ok) return say(`The console answers ${answer.status}. What you see may be old; it is asked for again.`);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = fresh.querySelector("#content");
  if (next === null || next.dataset.live !== "yes") isOver = true;
  hear({ content: next?.innerHTML, clock: fresh.querySelector("#clock")?.innerHTML });
}

async function refreshForEver() {
  stream = null;
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    if (document.hidden) continue;
    await refresh().catch(() => say(lost));
  }
}

/** #2 */
function watchVisibility() {
  addEventListener("offline", () => say(lost));
  document.addEventListener("visibilitychange", () => {
    if (isOver || stream === null) return;
    stream.close();
    if (!document.hidden) openStream();
  });
  setInterval(() => {
    if (isOver || document.hidden || stream === null) return;
    showLatest();
    if (Date.now() - heardMs > answerMaxMs) say(lost);
  }, everyMs);
}

if (content !== null) {
  openStream();
  watchVisibility();
}

const viewsMax = 30;
const addressCharactersMax = 2_000;
const views = document.querySelector("#views");
const viewsKey = `sluice.views.${views?.dataset.owner ?? ""}`;

function isView(given) {
  const { name, path } = given ?? {};
  return typeof name === "string" && typeof path === "string" && path.length <= addressCharactersMax && /^\/(?![/\\])[ -~]*$/.test(path);
}

/** #3 Null: this browser keeps nothing for us. */
function readViews() {
  try {
    const kept = JSON.parse(localStorage.getItem(viewsKey) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isView).slice(0, viewsMax) : [];
  } catch {
    return null;
  }
}

function sayOfViews(text) {
  views.querySelector("[role=status]").textContent = text;
}

function keepViews(kept, text) {
  try {
    localStorage.setItem(viewsKey, JSON.stringify(kept));
    sayOfViews(text);
  } catch {
    sayOfViews("This browser keeps nothing more.");
  }
  showViews(readViews() ?? []);
}

function showViews(kept) {
  const here = `${location.pathname}${location.search}`;
  const items = kept.map(({ name, path }) => {
    const [item, link, remove] = [document.createElement("li"), document.createElement("a"), document.createElement("button")];
    link.href = path;
    link.textContent = name;
    if (path === here) link.setAttribute("aria-current", "page");
    remove.type = "button";
    remove.className = "plain";
    remove.textContent = "Remove";
    remove.setAttribute("aria-label", `Remove ${name}`);
    remove.addEventListener("click", () => {
      keepViews(
        (readViews() ?? []).filter((one) => one.name !== name),
        `${name} is removed.`,
      );
      views.querySelector("summary").focus();
    });
    item.append(link, " ", remove);
    return item;
  });
  views.querySelector("ul").replaceChildren(...items);
}

function saveView(event) {
  event.preventDefault();
  const field = views.querySelector("input");
  const name = field.value.trim();
  const path = `${location.pathname}${location.search}`;
  const others = (readViews() ?? []).filter((one) => one.name !== name);
  if (name === "") return;
  if (others.length >= viewsMax) return sayOfViews(`${viewsMax} views are saved. Remove one first.`);
  if (path.length > addressCharactersMax) return sayOfViews("The address of this page is too long.");
  field.value = "";
  keepViews([...others, { name, path }], `Saved: ${name}.`);
}

if (views !== null && readViews() !== null) {
  views.hidden = false;
  views.querySelector("form").addEventListener("submit", saveView);
  showViews(readViews());
}
