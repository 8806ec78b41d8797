// Begins the page: unpacks the module, reads what is kept, and listens.
import { render } from "preact";
import { kept } from "../store/kept";
import { app } from "./app";
import { installed } from "./install";
import { file_text, module_bytes, referee } from "./referee";
import { reader } from "./tools";
import { Screen } from "./views/screen";
import { type HomeLike, world } from "./world";

/** So many boards are printed at most. */
const MOST_PRINTED = 400;

const typing = (event: Event): boolean => event.target instanceof Element && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);

const listen = (): void => {
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    const text = event.dataTransfer?.getData("text") || "";
    if (file) reader.file(file);
    else if (text.trim()) reader.text(text);
  });
  addEventListener("hashchange", () => {
    if (!app.opened || !/^#e[0-9]+$/.test(location.hash)) return;
    app.tab = "board";
    app.show(Number(location.hash.slice(2)));
  });
  addEventListener("popstate", () => {
    app.stepped();
  });
  document.addEventListener("keydown", (event) => {
    if (!app.opened || event.ctrlKey || event.altKey || event.metaKey || typing(event)) return;
    const to = ({ ArrowLeft: app.at - 1, ArrowRight: app.at + 1, Home: 0, End: app.opened.entries.length } as Record<string, number>)[
      event.key
    ];
    // In a lesson there is nothing to look back at until it is solved.
    if (to === undefined || (app.lesson && !app.lesson.solved)) return;
    event.preventDefault();
    app.stop();
    app.go(to);
  });
  addEventListener("beforeprint", () => {
    app.printing = Boolean(app.opened) && app.opened.entries.length <= MOST_PRINTED;
    world.render();
  });
  addEventListener("afterprint", () => {
    app.printing = false;
    if (app.opened) world.render();
  });
  addEventListener("beforeunload", (event) => kept.lost && event.preventDefault());
  let from: Touch | null = null;
  document.addEventListener(
    "touchstart",
    (event) => {
      from =
        (event.touches.length === 1 && event.target instanceof Element && event.target.closest(".strip, .status") && event.touches[0]) ||
        null;
    },
    { passive: true },
  );
  document.addEventListener(
    "touchend",
    (event) => {
      const to = event.changedTouches[0];
      if (!app.opened || !from || !to || (app.lesson && !app.lesson.solved)) return;
      const dx = to.clientX - from.clientX;
      if (Math.abs(dx) > 60 && Math.abs(dx) > 2 * Math.abs(to.clientY - from.clientY)) app.go(app.at + (dx < 0 ? 1 : -1));
      from = null;
    },
    { passive: true },
  );
};

export const start = async (home: HomeLike): Promise<void> => {
  const page = document.getElementById("page") as HTMLElement;
  const link = document.getElementById("record");
  world.home = home;
  world.render = () => {
    const chosen = document.activeElement instanceof HTMLElement && document.activeElement.dataset.action !== undefined;
    render(<Screen />, page);
    // What was chosen is gone; the work goes on with what may follow.
    if (chosen && !document.activeElement?.matches("[data-action]"))
      document.querySelector<HTMLElement>(".choices [data-action], #enter")?.focus();
  };
  try {
    // The board of the page is painted before the module is unpacked. A page in the background is never painted.
    await new Promise<void>((done) => {
      requestAnimationFrame(() => setTimeout(done));
      setTimeout(done, 100);
    });
    await referee.load(await module_bytes(document.getElementById("module") as HTMLElement));
    await kept.open();
    kept.changed = () => app.followed();
    await home.start();
  } catch (error) {
    const told = document.createElement("p");
    told.className = "bad wide";
    told.dataset.made = "";
    told.textContent = `The referee in this page cannot be started by this browser: ${error instanceof Error ? error.message : error}`;
    page.append(told);
    return;
  }
  listen();
  if (link) app.home = file_text(link.getAttribute("href") || "");
  page.replaceChildren();
  page.className = "app";
  document.body.classList.add("app");
  if (!link || !app.take(app.home)) app.drawn();
  installed.start();
  performance.measure("ready");
  document.documentElement.dataset.ready = "yes";
};
