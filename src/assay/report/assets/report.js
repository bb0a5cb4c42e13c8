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
    if (!button) return;
    const name = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", isDark() ? "Switch to light" : "Switch to dark");
    };
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
    const links = new Map([...document.querySelectorAll("nav a[href^='#']")].map((a) => [a.getAttribute("href").slice(1), a]));
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

  addEventListener("DOMContentLoaded", () => {
    themeButton();
    currentSection();
  });
})();
