(() => {
  const STEP = 200;
  const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const lists = [];

  function make(name, className, text) {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  class List {
    constructor(root) {
      this.root = root;
      this.data = JSON.parse(root.querySelector("script").textContent);
      this.rows = root.querySelector(".rows");
      this.more = root.querySelector(".more");
      this.controls = root.querySelector(".controls");
      this.search = this.controls.querySelector("input");
      this.selects = [...this.controls.querySelectorAll("select")];
      this.output = this.controls.querySelector("output");
      this.items = this.data.items.map((item, number) => ({ item, number, node: null, words: null }));
      this.search.addEventListener("input", () => this.apply());
      for (const select of this.selects) select.addEventListener("change", () => this.apply());
      this.more.addEventListener("click", () => this.grow());
      this.controls.hidden = false;
      this.apply();
    }

    text(number) { return this.data.texts[number]; }

    id(entry) { return this.text(entry.item[0]); }

    words(entry) {
      const [id, title, , , tags, fields, , rankings] = entry.item;
      const found = [id, title, ...tags.map((tag) => tag[1]), ...fields.map((field) => field[1])];
      for (const ranking of rankings) found.push(...ranking[3].map((place) => this.data.passages[place][0]));
      return folded(found.map((number) => this.text(number)).join("\n"));
    }

    fits(entry, words) {
      if (!this.selects.every((select, i) => !select.value || Number(select.value) === entry.item[3][i])) return false;
      if (!words.length) return true;
      entry.words ??= this.words(entry);
      return words.every((word) => entry.words.includes(word));
    }

    apply() {
      const words = folded(this.search.value).split(/\s+/).filter(Boolean);
      this.found = this.items.filter((entry) => this.fits(entry, words));
      this.rows.replaceChildren();
      this.shown = 0;
      this.grow();
      const [shown, all] = [this.found.length, this.items.length].map((n) => n.toLocaleString("en"));
      this.output.textContent = `${shown} of ${all}`;
    }

    grow(upTo = this.shown + STEP) {
      const next = this.found.slice(this.shown, upTo);
      this.rows.append(...next.map((entry) => this.row(entry)));
      this.shown += next.length;
      const left = this.found.length - this.shown;
      this.more.hidden = !left;
      this.more.textContent = left > STEP ? `Show ${STEP} more of ${left.toLocaleString("en")}` : `Show the last ${left}`;
    }

    row(entry) {
      if (entry.node) return entry.node;
      const [id, title, tone, , tags] = entry.item;
      const node = make("details", this.text(tone) === "plain" ? "" : this.text(tone));
      const summary = make("summary");
      summary.append(make("code", "", this.text(id)), make("span", "", this.text(title)));
      if (tags.length && this.text(tags[0][1])) summary.append(make("em", "", this.text(tags[0][1])));
      node.append(summary);
      node.addEventListener("toggle", () => {
        if (!node.open) return;
        if (node.childElementCount === 1) node.append(this.body(entry));
        this.point(entry);
      });
      entry.node = node;
      return node;
    }

    point(entry) {
      try { history.replaceState(null, "", this.link(entry)); } catch { /* a page without an address of its own */ }
    }

    link(entry) { return `#q=${encodeURIComponent(this.id(entry))}`; }

    body(entry) {
      const [, , , , tags, fields, facts, rankings] = entry.item;
      const body = make("div", "case");
      const line = make("p", "tags", tags.map(([name, value]) => `${this.text(name)}: ${this.text(value)}`).join(" · "));
      const link = make("a", "link", "link");
      link.href = this.link(entry);
      link.title = "The address of this question";
      line.append(" ", link);
      const list = make("dl", "fields");
      for (const [label, text, mono] of fields) {
        const name = this.text(label);
        list.append(make("dt", name.length > 40 ? "wide" : "", name), make("dd", mono ? "mono" : "", this.text(text)));
      }
      body.append(line, list);
      const about = this.about(entry);
      if (about) body.append(about);
      for (const each of facts) body.append(...this.facts(each));
      for (const each of rankings) body.append(...this.ranking(each));
      return body;
    }

    about(entry) {
      const id = entry.item[8] < 0 ? "" : this.text(entry.item[8]);
      const found = id ? find(id) : null;
      if (!found || found.entry.item[8] >= 0) return null;
      const line = make("p", "about");
      const link = make("a", "", "The question, with everything about it");
      link.href = `#q=${encodeURIComponent(id)}`;
      link.addEventListener("click", (event) => {
        event.preventDefault();
        found.list.show(found.entry);
      });
      line.append(link);
      return line;
    }

    facts([title, pairs]) {
      const list = make("dl", "facts");
      for (const [name, value] of pairs) {
        const pair = make("div");
        pair.append(make("dt", "", this.text(name)), make("dd", "", this.text(value)));
        list.append(pair);
      }
      return [make("h4", "", this.text(title)), list];
    }

    ranking([title, scale, empty, places, scores, ranks, expected, seen]) {
      const unit = this.text(scale);
      const heading = make("h4", "", unit ? `${this.text(title)} (${unit})` : this.text(title));
      if (!places.length) return [heading, make("p", "tags", this.text(empty))];
      const list = make("ol", "ranking");
      places.forEach((place, i) => {
        const [id, where, text] = this.data.passages[place].map((number) => this.text(number));
        const rank = ranks ? ranks[i] : i + 1;
        const line = [make("span", "rank", rank ?? ""), make("code", "", id), make("span", "where", where)];
        if (expected.includes(i)) line.push(make("em", "is-expected", "expected"));
        if (seen.includes(i)) line.push(make("em", "is-seen", "seen"));
        line.push(make("span", "score", scores ? scores[i] : ""));
        const row = make("li");
        if (text) {
          const opened = make("details");
          const summary = make("summary");
          summary.append(...line);
          opened.append(summary, make("p", "mono", text));
          row.append(opened);
        } else {
          const plain = make("div", "line");
          plain.append(...line);
          row.append(plain);
        }
        list.append(row);
      });
      return [heading, list];
    }

    show(entry) {
      if (!this.found.includes(entry)) {
        this.search.value = "";
        for (const select of this.selects) select.value = "";
        this.apply();
      }
      this.grow(Math.max(this.shown, this.found.indexOf(entry) + 1));
      this.focus(entry);
      entry.node.open = true;
      this.point(entry);
      entry.node.scrollIntoView({ block: "start" });
    }

    focus(entry) { entry.node.querySelector("summary").focus({ preventScroll: false }); }

    move(step) {
      const at = this.found.findIndex((entry) => entry.node?.contains(document.activeElement));
      const next = at < 0 ? 0 : Math.min(Math.max(at + step, 0), this.found.length - 1);
      if (next >= this.shown) this.grow();
      if (this.found[next]) this.focus(this.found[next]);
    }

    close() {
      const entry = this.found.find((each) => each.node?.contains(document.activeElement));
      if (!entry?.node.open) return false;
      entry.node.open = false;
      this.focus(entry);
      return true;
    }
  }

  function nearest() {
    const own = lists.find((list) => list.root.contains(document.activeElement));
    const seen = lists.filter((list) => list.root.getBoundingClientRect().bottom > 0);
    return own || seen[0] || lists[0];
  }

  function find(id) {
    for (const own of [true, false]) {
      for (const list of lists) {
        const entry = list.items.find((each) => list.id(each) === id && each.item[8] < 0 === own);
        if (entry) return { list, entry };
      }
    }
    return null;
  }

  function follow() {
    if (!location.hash.startsWith("#q=")) return;
    let id;
    try { id = decodeURIComponent(location.hash.slice(3)); } catch { return; }
    const found = find(id);
    if (found) found.list.show(found.entry);
  }

  function searching(list, event) {
    if (event.key === "Escape") {
      if (list.search.value) { list.search.value = ""; list.apply(); } else list.search.blur();
    } else if (event.key === "ArrowDown") list.move(1);
    else return;
    event.preventDefault();
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !lists.length) return;
    const list = nearest();
    if (event.target === list.search) { searching(list, event); return; }
    if (event.target.closest?.("input, select, textarea, .scroll")) return;
    const inside = list.root.contains(document.activeElement);
    const moves = { j: 1, k: -1, ...(inside ? { ArrowDown: 1, ArrowUp: -1 } : {}) };
    if (event.key === "/") { list.search.focus(); list.search.select(); }
    else if (event.key in moves) list.move(moves[event.key]);
    else if (event.key !== "Escape" || !list.close()) return;
    event.preventDefault();
  }

  addEventListener("keydown", pressed);
  addEventListener("hashchange", follow);
  addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".items").forEach((root) => lists.push(new List(root)));
    follow();
  });
})();
