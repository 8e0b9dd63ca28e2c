"use strict";

/* A run: its sequence diagram beside the state at the selected step. */

const LANE_WIDTH = 72;
const NARROW_LANE_WIDTH = 54;
const NARROW = matchMedia("(max-width: 800px)");
const LANES_WIDTH = 360;

const KEYS = new Map([
  ["ArrowDown", "next"], ["ArrowRight", "next"], ["j", "next"],
  ["ArrowUp", "previous"], ["ArrowLeft", "previous"], ["k", "previous"],
  ["Home", "first"], ["End", "last"],
  ["PageDown", "nextPage"], ["PageUp", "previousPage"],
]);
const PAGE = 10;
const PLAY_MILLISECONDS = 900;

class RunView {
  /* `onselect(number)` is called whenever another step is selected. */
  constructor(root, onselect = () => {}) {
    this.onselect = onselect;
    this.chosen = new Set();
    this.selected = 0;
    this.unfolded = false;
    this.filters = element("div", {class: "filters", role: "group", "aria-label": "Show only"});
    this.search = element("input", {
      type: "search", placeholder: "Search steps", "aria-label": "Search steps", class: "search",
      oninput: () => this.mark(),
      onkeydown: (event) => { if (event.key === "Enter") this.toMatch(event.shiftKey ? -1 : 1); },
    });
    this.found = element("span", {class: "found", role: "status"});
    this.player = element("button", {type: "button", class: "play", onclick: () => this.play()}, "Play");
    this.tools = element("div", {class: "filters"}, this.search, this.found, this.player,
      element("span", {class: "keys"}, "Keys: ↑ ↓ step, Home, End, Page ↑ ↓; Enter in the search: next"));
    this.heads = element("div", {class: "heads", "aria-hidden": "true"});
    this.list = element("ol", {
      role: "listbox", tabindex: "0", "aria-label": "Steps", class: "steps",
    });
    this.detail = element("article", {class: "detail"});
    this.flights = element("div", {class: "flights", "aria-hidden": "true"});
    this.back = element("div", {class: "back", "aria-hidden": "true"});
    this.again = element("div", {class: "again"});
    this.left = element("div", {class: "left"}, element("div", {class: "sequence"},
      this.heads, element("div", {class: "rows"}, this.list, this.flights, this.back),
      this.again));
    this.right = element("div", {class: "right"}, this.detail);
    root.append(this.filters, this.tools, element("div", {class: "panes"}, this.left, this.right));
    document.addEventListener("keydown", (event) => this.press(event));
  }

  show(run, selected = 0) {
    this.run = run;
    this.states = texts(run);
    this.texts = run.steps.map((step) => searchedText(run, step));
    this.involved = run.steps.map((step) => lanesOf(run, step));
    this.chosen = new Set([...this.chosen].filter((lane) => run.lanes.includes(lane)));
    this.drawFilters();
    this.drawSequence();
    this.select(selected);
  }

  select(number) {
    this.selected = Math.max(0, Math.min(number, this.run.steps.length - 1));
    for (const row of this.list.children) {
      const isThis = Number(row.dataset.step) === this.selected;
      row.setAttribute("aria-selected", isThis);
      if (isThis) {
        this.list.setAttribute("aria-activedescendant", row.id);
        row.scrollIntoView({block: "nearest"});
      }
    }
    this.drawDetail();
    this.onselect(this.selected);
  }

  /* Mark the steps whose text has what is searched for. */
  mark() {
    const wanted = this.search.value.trim().toLowerCase();
    this.matches = wanted
      ? this.visible().filter((number) => this.texts[number].includes(wanted)) : [];
    for (const row of this.list.children) {
      row.classList.toggle("match", this.matches.includes(Number(row.dataset.step)));
    }
    this.found.textContent = wanted ? `${this.matches.length} found` : "";
  }

  /* Select the next match, or the one before. */
  toMatch(way) {
    const [next, first] = way > 0
      ? [this.matches.find((each) => each > this.selected), this.matches[0]]
      : [this.matches.findLast((each) => each < this.selected), this.matches.at(-1)];
    const target = next ?? first;
    if (target !== undefined) this.select(target);
  }

  /* Go from step to step, from the first one if the last is selected; a run that
     repeats goes round until it is stopped. */
  play() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.following(this.selected) === undefined) this.select(0);
    this.player.textContent = "Stop";
    this.playing = setInterval(() => {
      const next = this.following(this.selected);
      if (next === undefined) this.stop();
      else this.select(next);
    }, PLAY_MILLISECONDS);
  }

  /* The visible step after this one: where the run repeats, of its last one the first
     that repeats. */
  following(number) {
    const visible = this.visible();
    const begin = this.run.repetition?.begin ?? this.run.steps.length;
    return visible.find((each) => each > number) ?? visible.find((each) => each > begin);
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    this.player.textContent = "Play";
  }

  /* Select the next step that changes a cell, or the one before. */
  toChange(cell, way) {
    const changes = (number) => this.run.steps[number].changes.some((each) => each.cell === cell);
    for (let at = this.selected + way; at >= 0 && at < this.run.steps.length; at += way) {
      if (changes(at)) {
        this.select(at);
        return;
      }
    }
  }

  /* The name of a cell, with buttons to where it changes before and after. */
  cellName(name, cell) {
    const button = (sign, way, title) => element("button", {
      type: "button", class: "change", title, "aria-label": `${title} of ${name}`,
      onclick: () => this.toChange(cell, way),
    }, sign);
    return element("th", {scope: "row"}, name, " ",
      button("‹", -1, "Change before"), button("›", 1, "Next change"));
  }

  press(event) {
    const move = KEYS.get(event.key);
    if (!move || isTyping(event)) return;
    event.preventDefault();
    const visible = this.visible();
    const here = visible.findIndex((each) => each >= this.selected);
    const at = here < 0 ? visible.length : here;
    const isHere = visible[at] === this.selected;
    if (move === "next" && isHere && this.following(this.selected) !== undefined) {
      this.select(this.following(this.selected));
      return;
    }
    const to = {
      next: at, previous: at - 1, first: 0, last: visible.length - 1,
      nextPage: at + PAGE, previousPage: at - PAGE,
    }[move];
    const target = visible[Math.max(0, Math.min(to, visible.length - 1))];
    if (target !== undefined) this.select(target);
  }

  visible() {
    return this.run.steps.map((_, number) => number).filter((each) => this.isVisible(each));
  }

  isVisible(number) {
    return this.includes(this.involved[number]) || number === 0;
  }

  /* Whether something that belongs to these lanes passes the filter. */
  includes(lanes) {
    return this.chosen.size === 0 || lanes.some((lane) => this.chosen.has(lane));
  }

  drawFilters() {
    const buttons = this.run.lanes.map((lane) => element("button", {
      type: "button", class: laneColour(this.run, lane),
      "aria-pressed": String(this.chosen.has(lane)), onclick: () => this.choose(lane),
    }, lane));
    this.filters.replaceChildren("Show only: ", ...buttons);
  }

  choose(lane) {
    if (!this.chosen.delete(lane)) this.chosen.add(lane);
    this.drawFilters();
    this.drawSequence();
    this.select(this.selected);
    this.filters.children[this.run.lanes.indexOf(lane)].focus();
  }

  drawSequence() {
    const widest = NARROW.matches ? NARROW_LANE_WIDTH : LANE_WIDTH;
    const width = Math.min(widest, LANES_WIDTH / Math.max(this.run.lanes.length, 1));
    this.heads.replaceChildren(...this.run.lanes.map((lane) => {
      const head = element("span", {class: laneColour(this.run, lane)}, lane);
      head.style.width = `${width}px`;
      return head;
    }));
    this.list.replaceChildren(...this.visible().map((each) => this.row(each, width)));
    this.drawFlights(width);
    this.drawRepetition();
    this.mark();
  }

  /* A line for each message from the step that sends it to the one that receives it. */
  drawFlights(width) {
    const visible = this.visible();
    const rowOf = (number) => visible.filter((each) => each < number).length;
    const shown = this.run.flights.filter((each) =>
      each.source !== each.target && this.includes([each.source, each.target]));
    const lines = shown.map((each) => flightLine(this.run, each, width, {
      sent: rowOf(each.sent),
      received: each.received === null ? visible.length - 1 : rowOf(each.received),
    }));
    this.flights.replaceChildren(drawn("svg", {
      width: this.run.lanes.length * width, height: visible.length * ROW_HEIGHT,
    }, ...lines));
  }

  /* Mark the steps that repeat for ever, and draw the way back to the first. */
  drawRepetition() {
    const repetition = this.run.repetition;
    if (!repetition) {
      this.back.replaceChildren();
      this.again.replaceChildren();
      return;
    }
    const visible = this.visible();
    const begin = visible.filter((each) => each < repetition.begin).length;
    const last = visible.length - 1;
    const isRound = repetition.begin < this.run.steps.length - 1;
    this.back.replaceChildren(...(isRound && begin < last ? [drawn("svg", {
      width: 12, height: visible.length * ROW_HEIGHT,
    }, wayBack({begin, last}))] : []));
    this.again.replaceChildren(element("button", {
      type: "button", onclick: () => this.select(repetition.begin),
    }, `↻ ${repetition.text}`));
  }

  row(number, width) {
    const step = this.run.steps[number];
    return element("li", {
      role: "option", id: `step-${number + 1}`, "data-step": number,
      class: this.rowClass(number), "data-repeats": this.repeats(number), title: step.label,
      onclick: () => this.select(number),
    },
    element("span", {class: "number"}, String(number + 1)),
    arrows(this.run, step, this.involved[number], width),
    rowLabel(step));
  }

  rowClass(number) {
    if (this.isBad(number)) return "bad";
    if (this.run.steps[number].isFault) return "fault";
    return this.isHidden(number) ? "hidden-step" : null;
  }

  /* Whether the run takes this step, or stays in this state, for ever. */
  repeats(number) {
    const begin = this.run.repetition?.begin ?? this.run.steps.length;
    return number > begin || (number === begin && begin === this.run.steps.length - 1);
  }

  /* Whether the run explains observations, and nothing was observed of this step. */
  isHidden(number) {
    return Boolean(this.run.observations) && number > 0 && !this.run.observations[number].length;
  }

  isBad(number) {
    return Boolean(this.run.verdict?.property) && number === this.run.steps.length - 1;
  }

  drawDetail() {
    const step = this.run.steps[this.selected];
    const parts = [
      element("h2", {}, `${this.selected + 1} of ${this.run.steps.length}: `, element("code", {}, step.label)),
      this.isBad(this.selected)
        ? element("p", {class: "broken"}, this.run.repetition ? "Broken by what is done for ever: " : "Broken here: ",
          element("code", {}, this.run.verdict.instance))
        : null,
      this.repeats(this.selected)
        ? element("p", {class: "repeats"}, `↻ ${this.run.repetition.text}`) : null,
      step.isFault ? element("p", {class: "told-fault"}, "Fault") : null,
      ...this.observations(),
      ...this.explanation(step),
      this.logs(step),
      this.changed(step),
      this.inFlight(),
      this.unchanged(step),
      ...this.rules(step),
    ];
    this.detail.replaceChildren(...parts.filter((each) => each !== null));
    this.right.scrollTop = 0;
  }

  observations() {
    if (!this.run.observations || !this.selected) return [];
    const seen = this.run.observations[this.selected];
    if (!seen.length) return [element("p", {class: "unseen"}, "Hidden step: no log shows it.")];
    const title = seen[0].startsWith("not observed") ? "Further step" : "Observed";
    return [section(title, element("ul", {class: "observations"},
      ...seen.map((text) => element("li", {}, text))))];
  }

  explanation(step) {
    const told = step.messages.map((each) => `${each.source} → ${each.target}`);
    const about = this.run.actions[step.action];
    return [
      told.length ? element("p", {class: "told"}, told.join(", ")) : null,
      about ? element("p", {}, about.text.split("\n\n")[0]) : null,
      about ? element("p", {class: "where"}, about.where, " ", ...about.rules.map((rule) =>
        element("a", {href: `#rule-${rule}`}, rule))) : null,
    ];
  }

  logs(step) {
    const shown = step.strips.filter((each) => this.includes([each.lane]));
    return shown.length ? section("Logs", ...shown.map(strip)) : null;
  }

  inFlight() {
    const shown = this.run.flights.filter((each) =>
      each.sent <= this.selected && (each.received === null || each.received > this.selected)
      && this.includes([each.source, each.target]));
    const rows = shown.map((each) => element("li", {}, `${each.source} → ${each.target}: `,
      each.kind, element("small", {}, ` since step ${each.sent + 1}`)));
    return shown.length
      ? section(`In flight (${shown.length})`, element("ul", {class: "messages"}, ...rows)) : null;
  }

  changed(step) {
    const shown = step.changes.filter((each) =>
      this.includes([this.run.cells[each.cell].lane]));
    if (!shown.length) return null;
    const rows = shown.map((each) => element("tr", {},
      this.cellName(this.run.cells[each.cell].name, each.cell),
      element("td", {}, ...each.parts.map(difference))));
    return section("Changed", element("table", {class: "cells"}, element("tbody", {}, ...rows)));
  }

  unchanged(step) {
    const changed = new Set(step.changes.map((each) => each.cell));
    const texts = this.states[this.selected];
    const cells = this.run.cells
      .map((cell, number) => ({...cell, number, text: texts[number]}))
      .filter((cell) => !changed.has(cell.number) && this.includes([cell.lane]));
    const rows = families(cells).map(([name, text, cell]) => element("tr", {},
      cell === null ? element("th", {scope: "row"}, name) : this.cellName(name, cell),
      element("td", {}, text)));
    const title = this.selected ? `Unchanged (${cells.length})` : "Every cell";
    return element("details", {
      class: "unchanged", open: this.unfolded || this.selected === 0,
      ontoggle: (event) => { if (this.selected) this.unfolded = event.target.open; },
    },
    element("summary", {}, title),
    element("table", {class: "cells"}, element("tbody", {}, ...rows)));
  }

  rules(step) {
    const names = this.run.actions[step.action]?.rules || [];
    const known = names.filter((each) => each in this.run.rules);
    return known.length
      ? [section("Rules", ...known.map((each) => ruleText(each, this.run.rules[each])))] : [];
  }
}
