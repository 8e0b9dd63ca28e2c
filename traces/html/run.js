"use strict";

/* A run: its sequence diagram beside the state at the selected step. */

const LANE_WIDTH = 72;
const LANES_WIDTH = 360;
const ROW_HEIGHT = 24;

const KEYS = new Map([
  ["ArrowDown", "next"], ["ArrowRight", "next"], ["j", "next"],
  ["ArrowUp", "previous"], ["ArrowLeft", "previous"], ["k", "previous"],
  ["Home", "first"], ["End", "last"],
  ["PageDown", "nextPage"], ["PageUp", "previousPage"],
]);
const PAGE = 10;

class RunView {
  /* `onselect(number)` is called whenever another step is selected. */
  constructor(root, onselect = () => {}) {
    this.onselect = onselect;
    this.chosen = new Set();
    this.selected = 0;
    this.unfolded = false;
    this.filters = element("div", {class: "filters", role: "group", "aria-label": "Show only"});
    this.heads = element("div", {class: "heads", "aria-hidden": "true"});
    this.list = element("ol", {
      role: "listbox", tabindex: "0", "aria-label": "Steps", class: "steps",
    });
    this.detail = element("article", {class: "detail"});
    this.left = element("div", {class: "left"},
      element("div", {class: "sequence"}, this.heads, this.list));
    this.right = element("div", {class: "right"}, this.detail);
    root.append(this.filters, element("div", {class: "panes"}, this.left, this.right));
    document.addEventListener("keydown", (event) => this.press(event));
  }

  show(run, selected = 0) {
    this.run = run;
    this.states = texts(run);
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

  press(event) {
    const move = KEYS.get(event.key);
    if (!move || isTyping(event)) return;
    event.preventDefault();
    const visible = this.visible();
    const here = visible.findIndex((each) => each >= this.selected);
    const at = here < 0 ? visible.length : here;
    const isHere = visible[at] === this.selected;
    const to = {
      next: at + (isHere ? 1 : 0), previous: at - 1, first: 0, last: visible.length - 1,
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
      type: "button", "aria-pressed": String(this.chosen.has(lane)), onclick: () => this.choose(lane),
    }, lane));
    const keys = element("span", {class: "keys"}, "Keys: ↑ ↓ step, Home, End, Page ↑ ↓");
    this.filters.replaceChildren("Show only: ", ...buttons, keys);
  }

  choose(lane) {
    if (!this.chosen.delete(lane)) this.chosen.add(lane);
    this.drawFilters();
    this.drawSequence();
    this.select(this.selected);
    this.filters.children[this.run.lanes.indexOf(lane)].focus();
  }

  drawSequence() {
    const width = Math.min(LANE_WIDTH, LANES_WIDTH / Math.max(this.run.lanes.length, 1));
    this.heads.replaceChildren(...this.run.lanes.map((lane) => {
      const head = element("span", {}, lane);
      head.style.width = `${width}px`;
      return head;
    }));
    this.list.replaceChildren(...this.visible().map((each) => this.row(each, width)));
  }

  row(number, width) {
    const step = this.run.steps[number];
    return element("li", {
      role: "option", id: `step-${number + 1}`, "data-step": number,
      class: this.rowClass(number), title: step.label,
      onclick: () => this.select(number),
    },
    element("span", {class: "number"}, String(number + 1)),
    arrows(this.run, step, this.involved[number], width),
    element("span", {class: "label"}, step.label));
  }

  rowClass(number) {
    if (this.isBad(number)) return "bad";
    return this.isHidden(number) ? "hidden-step" : null;
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
        ? element("p", {class: "broken"}, "Broken here: ", element("code", {}, this.run.verdict.instance))
        : null,
      ...this.observations(),
      ...this.explanation(step),
      this.logs(step),
      this.changed(step),
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
    return [section("Observed", element("ul", {class: "observations"},
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

  changed(step) {
    const shown = step.changes.filter((each) =>
      this.includes([this.run.cells[each.cell].lane]));
    if (!shown.length) return null;
    const rows = shown.map((each) => element("tr", {},
      element("th", {scope: "row"}, this.run.cells[each.cell].name),
      element("td", {}, ...each.parts.map(difference))));
    return section("Changed", element("table", {class: "cells"}, element("tbody", {}, ...rows)));
  }

  unchanged(step) {
    const changed = new Set(step.changes.map((each) => each.cell));
    const texts = this.states[this.selected];
    const cells = this.run.cells
      .map((cell, number) => ({...cell, number, text: texts[number]}))
      .filter((cell) => !changed.has(cell.number) && this.includes([cell.lane]));
    const rows = families(cells).map(([name, text]) => element("tr", {},
      element("th", {scope: "row"}, name), element("td", {}, text)));
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

/* The text of every cell in every state. */
function texts(run) {
  const states = [];
  let state = run.initial;
  for (const step of run.steps) {
    state = [...state];
    for (const each of step.changes) state[each.cell] = each.new;
    states.push(state);
  }
  return states;
}

function lanesOf(run, step) {
  const told = step.messages.flatMap((each) => [each.source, each.target]);
  const changed = step.changes.map((each) => run.cells[each.cell].lane);
  const all = new Set([...(step.actor ? [step.actor] : []), ...told, ...changed]);
  return run.lanes.filter((lane) => all.has(lane));
}

function arrows(run, step, involved, width) {
  const at = (lane) => (run.lanes.indexOf(lane) + 0.5) * width;
  const lines = run.lanes.map((lane) => drawn("line", {
    class: "lane", x1: at(lane), x2: at(lane), y1: 0, y2: ROW_HEIGHT,
  }));
  const dots = involved.map((lane) => drawn("circle", {
    class: lane === step.actor ? "actor" : "touched",
    cx: at(lane), cy: ROW_HEIGHT / 2, r: lane === step.actor ? 5 : 3,
  }));
  const told = step.messages;
  const heads = told.map((each, number) => {
    const y = ROW_HEIGHT * (number + 1) / (told.length + 1);
    return arrow(at(each.source), at(each.target), y);
  });
  return drawn("svg", {
    width: run.lanes.length * width, height: ROW_HEIGHT, "aria-hidden": "true",
  }, ...lines, ...dots, ...heads);
}

function arrow(from, to, y) {
  const way = Math.sign(to - from);
  const tip = to - 6 * way;
  const start = from + 6 * way;
  return drawn("path", {
    class: "arrow",
    d: `M${start} ${y}H${tip}M${tip - 6 * way} ${y - 4}L${tip} ${y}L${tip - 6 * way} ${y + 4}`,
  });
}

/* One log: a box for each record, the epochs as groups, the high watermark as a line. */
function strip(log) {
  const groups = log.runs.map((run) => element("span", {class: `epoch epoch-${run.epoch % 6}`},
    element("span", {class: "records"}, ...run.records.map((record, number) =>
      element("span", {
        class: run.start + number < (log.high_watermark ?? 0) ? "record committed" : "record",
        "data-offset": run.start + number,
      }, record))),
    element("small", {}, `epoch ${run.epoch}`)));
  const ends = [
    log.high_watermark === null ? null : `high watermark ${log.high_watermark}`,
    `end offset ${log.end_offset}`,
  ].filter((each) => each !== null);
  return element("div", {class: "strip"},
    element("span", {class: "owner"}, log.name),
    element("span", {class: "track"}, ...withWatermark(log, groups),
      element("small", {class: "ends"}, ends.join(", "))),
    element("span", {class: "marks"}, ...log.marks.map((mark) => element("span", {}, mark))));
}

/* An empty log has its high watermark before its end; else its record draws it. */
function withWatermark(log, groups) {
  if (!log.high_watermark) return groups;
  const last = groups.flatMap((group) => [...group.querySelectorAll(".record")])
    .find((record) => Number(record.dataset.offset) === log.high_watermark - 1);
  if (last) last.classList.add("watermark");
  return groups;
}

function difference(part) {
  const name = part.name ? [element("span", {class: "name"}, part.name, " ")] : [];
  const gone = part.old ? [element("del", {}, part.old)] : [];
  const come = part.new ? [element("ins", {}, part.new)] : [];
  const between = part.old && part.new ? [" → "] : [];
  return element("div", {class: "part"}, ...name, ...gone, ...between, ...come);
}

/* Rows of name and text; a family whose cells are all alike takes one row. */
function families(cells) {
  const rows = [];
  for (const [family, group] of Map.groupBy(cells, (cell) => cell.family)) {
    const isAlike = group.length > 1 && group.every((each) => each.text === group[0].text);
    if (isAlike) rows.push([`${family}[*]`, group[0].text]);
    else rows.push(...group.map((each) => [each.name, each.text]));
  }
  return rows;
}

function ruleText(name, rule) {
  const functions = Object.entries(rule.functions).map(([where, text]) =>
    element("div", {}, element("code", {}, where), element("pre", {}, text)));
  return element("section", {class: "rule", id: `rule-${name}`, tabindex: "-1"},
    element("h4", {}, `${name}, ${rule.status}`),
    rule.reason ? element("p", {}, rule.reason) : null, ...functions);
}
