// What people do is sent as JSON, and the page is shown anew as the server now has it. Nothing is decided here.
"use strict";

const alertBox = () => document.getElementById("alert");
let waiting = null;
let latest = 0; // how often something was asked for: of pages that are under way only the last one is shown

function values(form, submitter) {
  const told = {};
  const fields = [...form.querySelectorAll("input[name], select[name], textarea[name]")];
  for (const field of fields) {
    if (field.dataset.many !== undefined) { if (field.checked) told[field.name] = [...(told[field.name] || []), field.value]; continue; }
    if (field.dataset.group) { // of a group only what was changed is sent
      const before = field.options ? [...field.options].find((each) => each.defaultSelected)?.value : field.defaultValue;
      if (field.value !== before) (told[field.dataset.group] ??= {})[field.name] = field.value;
      continue;
    }
    if (field.type === "checkbox") { told[field.name] = field.checked; continue; }
    if (field.type === "radio" && !field.checked) continue;
    if (field.dataset.places !== undefined) { // the place of a slider stands for a word; the last place for none
      const word = field.dataset.places.split(" ")[field.value];
      if (word !== undefined) told[field.name] = word;
      continue;
    }
    if (field.value === "" && field.dataset.empty === undefined) continue;
    // With data-within a.b is b within a; with a word in it, the word within what the name says.
    const way = field.dataset.within === undefined ? [field.name] : field.name.split(".");
    const last = field.dataset.within || way.pop();
    const place = way.reduce((inner, name) => (inner[name] ??= {}), told);
    place[last] = { number: Number, json: JSON.parse }[field.dataset.type]?.(field.value) ?? field.value;
  }
  if (submitter && submitter.name) told[submitter.name] = submitter.value;
  return told;
}

async function show(address, keep) {
  clearTimeout(waiting);
  const mine = ++latest;
  const answer = await fetch(address, { headers: { accept: "text/html" } });
  const text = await answer.text();
  if (mine !== latest) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  const focused = document.activeElement && document.activeElement.id;
  const top = window.scrollY;
  const open = keep ? [...document.querySelectorAll("main details[id][open]")].map((each) => each.id) : [];
  document.getElementById("main").replaceWith(page.getElementById("main"));
  open.forEach((id) => { const each = document.getElementById(id); if (each) each.open = true; });
  document.title = page.title;
  if (address !== location.pathname + location.search) history.pushState(null, "", address);
  if (keep) window.scrollTo(0, top);
  (focused && document.getElementById(focused) ? document.getElementById(focused) : document.getElementById("main")).focus({ preventScroll: true });
  settle();
}

function settle() {
  clearTimeout(waiting);
  const again = document.querySelector("main [data-refresh]");
  if (again) waiting = setTimeout(() => show(location.pathname + location.search, true).catch(failed), Number(again.dataset.refresh));
}

function failed(error) {
  alertBox().textContent = `The studio does not answer (${error.message}); is it still running?`;
  settle(); // a page that shows itself anew goes on trying
}

async function post(form, submitter) {
  clearTimeout(waiting);
  latest++; // what was asked for before is old by now
  alertBox().textContent = "";
  const buttons = [...form.querySelectorAll("button")];
  buttons.forEach((button) => { button.disabled = true; });
  try {
    const answer = await fetch(form.dataset.post, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(values(form, submitter)),
    });
    const told = await answer.json();
    if (!answer.ok) alertBox().textContent = told.error || "That was refused.";
    if (!answer.ok && form.dataset.hold !== undefined) {
      alertBox().scrollIntoView({ block: "nearest" });  // what was typed stays
      settle();
    } else {
      const same = location.pathname + (answer.ok && form.dataset.keep === undefined ? "" : location.search);
      await show(answer.ok && told.goto ? told.goto : same, answer.ok && !told.goto);
    }
  } catch (error) { failed(error); }
  buttons.forEach((button) => { button.disabled = false; });
}

function go(form, submitter) {
  const told = values(form, submitter);
  const query = new URLSearchParams(Object.entries(told).flatMap(([name, value]) => [].concat(value).map((each) => [name, each]))).toString();
  show(form.dataset.go + (query ? `?${query}` : ""), true).catch(failed);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  event.preventDefault();
  if (form.dataset.post) post(form, event.submitter);
  else if (form.dataset.go) go(form, event.submitter);
});

document.addEventListener("change", (event) => {
  if (event.target.dataset.submit !== undefined) event.target.form.requestSubmit();
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
  const chosen = [...document.querySelectorAll("[data-keys]")].find((each) => each.dataset.keys.split(" ").includes(event.key));
  if (chosen && !chosen.disabled) { event.preventDefault(); chosen.click(); }
});

window.addEventListener("popstate", () => show(location.pathname + location.search, true).catch(failed));

document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
  localStorage.setItem("theme", document.documentElement.dataset.theme);
});
if (localStorage.getItem("theme")) document.documentElement.dataset.theme = localStorage.getItem("theme");

// Ranges are painted on a grid: cells are buttons, and what is painted is written into the field that the grid names.
let painting = null;
function paint(cell) {
  cell.setAttribute("aria-pressed", String(painting));
  delete cell.dataset.text;
  const grid = cell.closest("[data-paints]");
  const painted = [...grid.querySelectorAll('[data-hand]:not([aria-pressed="false"])')].map((each) => each.dataset.text || each.dataset.hand);
  document.getElementById(grid.dataset.paints).value = grid.dataset.shown = painted.join(",");
}
// A grid that is behind what was written into its field catches up first, and then one cell is painted.
function begin(cell) {
  const grid = cell.closest("[data-paints]");
  const field = document.getElementById(grid.dataset.paints);
  const start = () => { painting = cell.getAttribute("aria-pressed") !== "true"; paint(cell); };
  if (field.value === (grid.dataset.shown ?? field.defaultValue)) return start();
  repaint(field, grid).then((fine) => { if (fine) { start(); painting = null; } }).catch(failed);
}
document.addEventListener("pointerdown", (event) => {
  const cell = event.target.closest("[data-paints] [data-hand]");
  if (!cell) return;
  event.preventDefault();
  begin(cell);
});
document.addEventListener("pointerover", (event) => {
  const cell = event.target.closest("[data-paints] [data-hand]");
  if (cell && painting !== null && event.buttons) paint(cell);
});
document.addEventListener("pointerup", () => { painting = null; });
document.addEventListener("click", (event) => {
  const cell = event.target.closest("[data-paints] [data-hand]");
  if (cell && event.detail === 0) { begin(cell); painting = null; }
});

// What is written into such a field is painted on its grid; hands that come sometimes keep their weights.
async function repaint(field, grid) {
  const hands = field.value;
  const answer = await fetch(`/api/range?${new URLSearchParams({ hands })}`);
  const told = await answer.json();
  alertBox().textContent = answer.ok ? "" : told.error;
  for (const cell of answer.ok ? grid.querySelectorAll("[data-hand]") : []) {
    const text = told.kinds[cell.dataset.hand] || "";
    cell.dataset.text = text;
    cell.setAttribute("aria-pressed", text === cell.dataset.hand ? "true" : text ? "mixed" : "false");
  }
  if (answer.ok) grid.dataset.shown = hands;
  return answer.ok;
}
document.addEventListener("change", (event) => {
  const grid = event.target.id && document.querySelector(`[data-paints="${event.target.id}"]`);
  if (grid) repaint(event.target, grid).catch(failed);
});

settle();
