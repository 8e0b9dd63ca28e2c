"use strict";

/* Parts of a run on a page: rows of its diagram, logs, differences, rules. */

const ROW_HEIGHT = 24;
const COLOURS = 6;

/* The class that has the colour of a lane. */
function laneColour(run, lane) {
  return `lane-${run.lanes.indexOf(lane) % COLOURS}`;
}

/* The name of an action, elided where there is no room, and its arguments. */
function rowLabel(step) {
  const end = step.label.indexOf("(");
  const [action, rest] = end < 0
    ? [step.label, ""] : [step.label.slice(0, end), step.label.slice(end)];
  const mark = step.isFault ? element("span", {class: "mark"}, "⚡") : null;
  return element("span", {class: "label"}, mark,
    element("span", {class: "action"}, action), element("span", {class: "arguments"}, rest));
}

/* What a search finds a step by: its label, what it does, the cells that it changes. */
function searchedText(run, step) {
  const about = run.actions[step.action]?.text ?? "";
  const changed = step.changes.map((each) => `${run.cells[each.cell].name} ${each.new}`);
  return [step.label, about, ...changed].join(" ").toLowerCase();
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
    class: `${lane === step.actor ? "actor" : "touched"} ${laneColour(run, lane)}`,
    cx: at(lane), cy: ROW_HEIGHT / 2, r: lane === step.actor ? 5 : 3,
  }));
  const told = step.messages;
  const heads = told.map((each, number) => {
    const y = ROW_HEIGHT * (number + 1) / (told.length + 1);
    return arrow(at(each.source), at(each.target), y, laneColour(run, each.source));
  });
  return drawn("svg", {
    width: run.lanes.length * width, height: ROW_HEIGHT, "aria-hidden": "true",
  }, ...lines, ...dots, ...heads);
}

/* A message in flight: dashed from its source, when it is sent, to its target. */
function flightLine(run, flight, width, rows) {
  const x = (lane) => (run.lanes.indexOf(lane) + 0.5) * width;
  const y = (row) => (row + 0.5) * ROW_HEIGHT;
  return drawn("line", {
    class: `flight ${laneColour(run, flight.source)}`,
    x1: x(flight.source), y1: y(rows.sent), x2: x(flight.target), y2: y(rows.received),
  });
}

/* The way back from the last row to the one where the run begins to repeat. */
function wayBack(rows) {
  const y = (row) => (row + 0.5) * ROW_HEIGHT;
  const [from, to] = [y(rows.last), y(rows.begin)];
  return drawn("path", {
    class: "way-back", d: `M10 ${from}H3V${to}H9M6 ${to - 3}L10 ${to}L6 ${to + 3}`,
  });
}

function arrow(from, to, y, colour) {
  const way = Math.sign(to - from);
  const tip = to - 6 * way;
  const start = from + 6 * way;
  return drawn("path", {
    class: `arrow ${colour}`,
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

/* Rows of name, text and number; a family whose cells are all alike takes one row. */
function families(cells) {
  const rows = [];
  for (const [family, group] of Map.groupBy(cells, (cell) => cell.family)) {
    const isAlike = group.length > 1 && group.every((each) => each.text === group[0].text);
    if (isAlike) rows.push([`${family}[*]`, group[0].text, null]);
    else rows.push(...group.map((each) => [each.name, each.text, each.number]));
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
