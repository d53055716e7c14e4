"use strict";
// Draws the panels out of the JSON in the page. Text of the data goes in as text, never as markup.
(() => {
  const SHOWN = 100; // rows of a table at first, and more at each press of the button
  const LETTER = 6.5; // pixels of a letter in a chart
  const collator = new Intl.Collator("en", { numeric: true });
  const grouped = new Intl.NumberFormat("en");

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  // A column comes with its values, or with distinct values and the place of each row's.
  function decoded(column) {
    const { distinct, values } = column;
    const all = distinct ? values.map((at) => (at === null ? null : distinct[at])) : values;
    return { ...column, values: all };
  }

  function shown(value, column) {
    if (value === null) return "";
    if (column.kind === "flag") return value ? "yes" : "no";
    if (column.kind === "text" || column.unit === "year") return String(value);
    if (column.unit === "%") return value.toFixed(1) + " %";
    if (column.kind === "integer") return grouped.format(value);
    return value !== 0 && Math.abs(value) < 0.01 ? value.toPrecision(2) : value.toFixed(3);
  }

  const panels = JSON.parse(document.getElementById("panels").textContent).map(
    (panel) => ({ ...panel, columns: panel.columns.map(decoded) }));
  // Where uses of a word are quoted: the panel, by the word.
  const quoted = new Map(panels.filter((panel) => panel.kind === "uses").flatMap((panel) =>
    panel.columns.find((column) => column.name === panel.key).values.map((word) => [word, panel])));

  // A cell's text; a word whose uses are quoted leads to them.
  function inCell(value, column) {
    const text = shown(value, column);
    const panel = quoted.get(value);
    if (!panel || column.name !== panel.key) return text;
    const link = make("a", { href: `#${panel.id}`, title: "uses in context" }, text);
    link.addEventListener("click", () => {
      choosers.forEach((other) => { if (other.key === panel.key) other.follow(value); });
    });
    return link;
  }

  function compare(one, other) {
    return typeof one === "string" ? collator.compare(one, other) : one - other;
  }

  // Rows without a value come last, whichever the direction.
  function sorted(rows, values, direction) {
    return [...rows].sort((one, other) => {
      const [a, b] = [values[one], values[other]];
      if (a === null || b === null) return (a === null) - (b === null) || one - other;
      return direction * compare(a, b) || one - other;
    });
  }

  const isNumber = (column) => column.kind === "integer" || column.kind === "float";

  // A table of `rows` (places in the columns): sortable, and with many rows searchable.
  function table(columns, rows, label) {
    let matching = rows;
    let order = null;
    let limit = SHOWN;
    const body = make("tbody");
    const status = make("p", { role: "status" });
    const more = make("button", { type: "button" }, "Show more rows");
    const search = make("input", { type: "search", "aria-label": `Search ${label}`, placeholder: "Search" });
    const texts = columns.filter((column) => column.kind === "text");

    function draw() {
      const { column, direction } = order ?? {};
      const all = column ? sorted(matching, column.values, direction) : matching;
      body.replaceChildren(...all.slice(0, limit).map((row) => make("tr", {}, ...columns.map((cell) => {
        const text = shown(cell.values[row], cell);
        const kind = isNumber(cell) ? "number" : text.length < 20 ? "short" : "long";
        return make("td", { class: kind }, inCell(cell.values[row], cell));
      }))));
      more.hidden = all.length <= limit;
      const found = matching.length < rows.length ? `${grouped.format(matching.length)} of ` : "";
      const cut = more.hidden ? "" : `, the first ${grouped.format(limit)} shown`;
      status.textContent = `${found}${grouped.format(rows.length)} rows${cut}`;
    }

    const heads = columns.map((column) => {
      const head = make("th", { scope: "col", class: isNumber(column) ? "number" : "" });
      const button = make("button", { type: "button" }, column.name);
      button.addEventListener("click", () => {
        const first = isNumber(column) || column.kind === "flag" ? -1 : 1;
        order = { column, direction: order?.column === column ? -order.direction : first };
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", order.direction > 0 ? "ascending" : "descending");
        draw();
      });
      head.append(button);
      return head;
    });
    search.addEventListener("input", () => {
      const wanted = search.value.trim().toLowerCase();
      matching = rows.filter((row) => texts.some(
        (column) => (column.values[row] ?? "").toLowerCase().includes(wanted)));
      if (!wanted) matching = rows;
      limit = SHOWN;
      draw();
    });
    more.addEventListener("click", () => { limit += 5 * SHOWN; draw(); });

    const tools = make("div", { class: "tools" });
    if (rows.length > 10 && texts.length) tools.append(search);
    tools.append(status, more);
    const scroll = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label });
    scroll.append(make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body));
    draw();
    return make("div", { class: "rows" }, ...(rows.length > 10 ? [tools] : []), scroll);
  }

  function every(columns) {
    return [...(columns[0]?.values ?? []).keys()];
  }

  function meanings(columns) {
    const told = columns.filter((column) => column.doc);
    if (!told.length) return [];
    const list = make("dl");
    for (const { name, doc, unit } of told) {
      list.append(make("dt", {}, name), make("dd", {}, unit ? `${doc} (${unit})` : doc));
    }
    return [make("details", {}, make("summary", {}, "What the columns mean"), list)];
  }

  function drawRows(panel, place) {
    place.append(table(panel.columns, every(panel.columns), panel.title), ...meanings(panel.columns));
  }

  const choosers = []; // what is chosen in one panel is chosen in others by the same name

  // Tools to choose one of the values of a column; `draw` is given its rows, in their order.
  function chooser(panel, place, draw) {
    const key = panel.columns.find((column) => column.name === panel.key);
    const byKey = new Map();
    key.values.forEach((value, row) => {
      if (!byKey.has(value)) byKey.set(value, []);
      byKey.get(value).push(row);
    });
    const options = [...byKey.keys()].map((value) => make("option", { value }, value));
    const status = make("p", { role: "status" });
    const id = `${place.id}-word`;
    const label = make("label", { for: id }, `${panel.key}: `);
    let input;
    let drawn;
    const extra = [];
    if (panel.listed) {
      input = make("select", { id }, ...options);
    } else {
      const list = make("datalist", { id: `${place.id}-words` }, ...options);
      input = make("input", { list: list.id, id, autocomplete: "off" });
      extra.push(list);
      input.addEventListener("focus", () => input.select());
    }

    function show(value) {
      status.textContent = "";
      if (value === drawn) return undefined;
      drawn = value;
      return draw(byKey.get(value), value);
    }
    function choose() {
      const asked = input.value;
      const value = [asked, asked.trim(), asked.trim().toLowerCase()].find((text) => byKey.has(text));
      if (value === undefined) {
        status.textContent = `none is called so; there are ${grouped.format(byKey.size)}, for example ` +
          [...byKey.keys()].slice(0, 3).join(", ");
        return;
      }
      show(value);
      choosers.forEach((other) => { if (other.key === panel.key && other.input !== input) other.follow(value); });
    }
    input.addEventListener("change", choose);
    input.addEventListener("input", () => { if (byKey.has(input.value.trim())) choose(); });
    place.append(make("div", { class: "tools" }, make("span", {}, label, input), ...extra, status));
    choosers.push({
      key: panel.key, input,
      follow(value) {
        if (!byKey.has(value)) return;
        input.value = value;
        show(value);
      },
    });
    if (!byKey.size) return undefined;
    input.value = byKey.keys().next().value;
    return () => show(byKey.keys().next().value);
  }

  function across(panel) {
    const column = panel.columns.find((one) => one.name === panel.across);
    return { column, names: column ? [...new Set(column.values)] : [null] };
  }

  function drawChoice(panel, place) {
    const { column: apart, names } = across(panel);
    const rest = panel.columns.filter((column) => column.name !== panel.key && column !== apart);
    const side = make("div", { class: "side" });
    const first = chooser(panel, place, (rows, value) => {
      side.replaceChildren(...names.map((name) => {
        const own = apart ? rows.filter((row) => apart.values[row] === name) : rows;
        const title = name === null ? `${panel.title}: ${value}` : `${value}, ${name}`;
        const inner = own.length ? table(rest, own, title) : make("p", {}, "none");
        return name === null ? make("div", {}, inner) : make("div", {}, make("h4", {}, title), inner);
      }));
    });
    first?.();
    place.append(side, ...meanings(panel.columns));
  }

  // Uses in context, a line each: left to the word, the word, and what follows it.
  function drawUses(panel, place) {
    const { column: apart, names } = across(panel);
    const [before, use, after, from] = ["before", "use", "after", "from"].map(
      (name) => panel.columns.find((column) => column.name === name).values);
    const all = make("div");
    const first = chooser({ ...panel, listed: true }, place, (rows, value) => {
      all.replaceChildren(...names.flatMap((name) => {
        const own = rows.filter((row) => apart.values[row] === name);
        const title = `${value}, ${name}`;
        const lines = own.map((row) => make("tr", {},
          make("td", { class: "before" }, before[row]),
          make("td", { class: "use" }, make("mark", {}, use[row])),
          make("td", { class: "after" }, after[row], make("span", { class: "from" }, ` (${from[row]})`))));
        const inner = lines.length ? make("table", { class: "uses", "aria-label": title },
          make("tbody", {}, ...lines)) : make("p", {}, "none");
        return [make("h4", {}, title), inner];
      }));
    });
    first?.();
    place.append(all);
  }

  const tip = make("div", { class: "tip", role: "tooltip", hidden: "" });

  function tooltip(_, event, __, value) {
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    const lines = typeof value === "object" ? Object.entries(value).map(([k, v]) => `${k}: ${v}`) : [value];
    tip.textContent = lines.join("\n");
    const [left, top] = [event.clientX + 14, event.clientY + 14];
    tip.style.left = `${Math.max(0, Math.min(left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(0, Math.min(top, innerHeight - tip.offsetHeight - 8))}px`;
  }

  function drawChart(panel, place) {
    // Vega names and gives a role to the element that it draws in, so ours are on another around it.
    const chart = make("div", { class: "chart" });
    const image = make("div", { role: "img", "aria-label": `${panel.title}. ${panel.text}` }, chart);
    const numbers = make("details", {}, make("summary", {}, "The numbers as a table"));
    numbers.addEventListener("toggle", () => {
      if (numbers.childElementCount === 1) drawRows(panel, numbers);
    });
    let view = null;
    let turn = 0;

    // A chart as it has room here: legends in as many columns as names need, a square no wider than the page.
    function fitted(values) {
      const width = place.clientWidth || 800;
      const spec = { ...panel.spec, data: { values } };
      const layers = [spec, ...(spec.layer ?? [])];
      const domains = layers.flatMap(({ encoding }) => {
        const { field, scale } = encoding?.color ?? {};
        return field ? [scale?.domain ?? [...new Set(values.map((value) => value[field]))]] : [];
      });
      const longest = Math.max(1, ...domains.flat().map((name) => String(name).length));
      const columns = Math.max(1, Math.min(4, Math.floor(width / (LETTER * longest + 34))));
      const legend = { ...spec.config?.legend, columns, labelLimit: Math.min(240, width - 40) };
      spec.config = { ...spec.config, legend };
      if (typeof spec.width === "number") spec.width = spec.height = Math.min(spec.width, width - 45);
      return spec;
    }

    async function draw(rows) {
      const own = ++turn;
      const values = rows.map((row) => Object.fromEntries(
        panel.columns.map((column) => [column.name, column.values[row]])));
      const spec = fitted(values);
      // `ast`: expressions are interpreted, not compiled, so that the page's policy forbids eval.
      const options = { mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip };
      try {
        view?.finalize();
        view = null;
        const made = await vegaEmbed(chart, spec, options);
        if (own === turn) view = made;
        else made.finalize();
      } catch (error) {
        chart.textContent = `The chart could not be drawn: ${error.message}`;
        console.error(error);
      }
    }
    const first = panel.key
      ? chooser({ ...panel, listed: true }, place, draw)
      : () => draw(every(panel.columns));
    place.append(image, numbers);
    return first?.();
  }

  const DRAW = { chart: drawChart, rows: drawRows, choice: drawChoice, uses: drawUses };
  const THEMES = { "": "as the system", light: "light", dark: "dark" };

  document.getElementById("theme").addEventListener("click", ({ target }) => {
    const names = Object.keys(THEMES);
    const root = document.documentElement;
    const next = names[(names.indexOf(root.dataset.theme ?? "") + 1) % names.length];
    if (next) root.dataset.theme = next;
    else delete root.dataset.theme;
    target.textContent = `Theme: ${THEMES[next]}`;
  });

  document.body.append(tip);
  const drawn = panels.map((panel) => DRAW[panel.kind](panel, document.getElementById(panel.id)));
  Promise.all(drawn).then(() => { document.documentElement.dataset.drawn = "true"; });
})();
