"use strict";
// What a reader may ask of the page of failures. Texts reach the page by textContent alone.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const at = (id) => document.getElementById(id);
  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  document.addEventListener("DOMContentLoaded", () => {
    const list = document.querySelector("ol.list");
    if (!list) return;
    const sections = [...document.querySelectorAll("section.failure")];
    const words = JSON.parse(at("words").textContent);
    const rows = [...list.children].map((row, number) => ({
      row, number, section: sections[number], link: row.querySelector("a"),
      gain: row.dataset.gain === "" ? -Infinity : Number(row.dataset.gain),
      bad: row.dataset.bad ? row.dataset.bad.split(" ") : [],
      steps: Number(row.dataset.steps), text: null,
    }));
    let order = rows;
    let sorted = "";
    let shown = null;

    // ---- The list: search, filters, sorting
    const having = (name, value) => ({ row }) => row.dataset[name].split(" ").includes(value);
    const sorts = {
      gain: (a, b) => b.gain - a.gain,
      bad: (a, b) => b.bad.length - a.bad.length,
      steps: (a, b) => b.steps - a.steps,
    };
    const index = () => {
      for (const one of rows) {
        one.text ??= `${one.row.textContent} ${one.section.textContent}`.toLowerCase();
      }
    };
    const value = (id) => (at(id) ? at(id).value : "");
    const filtered = () => {
      const tests = [];
      for (const name of ["executor", "pools", "labels", "bad"]) {
        if (value(name) !== "") tests.push(having(name, value(name)));
      }
      for (const name of ["helps", "disagree", "settled"]) {
        if (at(name).checked) tests.push(having(name, "1"));
      }
      const wanted = value("search").toLowerCase().split(/\s+/).filter(Boolean);
      if (wanted.length) {
        index();
        tests.push(({ text }) => wanted.every((word) => text.includes(word)));
      }
      return rows.filter((one) => tests.every((test) => test(one)));
    };
    const apply = () => {
      if (value("sort") !== sorted) {
        sorted = value("sort");
        const compare = sorts[sorted] ?? (() => 0);
        rows.sort((a, b) => compare(a, b) || a.number - b.number);
        list.append(...rows.map((one) => one.row));
      }
      order = filtered();
      const visible = new Set(order);
      for (const one of rows) {
        if (one.row.hidden === visible.has(one)) one.row.hidden = !one.row.hidden;
      }
      at("count").textContent = `${order.length} of ${rows.length} failures`;
    };
    const form = at("asked");
    form.hidden = false;
    form.addEventListener("input", apply);
    form.addEventListener("reset", () => setTimeout(apply));
    form.addEventListener("submit", (event) => event.preventDefault());
    apply();
    setTimeout(index, 500); // the first search should not wait for it

    // ---- One failure: whatever the address ends with
    const close = (one) => {
      one.section.classList.remove("shown");
      one.section.querySelector("details").open = false;
    };
    const step = (link, one) => {
      link.href = one ? one.link.hash : "#list";
      link.toggleAttribute("aria-disabled", false);
      if (!one) link.setAttribute("aria-disabled", "true");
    };
    let listTop = 0;
    const route = () => {
      const target = location.hash.length > 1 ? at(location.hash.slice(1)) : null;
      const section = target ? target.closest("section.failure") : null;
      const next = rows.find((one) => one.section === section) ?? null;
      if (!shown && next) listTop = scrollY;
      if (shown && shown !== next) close(shown);
      const before = shown;
      shown = next;
      root.classList.toggle("one", Boolean(shown));
      at("bar").hidden = !shown;
      if (!shown) {
        if (before) {
          scrollTo({ top: listTop, behavior: "instant" });
          before.link.focus({ preventScroll: true });
        }
        return;
      }
      section.classList.add("shown");
      section.querySelector("details").open = true;
      buttons(section);
      const place = order.indexOf(shown);
      const around = place < 0 ? rows : order;
      const here = around.indexOf(shown);
      step(at("before"), around[here - 1]);
      step(at("after"), around[here + 1]);
      at("place").textContent = `${here + 1} of ${around.length}`;
      if (target.matches("h2")) scrollTo({ top: 0, behavior: "instant" });
      else target.scrollIntoView({ behavior: "instant" });
      target.focus({ preventScroll: true });
    };
    addEventListener("hashchange", route);

    // ---- The rollouts behind a cell
    const table = (rollouts, actions) => {
      const rewards = rollouts.some((one) => one.length > 5);
      const body = make("tbody");
      for (const [, draw, end, steps, taken, reward] of rollouts) {
        const row = make("tr");
        row.append(make("td", draw), make("td", words.ends[end].join(" ")), make("td", steps ?? "–"));
        if (rewards) row.append(make("td", reward ?? "–"));
        const did = make("td");
        if (taken === null) did.textContent = "in study.duckdb";
        else {
          for (const [place, number] of (taken ? taken.split(" ") : []).entries()) {
            if (place) did.append(" · ");
            did.append(make("bdi", actions[number]));
          }
        }
        row.append(did);
        body.append(row);
      }
      const head = make("tr");
      for (const name of ["draw", "end", "actions", ...(rewards ? ["reward"] : []), "what it did"]) {
        head.append(make("th", name, { scope: "col" }));
      }
      const whole = make("table");
      const top = make("thead");
      top.append(head);
      whole.append(top, body);
      return whole;
    };
    const panel = (section, key, title) => {
      const data = JSON.parse(at(`data-${section.dataset.number}`).textContent);
      const box = make("div", undefined, { class: "asked-rollouts", role: "group", "aria-label": title });
      box.append(make("h4", title));
      const rollouts = data.cells[key] ?? [];
      for (const [role, name] of words.roles.entries()) {
        const some = rollouts.filter((one) => one[0] === role);
        if (!some.length) continue;
        const scroll = make("div", undefined, { class: "scroll", tabindex: "0", role: "group", "aria-label": `${title}: ${name}` });
        scroll.append(table(some, data.actions));
        box.append(make("p", `${some.length} ${name}`, { class: "small" }), scroll);
      }
      return box;
    };
    const toggle = (button, cell, title) => {
      const position = cell.closest(".position");
      const open = button.getAttribute("aria-expanded") === "true";
      position.querySelector(".asked-rollouts")?.remove();
      for (const other of position.querySelectorAll("[aria-expanded='true']")) {
        other.setAttribute("aria-expanded", "false");
      }
      if (open) return;
      button.setAttribute("aria-expanded", "true");
      const box = panel(cell.closest(".failure"), cell.dataset.cell, title);
      position.querySelector(".beside").after(box);
    };
    const buttons = (section) => {
      for (const cell of section.querySelectorAll("td[data-cell]:not(:has(button))")) {
        const text = cell.firstElementChild;
        const row = cell.parentElement;
        const executor = cell.closest("table").tHead.rows[0].cells[cell.cellIndex].textContent;
        const title = `Rollouts of ${row.cells[1].textContent} under ${executor}`;
        const button = make("button", text.textContent, { type: "button", "aria-expanded": "false", "aria-label": `${text.textContent}: ${title}` });
        button.addEventListener("click", () => toggle(button, cell, title));
        text.replaceChildren(button);
      }
    };
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && shown) location.hash = "list";
    });
    route();
  });
})();
