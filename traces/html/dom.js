"use strict";

/* Elements: every text becomes a text node, so no value of a trace is ever markup. */

function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return filled(made, attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) {
      made.addEventListener(name.slice(2), value);
    } else if (value !== null && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children.flat().filter((each) => each !== null));
  return made;
}

function section(heading, ...children) {
  return element("section", {}, element("h3", {}, heading), ...children);
}

function isTyping(event) {
  return event.ctrlKey || event.metaKey || event.altKey
    || event.target.matches("input, textarea, select");
}
