// The page of the what-if app: shows what the kernel worked out (trait `page`) and hands over what was changed (trait
// `state`). It asks the kernel for Plotly, so that the numbers need not wait for that.

const GROUPS = { path: "Path", tool: "Tool", sender: "Sender", receiver: "Receiver" };
const ROLES = ["sender", "receiver", "path", "tool"];
const PATIENCE = 20000; // milliseconds that the kernel has for an answer
const CONFIG = { responsive: true, displayModeBar: false, typesetMath: false };

function node(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function isDark() {
  const lab = document.body.dataset.jpThemeLight; // JupyterLab has a theme of its own
  return lab !== undefined ? lab === "false" : window.matchMedia("(prefers-color-scheme: dark)").matches;
}

function download(name, type, text) {
  const link = node("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

let library; // Plotly, for all views of a page

function plotly(model) {
  if (window.Plotly) return Promise.resolve();
  library ??= new Promise((resolve, reject) => {
    const hear = (message, buffers) => {
      if (message.kind !== "plotly") return;
      model.off("msg:custom", hear);
      import(URL.createObjectURL(new Blob(buffers, { type: "text/javascript" }))).then(resolve, reject);
    };
    model.on("msg:custom", hear);
    model.send({ kind: "plotly" });
  });
  return library;
}

class View {
  constructor(model, el) {
    this.model = model;
    this.id = `hecn-${Math.random().toString(36).slice(2, 8)}`;
    this.controls = new Map();
    this.build(el);
    this.listen();
    this.show();
    plotly(model).then(() => this.drawFigures());
  }

  // what is there ---------------------------------------------------------------------------------------------------

  build(el) {
    const put = (name, tag, attributes, ...children) => (this[name] = node(tag, { class: name, ...attributes }, ...children));
    this.file = node("input", { type: "file", accept: ".yaml,.yml", hidden: true, onchange: () => this.open() });
    this.file.setAttribute("aria-label", "YAML file of a scenario");
    const button = (words, action) => node("button", { type: "button", onclick: action }, words);
    this.briefButton = button("Export brief", () => this.ask("brief", "Making the brief …"));
    this.root = node(
      "div",
      { class: "hecn-app" },
      node(
        "header",
        {},
        node("div", { class: "name" }, node("h1", {}, "What if"), node("p", {}, "How fast a transfer should be, and what holds it back")),
        node(
          "div",
          { class: "actions", role: "group", "aria-label": "Scenario" },
          button("Open scenario", () => this.file.click()),
          button("Save scenario", () => download("scenario.yaml", "application/yaml", this.page.yaml ?? "")),
          this.briefButton,
          button("Start again", () => this.ask("reset", "")),
          this.file,
        ),
      ),
      put("models", "div", { role: "group", "aria-label": "Hosts, path and tool" }),
      (this.own = new OwnHost(this)).root,
      new CapturedHost(this).root,
      put("status", "p", { role: "status" }),
      put("said", "p", { "aria-live": "polite" }),
      put("alarm", "div", { role: "alert" }),
      node(
        "div",
        { class: "columns" },
        put("headline", "section", { "aria-label": "Throughput" }),
        put("transfer", "form", { "aria-label": "Path and tool", onsubmit: (event) => event.preventDefault() }),
        put("hosts", "form", { "aria-label": "Hosts", onsubmit: (event) => event.preventDefault() }),
        put("figures", "div", {}),
      ),
      put("notes", "div", {}),
    );
    el.append(node("div", { class: "hecn-frame" }, this.root));
    this.buildModels();
  }

  buildModels() {
    this.selects = {};
    for (const role of ROLES) {
      const id = `${this.id}-${role}`;
      const select = node("select", { id, onchange: () => this.change(role, select.value) });
      for (const [name, words] of this.model.get("models")[role]) select.append(node("option", { value: name }, words));
      this.selects[role] = select;
      this.models.append(node("div", {}, node("label", { for: id }, GROUPS[role]), select));
    }
  }

  // what the reader does --------------------------------------------------------------------------------------------

  change(key, value) {
    const state = { ...this.model.get("state") };
    if (value === undefined) delete state[key];
    else state[key] = value;
    this.model.set("state", state);
    this.model.save_changes();
    this.expect();
  }

  ask(kind, words, more = {}) {
    this.status.textContent = words;
    this.model.send({ kind, ...more });
    if (kind === "brief") this.briefButton.disabled = true;
    else this.expect();
  }

  open() {
    const [file] = this.file.files;
    if (file) file.text().then((text) => this.ask("open", "", { text, name: file.name }));
    this.file.value = "";
  }

  expect() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      this.alarm.textContent = "The kernel does not answer. Save the scenario, and load this page again.";
    }, PATIENCE);
  }

  // what the kernel says --------------------------------------------------------------------------------------------

  listen() {
    this.dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.onDark = () => this.drawFigures();
    this.onPage = () => this.show();
    this.onMessage = (message) => this.hear(message);
    this.dark.addEventListener("change", this.onDark);
    this.model.on("change:page", this.onPage);
    this.model.on("msg:custom", this.onMessage);
  }

  leave() {
    clearTimeout(this.waiting);
    this.dark.removeEventListener("change", this.onDark);
    this.model.off("change:page", this.onPage);
    this.model.off("msg:custom", this.onMessage);
    for (const box of this.figures.querySelectorAll(".js-plotly-plot")) Plotly.purge(box);
  }

  hear(message) {
    if (message.kind !== "brief") return;
    this.briefButton.disabled = false;
    this.status.textContent = message.remark;
    if (message.text) download(message.name, "text/html", message.text);
  }

  show() {
    clearTimeout(this.waiting);
    this.page = this.model.get("page");
    this.alarm.textContent = this.page.error ?? "";
    this.root.classList.toggle("stale", Boolean(this.page.error));
    this.root.dataset.exact = String(Boolean(this.page.exact));
    if (!this.page.headline) return;
    for (const role of ROLES) this.showModel(role);
    this.showHeadline();
    this.showControls();
    this.showFigures();
    this.showNotes();
  }

  showModel(role) {
    const select = this.selects[role];
    const name = this.page.models[role];
    if (![...select.options].some((option) => option.value === name)) {
      select.prepend(node("option", { value: name }, name || "described by its settings"));
    }
    select.value = name;
  }

  showHeadline() {
    const { headline, sentence, formula, facts, exact } = this.page;
    const value = node("p", { class: "value" }, node("span", { class: "number" }, headline.value), ` ${headline.unit}`);
    const isInterval = headline.unit && !headline.value.startsWith("about");
    const interval = isInterval ? `${headline.interval} in 90 % of single runs` : headline.interval;
    const list = node("dl", {});
    for (const [label, words] of facts) list.append(node("div", {}, node("dt", {}, label), node("dd", {}, words)));
    this.headline.replaceChildren(
      value,
      node("p", { class: "interval" }, interval, node("span", { class: "rough" }, exact ? "" : " · first look")),
      node("p", { class: "sentence" }, sentence),
      ...(formula ? [node("p", { class: "formula" }, formula)] : []),
      list,
    );
    if (exact) this.said.textContent = `${headline.value} ${headline.unit}. ${sentence}`; // for those who listen
  }

  showControls() {
    const found = this.page.controls;
    const names = found.map((control) => control.key).join(" ");
    if (names !== this.names) this.buildControls(found);
    this.names = names;
    for (const control of found) this.controls.get(control.key).show(control);
  }

  buildControls(found) {
    this.controls.clear();
    const groups = { path: [], tool: [], sender: [], receiver: [] };
    for (const [group, title] of Object.entries(GROUPS)) {
      const members = found.filter((control) => control.group === group);
      if (!members.length) continue;
      const set = node("fieldset", {}, node("legend", {}, title));
      for (const control of members) {
        const made = new Control(this, control);
        this.controls.set(control.key, made);
        set.append(made.row);
      }
      groups[group].push(set);
    }
    this.transfer.replaceChildren(...groups.path, ...groups.tool);
    this.hosts.replaceChildren(...groups.sender, ...groups.receiver);
  }

  showFigures() {
    for (const figure of this.page.figures) {
      let box = this.figures.querySelector(`[data-name="${figure.name}"]`);
      if (!box) {
        box = node(
          "figure",
          { "data-name": figure.name },
          node("h2", {}, figure.title),
          node("p", { class: "caption" }, figure.caption),
          node("div", { class: "plot", role: "img", "aria-label": `${figure.title}. ${figure.caption}` }),
        );
        this.figures.append(box);
      }
    }
    this.drawFigures();
  }

  drawFigures() {
    const dark = isDark();
    this.root.dataset.theme = dark ? "dark" : "light";
    if (!window.Plotly) return; // and drawn once it is there
    const colours = this.model.get("dark_colours");
    const darkened = (part) => {
      if (typeof part === "string") return colours[part] ?? part;
      if (Array.isArray(part)) return part.map(darkened);
      if (part === null || typeof part !== "object" || ArrayBuffer.isView(part)) return part;
      return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, darkened(value)]));
    };
    for (const { name, spec } of this.page.figures ?? []) {
      const box = this.figures.querySelector(`[data-name="${name}"] .plot`);
      const { data, layout } = dark ? darkened(spec) : structuredClone(spec); // Plotly writes into what it is given
      box.style.height = `${layout.height}px`;
      Plotly.react(box, data, { ...layout, autosize: true, dragmode: false }, CONFIG);
    }
  }

  showNotes() {
    const opened = new Set([...this.notes.querySelectorAll("details[open]")].map((each) => each.dataset.name));
    const { warnings, costs, assumptions, settings, yaml } = this.page;
    const parts = [];
    if (warnings.length) {
      const list = node("ul", {}, ...warnings.map((words) => node("li", {}, words)));
      parts.push(node("section", { class: "warnings", "aria-label": "Remarks" }, node("h2", {}, "Good to know"), list));
    }
    const details = (name, title, ...children) =>
      parts.push(
        node("details", { "data-name": name, open: opened.has(name) }, node("summary", {}, ...title), ...children),
      );
    for (const [number, bill] of costs.entries()) {
      const rows = bill.lines.map((line) => [line.item, line.quantity, line.each, line.sum, line.source]);
      details(
        `bill-${number}`,
        [bill.title, node("b", {}, bill.total)],
        ...(bill.remark ? [node("p", {}, bill.remark)] : []),
        ...(rows.length ? [table(bill.title, ["item", "pieces", "each, USD", "sum, USD", "price from"], rows, [1, 2, 3])] : []),
      );
    }
    const head = ["number", "value", "90 % within", "basis", "source"];
    details("assumptions", [assumptions.title], table(assumptions.title, head, assumptions.rows, [1, 2]));
    if (settings.length) details("settings", ["Also set in this scenario"], table("Also set", ["key", "value"], settings, []));
    details("yaml", ["The scenario as YAML"], node("pre", { tabindex: "0" }, yaml));
    this.notes.replaceChildren(...parts);
  }
}

function table(title, head, rows, numeric) {
  const cell = (tag, words, at) => node(tag, numeric.includes(at) ? { class: "numeric" } : {}, String(words));
  const line = (tag, cells) => node("tr", {}, ...cells.map((words, at) => cell(tag, words, at)));
  return node(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    node("table", {}, node("thead", {}, line("th", head)), node("tbody", {}, ...rows.map((row) => line("td", row)))),
  );
}

const ENDS = [["both", "both ends"], ["sender", "sender"], ["receiver", "receiver"]];
const rolesOf = (ends) => (ends === "both" ? ["sender", "receiver"] : [ends]);

// A host of one's own in a few words: card, slot, disks, processor. The kernel finds the parts.
class OwnHost {
  constructor(view) {
    this.fields = {};
    const parts = view.model.get("parts");
    const field = (name, label, attributes, kind) => {
      const id = `${view.id}-own-${name}`;
      const input = node("input", { id, ...attributes, ...(kind ? { list: `${id}-list` } : {}) });
      this.fields[name] = input;
      const options = (parts[kind] ?? []).map(([value, title]) => node("option", { value }, title));
      return node("div", {}, node("label", { for: id }, label), input, kind ? node("datalist", { id: `${id}-list` }, ...options) : "");
    };
    const menu = (name, label, choices) => {
      const id = `${view.id}-own-${name}`;
      this.fields[name] = node("select", { id }, ...choices.map(([value, words]) => node("option", { value }, words)));
      return node("div", {}, node("label", { for: id }, label), this.fields[name]);
    };
    const slots = [1, 2, 3, 4, 5, 6].flatMap((gen) => [4, 8, 16].map((lanes) => [`gen${gen}x${lanes}`, `gen ${gen} x${lanes}`]));
    const form = node(
      "form",
      { class: "own", onsubmit: (event) => this.apply(event, view) },
      field("nic", "Network card", { placeholder: "100g, or a model" }, "nics"),
      menu("slot", "Its slot", [["", "as the card needs"], ...slots]),
      field("count", "Disks", { type: "number", min: 1, max: 1000, placeholder: "8" }),
      field("disk", "Disk model", { placeholder: "990pro" }, "disks"),
      field("cpu", "Processor", { placeholder: "9374f" }, "cpus"),
      menu("ends", "Use it as", ENDS),
      node("button", { type: "submit" }, "Use this host"),
    );
    this.root = node("details", { class: "own-host" }, node("summary", {}, "Describe your own host"), form);
  }

  apply(event, view) {
    event.preventDefault();
    const { nic, slot, count, disk, cpu, ends } = Object.fromEntries(
      Object.entries(this.fields).map(([name, input]) => [name, input.value.trim().replaceAll(/\s+/g, "-")]),
    );
    const words = [
      nic && `nic=${nic}`,
      nic && slot && `slot=${slot}`,
      disk && `disks=${count || 1}x${disk}`,
      cpu && `cpu=${cpu}`,
    ].filter(Boolean);
    view.ask("host", "", { roles: rolesOf(ends), words: words.join(" ") });
  }
}

// A host whose output was captured, by its path on the machine of the kernel.
class CapturedHost {
  constructor(view) {
    const id = `${view.id}-captured`;
    this.path = node("input", { id: `${id}-path`, required: true, placeholder: "folder or archive of hecn capture" });
    this.ends = node("select", { id: `${id}-ends` }, ...ENDS.map(([value, words]) => node("option", { value }, words)));
    const form = node(
      "form",
      { class: "own", onsubmit: (event) => this.apply(event, view) },
      node("div", {}, node("label", { for: this.path.id }, "Path on this machine"), this.path),
      node("div", {}, node("label", { for: this.ends.id }, "Use it as"), this.ends),
      node("button", { type: "submit" }, "Use this host"),
    );
    this.root = node("details", { class: "own-host" }, node("summary", {}, "Open a captured host"), form);
  }

  apply(event, view) {
    event.preventDefault();
    view.ask("captured", "", { roles: rolesOf(this.ends.value), path: this.path.value.trim() });
  }
}

class Control {
  constructor(view, told) {
    this.view = view;
    const id = `${view.id}-${told.key.replaceAll(".", "-")}`;
    this.text = node("output", { for: id });
    this.reset = node("button", { type: "button", class: "reset", onclick: () => this.back() }, "↺");
    const change = () => this.changed();
    this.input = told.menu
      ? node("select", { id, onchange: change })
      : node("input", { id, type: "range", min: 0, step: 1, oninput: change });
    this.input.setAttribute("aria-describedby", `${id}-help`);
    this.row = node(
      "div",
      { class: "control" },
      node("label", { for: id }, told.label, node("small", { id: `${id}-help` }, told.help)),
      node("span", { class: "now" }, this.reset, told.menu ? "" : this.text),
      this.input,
    );
  }

  show(told) {
    // A slider that is being moved stays where it is: this may answer to where it was before.
    const held = this.told && document.activeElement === this.input && !told.menu;
    const moved = this.pending !== undefined && this.pending !== told.steps[told.at];
    if (held && (moved || told.steps.length !== this.told.steps.length)) return;
    this.told = told;
    this.pending = undefined;
    if (told.menu) {
      const options = told.texts.map((words, at) => node("option", { value: at }, words));
      if (this.input.options.length !== options.length) this.input.replaceChildren(...options);
    } else this.input.max = told.steps.length - 1;
    this.input.value = told.at;
    this.mark();
  }

  mark() {
    const at = Number(this.input.value);
    const { texts, own, label, steps } = this.told;
    this.text.textContent = texts[at];
    if (!this.told.menu) {
      this.input.setAttribute("aria-valuetext", texts[at]);
      this.input.style.setProperty("--own", `${(100 * own) / Math.max(1, steps.length - 1)}%`);
      this.input.style.setProperty("--at", `${(100 * at) / Math.max(1, steps.length - 1)}%`);
    }
    this.row.classList.toggle("changed", at !== own);
    this.reset.hidden = at === own;
    this.reset.title = `Back to ${texts[own]}`;
    this.reset.setAttribute("aria-label", `${label}: back to ${texts[own]}`);
  }

  changed() {
    const at = Number(this.input.value);
    const { steps, own, key, keep } = this.told;
    this.pending = steps[at];
    this.mark();
    this.view.change(key, at === own && !keep ? undefined : steps[at]);
  }

  back() {
    this.input.value = this.told.own;
    this.changed();
    this.input.focus();
  }
}

export default {
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.leave();
  },
};
