"use strict";

/* The page of one trace: the fragment of its address names the step, as in #step-7. */

const content = JSON.parse(document.getElementById("content").textContent);
const view = new RunView(document.getElementById("run"), (number) => {
  history.replaceState(null, "", `#step-${number + 1}`);
});

function stepInAddress() {
  const found = /^#step-(\d+)$/.exec(location.hash);
  return found ? Number(found[1]) - 1 : null;
}

addEventListener("hashchange", () => {
  const step = stepInAddress();
  if (step !== null) view.select(step);
});
/* Without a step in the address the page opens where the property breaks. */
const opening = content.verdict.property ? content.steps.length - 1 : 0;
view.show(content, stepInAddress() ?? opening);
view.list.focus();
