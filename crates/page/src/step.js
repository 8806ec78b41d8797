"use strict";
// Steps through the boards of a page by links, keys, swipes and by itself. Without JavaScript all boards are in the page, and links show one
// of them. With it only the board that is shown is built. Many boards are text in a noscript element then, because browsers take seconds to
// build hundreds; a few are moved into a template, where a copy of the page that is saved while it is open still has them.

// A page that is saved while it is open contains what scripts have put into it. They will put it there again.
for (const made of document.querySelectorAll("[data-made]")) made.remove();

// Scrolls the list of entries to a link in it, without scrolling the page: just before the page is painted, so that the browser lays it
// out once and not twice.
const scrollList = (link) => requestAnimationFrame(() => {
  const list = link.closest(".entries");
  if (list && list.scrollHeight > list.clientHeight + 4) list.scrollTop += link.getBoundingClientRect().top - list.getBoundingClientRect().top - 80;
});

const stepper = (() => {
  const live = document.getElementById("live");
  const holder = document.getElementById("board");
  const kept = document.getElementById("kept");
  let store = document.createDocumentFragment();
  if (kept && kept.localName === "noscript") store = new DOMParser().parseFromString(kept.textContent, "text/html");
  else if (kept && kept.localName === "template") store = kept.content;
  else if (kept) {
    const template = document.createElement("template");
    template.id = "kept";
    store = template.content;
    store.append(...kept.childNodes);
    kept.replaceWith(template);
  }
  const boards = [...store.querySelectorAll("section.board")];
  if (!boards.length) return { stop() {} };
  let playing = 0;
  let off = false;
  const now = () => {
    const at = boards.findIndex((board) => "#" + board.id === location.hash);
    return at < 0 ? boards.length - 1 : at;
  };
  // A board to be shown, and its words. The drawings and phrases that it names are in the page already; its description becomes one element,
  // because browsers read a hundred or so elements of a description and no more.
  const built = (at) => {
    const section = document.importNode(boards[at], true);
    const svg = section.querySelector("svg");
    const phrases = svg.getAttribute("aria-describedby").split(" ");
    const text = phrases.map((id) => document.getElementById(id).textContent).join("");
    const description = document.createElementNS("http://www.w3.org/2000/svg", "desc");
    description.id = "d" + section.id;
    description.textContent = text;
    svg.setAttribute("aria-describedby", description.id);
    svg.prepend(description);
    for (const part of section.querySelectorAll("nav,details")) part.remove();
    return { section, text };
  };
  const show = () => {
    const at = now();
    const { section, text } = built(at);
    section.classList.add("now");
    holder.replaceChildren(section);
    [0, at - 1, at + 1, boards.length - 1].forEach((to, nth) => {
      if (boards[to] && to !== at) links[nth].href = "#" + boards[to].id;
      else links[nth].removeAttribute("href");
    });
    words.lastChild.textContent = text;
    const before = document.querySelector(".entries [aria-current]");
    if (before) before.removeAttribute("aria-current");
    const link = document.querySelector(`.entries a[href="#${boards[at].id}"]`);
    link.setAttribute("aria-current", "true");
    scrollList(link);
    return section.querySelector("h2").textContent + ". " + (text.match(/^Last move:.*$/m) || [""])[0];
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
  const hint = document.createElement("p");
  hint.className = "when tools";
  hint.textContent = "Step with the arrow keys, Home and End, or swipe across the board.";
  const words = document.createElement("details");
  words.append(document.createElement("summary"), document.createElement("p"));
  words.firstChild.textContent = "The position in words";
  words.lastChild.className = "words";
  const bar = document.getElementById("ends");
  const [first, last] = [bar.firstElementChild, bar.lastElementChild];
  const [previous, next] = ["Previous", "Next"].map((text) => {
    const link = document.createElement("a");
    link.textContent = text;
    return link;
  });
  const links = [first, previous, next, last];
  bar.replaceChildren(first, previous, button, next, last);
  for (const made of [hint, words]) made.dataset.made = "";
  bar.after(hint, words);
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
  addEventListener("hashchange", () => {
    if (off) return;
    live.textContent = show();
    // From the list of entries on a small screen the board may be out of sight.
    const { top } = holder.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) holder.scrollIntoView();
  });
  // Print shows every board.
  addEventListener("beforeprint", () => {
    if (!off) holder.replaceChildren(...boards.map((_, at) => built(at).section));
  });
  addEventListener("afterprint", () => {
    if (!off) show();
  });
  show();
  return {
    stop() {
      stop();
      off = true;
    },
  };
})();
