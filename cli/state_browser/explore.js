"use strict";

/* Walking: the steps taken so far, and the server's answer for the selected state. */

const KIND_TITLES = new Map([
  ["always", "Invariants"], ["step", "Step properties"], ["sometimes", "Witnesses"],
]);

class Walk {
  constructor() {
    this.steps = [];
    this.unfolded = new Set();
    this.asked = 0;
    this.isDrawing = false;
    this.undone = [];
    this.view = new RunView(document.getElementById("run"), (number) => this.look(number));
    this.choices = element("section", {class: "choices", "aria-label": "Enabled actions"});
    this.verdicts = element("section", {class: "verdicts", "aria-label": "Properties"});
    this.message = document.getElementById("message");
    this.discoveries = element("section", {class: "discoveries", "aria-label": "Violations found"});
    this.view.left.append(this.choices);
    this.view.right.prepend(this.discoveries, this.verdicts);
  }

  /* Walk these steps, and stand after `at` of them. */
  async go(steps, at = steps.length) {
    const answer = await this.ask("/walk", {steps, at});
    if (!answer) return;
    const found = await answer.json();
    this.steps = found.steps;
    this.isDrawing = true;
    this.view.show(found.run, found.at);
    this.isDrawing = false;
    this.draw(found);
    this.view.list.focus();
  }

  /* Another step of the run is selected. */
  async look(at) {
    if (this.isDrawing) return;
    const answer = await this.ask("/walk", {steps: this.steps, at});
    if (answer) this.draw(await answer.json());
  }

  /* Only the answer to the last question counts. */
  async ask(path, question) {
    const number = ++this.asked;
    this.say("");
    let answer;
    try {
      answer = await fetch(path, {
        method: "POST",
        headers: {"Content-Type": "application/json"},
        body: JSON.stringify(question),
      });
    } catch {
      this.say("The server has ended. Start `replicheck explore` again.");
      return null;
    }
    if (number !== this.asked) return null;
    if (answer.ok) return answer;
    this.say(await answer.text());
    return null;
  }

  say(text, isWell = false) {
    this.message.textContent = text;
    this.message.classList.toggle("well", isWell);
  }

  take(choice) {
    this.undone = [];
    this.go([...this.steps.slice(0, this.view.selected), choice.name]);
  }

  /* Leave the selected step and what follows; `redo` takes it again. */
  back() {
    if (!this.view.selected) return;
    this.undone.push(this.steps.slice(this.view.selected - 1));
    this.go(this.steps.slice(0, this.view.selected - 1));
  }

  redo() {
    const again = this.undone.pop();
    if (again) this.go([...this.steps, ...again], this.steps.length + 1);
  }

  random() {
    const choices = this.enabled ?? [];
    if (choices.length) this.take(choices[Math.floor(Math.random() * choices.length)]);
  }

  async search() {
    const from = this.steps.slice(0, this.view.selected);
    this.discoveries.replaceChildren(section("Search", element("p", {}, "Searching…")));
    const answer = await this.ask("/search", {steps: from});
    if (!answer) {
      this.discoveries.replaceChildren();
      return;
    }
    const found = await answer.json();
    const covered = found.isComplete
      ? `all ${found.states} states from state ${from.length + 1} on`
      : `${found.states} states from state ${from.length + 1} on, not all`;
    const rows = found.violations.map((each) => element("li", {}, element("button", {
      type: "button", onclick: () => this.go(each.steps),
    }, element("code", {}, each.property), ` at state ${each.steps.length + 1}`)));
    this.discoveries.replaceChildren(section(`Violations found: ${found.violations.length}`,
      element("p", {}, `Searched ${covered}.`), element("ul", {}, ...rows),
      ...(found.failure ? failure(found.failure) : [])));
  }

  async copy() {
    const answer = await this.ask("/trace", {steps: this.steps.slice(0, this.view.selected)});
    if (!answer) return;
    const text = await answer.text();
    try {
      await navigator.clipboard.writeText(text);
      this.say("Copied: put it in a file that ends in .jsonl.", true);
    } catch {
      this.say("This browser did not allow the copy.");
    }
  }

  async open(file) {
    if (!file) return;
    const answer = await this.ask("/open", {text: await file.text()});
    if (answer) await this.go((await answer.json()).steps);
  }

  draw(found) {
    this.enabled = found.choices;
    const isEnd = found.at === this.steps.length;
    const about = isEnd ? "" : "; one of them replaces the rest of the run";
    const title = found.choices.length
      ? `Enabled (${found.choices.length})${about}`
      : `No action is enabled${found.claimsNoDeadlock ? ": a deadlock" : ""}`;
    document.getElementById("redo").disabled = !this.undone.length;
    this.choices.replaceChildren(
      element("h3", {}, title),
      element("ol", {}, ...found.choices.map((each, number) => this.choice(each, number))));
    this.verdicts.replaceChildren(...ending(found.ending), ...this.kinds(found.verdicts));
  }

  choice(choice, number) {
    const key = number < 9 ? `${number + 1}  ` : "";
    return element("li", {}, element("button", {
      type: "button", class: choice.isFault ? "fault" : null, onclick: () => this.take(choice),
    },
    element("code", {}, `${key}${choice.isFault ? "⚡ " : ""}${choice.name}`),
    choice.breaks.length
      ? element("small", {class: "breaks"}, `breaks ${choice.breaks.join(", ")}`) : null,
    element("small", {}, choice.text)));
  }

  kinds(verdicts) {
    return [...Map.groupBy(verdicts, (each) => each.kind)].map(([kind, group]) => {
      const isTrue = group.filter((each) => each.isTrue).length;
      const bad = group.filter((each) => each.isBad);
      const rest = group.filter((each) => !each.isBad);
      return section(`${KIND_TITLES.get(kind)}: ${isTrue} of ${group.length} true here`,
        element("ul", {}, ...bad.map(verdict)),
        !rest.length ? null : element("details", {open: this.unfolded.has(kind), ontoggle: (event) => {
          if (event.target.open) this.unfolded.add(kind);
          else this.unfolded.delete(kind);
        }},
        element("summary", {}, bad.length ? "The others" : "All"),
        element("ul", {}, ...rest.map(verdict))));
    });
  }

  press(event) {
    if (isTyping(event)) return;
    if (event.key === "Backspace") {
      event.preventDefault();
      this.back();
    }
    if (event.key === "r") this.redo();
    const choice = /^[1-9]$/.test(event.key) && this.enabled?.[Number(event.key) - 1];
    if (choice) this.take(choice);
  }
}

/* What the whole run does for ever, if it goes on as at its end. */
function ending(run) {
  if (!run.takesSteps && (run.leftOut || !run.broken.length)) return [];
  const fairness = run.leftOut
    ? ["No fair run goes on so: it leaves out ", element("code", {}, run.leftOut), "."]
    : ["A fair run can go on so."];
  const broken = run.broken.map((each) => element("li", {class: "bad", title: each.claim},
    element("code", {}, each.property),
    element("small", {}, `${each.claim} Broken: ${each.instance}`)));
  return [section("At the end of the run", element("p", {class: "repeats"}, `↻ ${run.text}`),
    element("p", {}, ...fairness), broken.length ? element("ul", {}, ...broken) : null)];
}

/* The state on which a function raises cannot be walked to: its steps are listed. */
function failure({text, steps}) {
  return [
    element("p", {class: "failure"}, `${text} on state ${steps.length + 1}, after`),
    element("ol", {}, ...steps.map((step) => element("li", {}, element("code", {}, step)))),
  ];
}

function verdict(each) {
  return element("li", {class: each.isBad ? "bad" : null, title: each.claim},
    element("span", {class: "sign"}, each.isTrue ? "true" : "false"),
    element("code", {}, each.property),
    each.isBad ? element("small", {}, `${each.claim} Broken: ${each.instances.join(", ")}`) : null);
}

const walk = new Walk();
document.addEventListener("keydown", (event) => walk.press(event));
document.getElementById("back").addEventListener("click", () => walk.back());
for (const name of ["redo", "random", "search"]) {
  document.getElementById(name).addEventListener("click", () => walk[name]());
}
document.getElementById("copy").addEventListener("click", () => walk.copy());
document.getElementById("file").addEventListener("change", (event) => walk.open(event.target.files[0]));
walk.go(JSON.parse(document.getElementById("content").textContent));
