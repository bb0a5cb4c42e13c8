"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const typing = (target) => target.closest?.("textarea, select, input:not([type=radio])");
  const plain = (event) => !event.ctrlKey && !event.metaKey && !event.altKey;
  const click = (selector) => { const found = document.querySelector(selector); if (found) found.click(); return !!found; };

  // Filters are sent as soon as they are chosen; empty ones are left out of the address.
  function asked(form) {
    const go = () => {
      const query = new URLSearchParams();
      for (const [name, value] of new FormData(form)) if (value) query.append(name, value);
      location.assign(`${form.getAttribute("action")}?${query}`);
    };
    form.addEventListener("submit", (event) => { event.preventDefault(); go(); });
    for (const select of form.querySelectorAll("select")) select.addEventListener("change", go);
    const box = form.querySelector("input[type=search]");
    box?.addEventListener("search", () => { if (!box.value && new URLSearchParams(location.search).get("q")) go(); });
  }

  // A label is sent without leaving the page, so that a fault does not lose what was typed.
  function labelling(form) {
    let busy = false;
    const say = (text, bad) => {
      let told = form.querySelector(".said");
      if (!told) { told = document.createElement("p"); told.setAttribute("role", "status"); form.append(told); }
      told.className = bad ? "said bad" : "said";
      told.textContent = text;
    };
    async function send(withdrawn) {
      if (busy || !form.elements.rater.reportValidity()) return;
      const data = {};
      for (const [name, value] of new FormData(form)) if (value !== "") data[name] = value;
      const then = data.then;
      delete data.then;
      for (const name of Object.keys(data)) if (form.querySelector(`.grades [name="${name}"]`)) data[name] = Number(data[name]);
      const body = withdrawn ? { id: data.id, rater: data.rater, withdrawn: true } : data;
      busy = true;
      try {
        const answer = await fetch(form.getAttribute("action"), {
          method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), credentials: "same-origin",
        });
        if (answer.ok) { location.assign(withdrawn ? location.href : then); return; }
        say((await answer.json()).error || `refused: ${answer.status}`, true);
      } catch { say("The viewer does not answer; your label is not saved.", true); }
      busy = false;
    }
    form.addEventListener("submit", (event) => { event.preventDefault(); send(event.submitter?.name === "withdrawn"); });
    addEventListener("keydown", (event) => {
      if (typing(event.target) || !plain(event)) return;
      const choice = form.querySelector(`input[data-key="${CSS.escape(event.key)}"]`);
      if (choice) { event.preventDefault(); choice.checked = true; send(false); }
      else if (event.key === "u" && form.querySelector("[name=withdrawn]")) { event.preventDefault(); send(true); }
      else if (event.key === "n") { event.preventDefault(); form.elements.note.focus(); }
    });
    form.elements.note.addEventListener("keydown", (event) => {
      if (event.key === "Escape") event.target.blur();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); send(false); }
    });
  }

  function keys(event) {
    if (typing(event.target) || !plain(event)) return;
    if (event.key === "j") click(".pager .next");
    else if (event.key === "k") click(".pager .previous") || (document.querySelector("form.label") && history.back());
    else if (event.key === "/") {
      const box = document.querySelector(".asked input[type=search]");
      if (box) { event.preventDefault(); box.focus(); box.select(); }
    }
  }

  // A page of what goes on asks now and then whether there is more to show, and takes over what is new.
  function live(region) {
    const every = 2000;
    let stamp = null;
    let faults = 0;
    const notice = document.createElement("p");
    notice.className = "lost";
    notice.setAttribute("role", "status");
    async function renew() {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      if (!answer.ok) return false;
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = made.getElementById("live");
      const active = region.contains(document.activeElement) ? document.activeElement : null;
      if (!fresh || (active && typing(active))) return false;
      const href = active?.getAttribute("href");
      region.replaceChildren(...fresh.childNodes);
      if (href) region.querySelector(`a[href="${CSS.escape(href)}"]`)?.focus({ preventScroll: true });
      document.title = made.title;
      for (const selector of ["h1", ".subtitle"]) {
        const [old, now] = [document.querySelector(selector), made.querySelector(selector)];
        if (old && now) old.textContent = now.textContent;
      }
      if (fresh.dataset.live) region.dataset.live = fresh.dataset.live;
      else delete region.dataset.live;
      region.querySelectorAll("form.asked").forEach(asked);
      return true;
    }
    // The first time too: what is shown may be older than the first answer. What could not be shown is tried again.
    async function look() {
      if (!region.dataset.live) return;
      let wait = every;
      if (!document.hidden) {
        try {
          const answer = await fetch(region.dataset.live, { credentials: "same-origin" });
          if (answer.status === 404) { notice.textContent = "This run is gone."; document.body.append(notice); return; }
          const told = await answer.json();
          if (stamp !== told.stamp && await renew()) stamp = told.stamp;
          faults = 0;
          notice.remove();
        } catch {
          faults += 1;
          notice.textContent = "The viewer does not answer.";
          if (faults > 1) document.body.append(notice);
          wait = Math.min(30000, every * 2 ** faults);
        }
      }
      setTimeout(look, wait);
    }
    look();
  }

  addEventListener("keydown", keys);
  document.querySelectorAll("form.asked").forEach(asked);
  document.querySelectorAll("form.label").forEach(labelling);
  document.querySelectorAll("#live[data-live]").forEach(live);
})();
