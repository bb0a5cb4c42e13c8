"use strict";
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const memory = {
    get: () => { try { return localStorage.getItem("assay-theme"); } catch { return null; } },
    set: (theme) => { try { localStorage.setItem("assay-theme", theme); } catch { /* a private window forgets */ } },
  };
  const remembered = memory.get();
  if (remembered === "dark" || remembered === "light") root.dataset.theme = remembered;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);

  function themeButton() {
    const button = document.getElementById("theme");
    const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
    button.title = "Switch between light and dark";
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      memory.set(root.dataset.theme);
      name();
    });
    dark.addEventListener("change", name);
    button.hidden = false;
    name();
  }

  function currentSection() {
    const links = new Map([...document.querySelectorAll("nav a")].map((a) => [a.getAttribute("href").slice(1), a]));
    if (!links.size || !("IntersectionObserver" in window)) return;
    const visible = new Set();
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) visible[entry.isIntersecting ? "add" : "delete"](entry.target.id);
      const first = [...links.keys()].find((id) => visible.has(id));
      if (!first) return;
      for (const [id, a] of links) {
        if (id === first) a.setAttribute("aria-current", "true");
        else a.removeAttribute("aria-current");
      }
      const link = links.get(first);
      const strip = link.closest("ol");
      strip.scrollLeft = link.offsetLeft - strip.offsetLeft - strip.clientWidth / 3;
    }, { rootMargin: "-10% 0px -60% 0px" });
    for (const section of document.querySelectorAll("main > section")) observer.observe(section);
  }

  const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

  function fillIn(link) {
    const text = document.getElementById(link.getAttribute("href").slice(1));
    if (text) link.replaceWith(text.textContent);
  }

  function filters(list) {
    const controls = list.querySelector(".controls");
    const search = controls.querySelector("input");
    const selects = [...controls.querySelectorAll("select")];
    const output = controls.querySelector("output");
    const opener = controls.querySelector("button");
    const items = [...list.querySelectorAll(":scope > details")].map((node) => ({
      node, numbers: (node.dataset.f || "").split(" "), text: null,
    }));
    const total = items.length.toLocaleString("en");

    function apply() {
      const words = folded(search.value).split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const item of items) {
        let fits = selects.every((select, i) => !select.value || select.value === item.numbers[i]);
        if (fits && words.length) {
          item.text ??= folded(item.node.textContent);
          fits = words.every((word) => item.text.includes(word));
        }
        item.node.hidden = !fits;
        shown += fits;
      }
      output.textContent = `${shown.toLocaleString("en")} of ${total}`;
    }

    search.addEventListener("input", apply);
    search.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      if (search.value) { search.value = ""; apply(); } else search.blur();
    });
    for (const select of selects) select.addEventListener("change", apply);
    opener.addEventListener("click", () => {
      const open = opener.textContent === "Open all";
      for (const item of items) if (!item.node.hidden) item.node.open = open;
      opener.textContent = open ? "Close all" : "Open all";
    });
    controls.hidden = false;
    apply();
  }

  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const boxes = [...document.querySelectorAll(".items input")];
    const box = boxes.find((input) => input.getBoundingClientRect().bottom > 0) || boxes[0];
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
  });

  addEventListener("DOMContentLoaded", () => {
    themeButton();
    currentSection();
    document.querySelectorAll(".items dd > a").forEach(fillIn);
    document.querySelectorAll(".items").forEach(filters);
  });
})();
