"use strict";
// Steps through the boards of a page by keys, swipes and by itself. Without it the links in the page do the same.
const stepper = (() => {
  const live = document.getElementById("live");
  const boards = [...document.querySelectorAll("section.board")];
  if (boards.length < 2) return { stop() {} };
  let playing = 0;
  let off = false;
  const now = () => {
    const at = boards.findIndex((board) => "#" + board.id === location.hash);
    return at < 0 ? boards.length - 1 : at;
  };
  const told = () => {
    if (off) return;
    const at = now();
    const before = document.querySelector(".entries [aria-current]");
    if (before) before.removeAttribute("aria-current");
    const link = document.querySelector(`.entries a[href="#${boards[at].id}"]`);
    link.setAttribute("aria-current", "true");
    const list = link.closest(".entries");
    if (list.scrollHeight > list.clientHeight + 4) list.scrollTop = link.parentNode.offsetTop - list.offsetTop - 80;
    const ids = boards[at].querySelector("svg[role=img]").getAttribute("aria-describedby").split(" ");
    // A phrase that ends a line says so by a line break.
    const text = ids.map((id) => document.getElementById(id).textContent).join(" ").replace(/\n /g, "\n");
    words.querySelector("p").textContent = text;
    live.textContent = boards[at].querySelector("h2").textContent + ". " + (text.match(/^Last entry:.*$/m) || [""])[0];
  };
  const go = (at) => {
    at = Math.max(0, Math.min(boards.length - 1, at));
    if (at === now() && location.hash) return;
    location.replace("#" + boards[at].id);
  };
  const stop = () => {
    clearInterval(playing);
    playing = 0;
    button.textContent = "Play";
    button.setAttribute("aria-pressed", "false");
  };
  const button = document.createElement("button");
  button.type = "button";
  button.addEventListener("click", () => {
    if (playing) return stop();
    if (now() === boards.length - 1) go(0);
    playing = setInterval(() => (now() === boards.length - 1 ? stop() : go(now() + 1)), 1200);
    button.textContent = "Stop";
    button.setAttribute("aria-pressed", "true");
  });
  stop();
  const bar = document.createElement("div");
  bar.className = "bar tools";
  bar.append(button);
  const hint = document.createElement("span");
  hint.textContent = "Arrow keys, Home and End step; so does a swipe across the board.";
  bar.append(hint);
  const words = boards[boards.length - 1].querySelector("details");
  boards[0].parentNode.append(bar, words);
  const key = (event) => {
    if (off || event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const to = { ArrowLeft: now() - 1, ArrowRight: now() + 1, Home: 0, End: boards.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    stop();
    go(to);
  };
  document.addEventListener("keydown", key);
  let from = null;
  document.addEventListener("touchstart", (event) => {
    from = event.touches.length === 1 && event.target.closest(".board svg") ? event.touches[0] : null;
  }, { passive: true });
  document.addEventListener("touchend", (event) => {
    if (off || !from) return;
    const to = event.changedTouches[0];
    const dx = to.clientX - from.clientX;
    if (Math.abs(dx) > 40 && Math.abs(dx) > 2 * Math.abs(to.clientY - from.clientY)) go(now() + (dx < 0 ? 1 : -1));
    from = null;
  }, { passive: true });
  addEventListener("hashchange", told);
  told();
  return {
    stop() {
      stop();
      off = true;
    },
  };
})();
