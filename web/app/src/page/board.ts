// The board as the module draws it, with areas that can be tapped and marks for what can be done.
import { type Answer, referee } from "./referee";

const SVG = "http://www.w3.org/2000/svg";
type Area = [number, number, number, number];
interface Target {
  name: string;
  area: Area;
}
/** What is called with the names of the places at a tap, the topmost first, and where something is dragged from and to. */
export interface Taken {
  tapped(names: string[]): unknown;
  lifted(names: string[]): boolean;
  dropped(names: string[], from: string[]): unknown;
}
/** What is drawn over the board: pieces that were put down, and counts. */
export interface Over {
  place: string;
  text: string;
  kind: "placed" | "badge";
}

const is_square = (name: string): boolean => /^[a-z][0-9]$/.test(name);
const is_area = (name: string): boolean => /^[A-Z]{2}$/.test(name);
/** A card of a hand stands beside the board under its bare name. */
export const is_card = (name: string): boolean => /^[a-z][a-z-]+$/.test(name);

const element = (name: string, attributes: Record<string, string | number>): SVGElement => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
};

export const picture = (text: string): SVGSVGElement => {
  const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true) as unknown as SVGSVGElement;
  // Hidden because screen readers would read the letters on the board in addition to the description.
  for (const text of svg.querySelectorAll("text")) text.setAttribute("aria-hidden", "true");
  // A page has many pictures, and an id stands in it once.
  for (const one of svg.querySelectorAll("title, desc")) one.remove();
  svg.removeAttribute("aria-labelledby");
  return svg;
};

/** What of a picture is the board: without captions, captured pieces and hands, which are said elsewhere. */
const cut = (seen: Answer): Area => {
  const named = (test: (name: string) => boolean): Area[] =>
    seen.targets.filter(({ name }: Target) => test(name)).map(({ area }: Target) => area);
  const bounds = (areas: Area[]): Area => {
    const left = Math.min(...areas.map(([x]) => x));
    const top = Math.min(...areas.map(([, y]) => y));
    const right = Math.max(...areas.map(([x, , width]) => x + width));
    const bottom = Math.max(...areas.map(([, y, , height]) => y + height));
    return [left, top, right - left, bottom - top];
  };
  const squares = named(is_square);
  if (squares.length) {
    const [, top, , height] = bounds(squares);
    const above = Math.max(0, top - 10);
    return [0, above, seen.width, Math.min(seen.height - above, top + height + 42 - above)];
  }
  const areas = named(is_area);
  if (!areas.length) return [0, 0, seen.width, seen.height];
  const [left, top, width, height] = bounds(areas);
  return [left - 8, top - 8, width + 16, height + 16];
};

/** A sheet for what changes: what is set of an element itself would be saved with the page, which then may not set it again. */
const sheet = typeof CSSStyleSheet.prototype.replaceSync === "function" ? new CSSStyleSheet() : null;
if (sheet) document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

class Board {
  /** Whether the last press was a drag, after which a browser may report a click as well. */
  dragged = false;
  /** Whether what is pressed can be moved. */
  held = false;
  /** The area that is shown alone, if one is. */
  zoomed = "";
  private seen: Answer = null;
  private last = "";
  private svg: SVGSVGElement | null = null;

  /** Shows a position in `holder`. */
  show(holder: HTMLElement, look: object, taken: Taken | null): Answer {
    const seen = referee.ask({ call: "position", look: "classes", ...look });
    if (seen.error) {
      const told = document.createElement("p");
      told.className = "bad";
      told.textContent = seen.error;
      holder.replaceChildren(told);
      this.last = "";
      return seen;
    }
    const key = `${taken ? "to play" : "to look at"}${seen.svg}`;
    if (key !== this.last || !this.svg || this.svg.parentNode !== holder) {
      this.last = key;
      this.svg = this.drawn(seen, taken);
      holder.replaceChildren(this.svg);
    }
    this.seen = seen;
    this.frame(seen);
    return seen;
  }

  /** Forgets what was drawn, so that it is drawn anew. */
  forget(): void {
    this.last = "";
    this.zoomed = "";
  }

  private frame(seen: Answer): void {
    if (!this.svg) return;
    const zoom = seen.targets.find(({ name }: Target) => name === this.zoomed)?.area;
    const whole = cut(seen);
    // How high the whole board is, as a part of its width.
    sheet?.replaceSync(`:root{--ratio:${whole[3] / whole[2]}}`);
    const [x, y, width, height]: Area = zoom ? [zoom[0] - 16, zoom[1] - 16, zoom[2] + 32, zoom[3] + 32] : whole;
    this.svg.setAttribute("viewBox", [x, y, width, height].join(" "));
    for (const [key, value] of Object.entries({ x, y, width, height }))
      this.svg.querySelector("#cut rect")?.setAttribute(key, String(value));
  }

  private drawn(seen: Answer, taken: Taken | null): SVGSVGElement {
    const svg = picture(seen.svg);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", seen.words.replace(/\n/g, " "));
    const whole = element("g", { id: "drawn" });
    whole.append(...svg.childNodes);
    // What lies outside of the board is not seen, however wide the screen.
    const shown = element("g", { "clip-path": "url(#cut)" });
    const cutting = element("clipPath", { id: "cut" });
    cutting.append(element("rect", {}));
    shown.append(whole, element("g", { class: "over" }));
    svg.append(cutting, shown);
    if (!taken) return svg;
    for (const { name, area } of seen.targets as Target[]) {
      if (is_card(name)) continue;
      const [x, y, width, height] = area;
      svg.append(element("rect", { x, y, width, height, rx: is_square(name) ? 12 : 8, class: "tap", "data-name": name }));
    }
    svg.append(element("g", { class: "marks" }));
    // A tap on a card may mean the card or the field below it.
    const under = (event: { clientX: number; clientY: number }): string[] => {
      const { x, y } = this.point(event);
      const hit = ({ area: [left, top, width, height] }: Target) => x >= left && x < left + width && y >= top && y < top + height;
      return (this.seen.targets as Target[])
        .filter(hit)
        .map((target) => target.name)
        .reverse();
    };
    svg.addEventListener("click", (event) => {
      const names = under(event);
      if (names.length && !this.dragged) taken.tapped(names);
    });
    // A finger on what can be moved does not scroll the page; anywhere else it does.
    svg.addEventListener("touchmove", (event) => this.held && event.cancelable && event.preventDefault(), { passive: false });
    svg.addEventListener("pointerdown", (event) => {
      this.dragged = false;
      this.held = under(event).some((name) => svg.querySelector(`.tap[data-name="${CSS.escape(name)}"]:is(.may,.from,.to)`));
      if (event.isPrimary && event.button === 0) this.drag(event, under, taken);
    });
    return svg;
  }

  /** Marks places, each by its class, and what is drawn over the board. */
  mark(seen: Answer, marks: Map<string, string>, over: Over[]): void {
    const { svg } = this;
    if (!svg) return;
    const taken = new Set<string>([...seen.pieces, ...(seen.stacks || [])].map(({ place }: { place: string }) => place));
    const many = [...marks.values()].filter((mark) => mark === "may").length > 8;
    const signs: SVGElement[] = [];
    for (const place of svg.querySelectorAll<SVGElement>(".tap")) {
      const name = place.dataset.name || "";
      const mark = marks.get(name) || "";
      const is_empty = is_square(name) && !taken.has(name);
      place.setAttribute("class", `tap ${mark}${mark && is_empty ? " empty" : ""}${mark === "may" && many && !is_empty ? " many" : ""}`);
      if (!mark || mark === "from") continue;
      const [x, y, width, height] = ["x", "y", "width", "height"].map((key) => Number(place.getAttribute(key))) as Area;
      if (is_empty)
        signs.push(element("circle", { cx: x + width / 2, cy: y + height / 2, r: Math.min(width, height) * 0.15, class: "dot" }));
      else if (mark === "may" && many) signs.push(element("circle", { cx: x + width - 16, cy: y + 16, r: 10, class: "dot small" }));
    }
    svg.querySelector(".marks")?.replaceChildren(...signs);
    const find = (name: string) => (seen.targets as Target[]).find((target) => target.name === name)?.area;
    const drawn = over.flatMap(({ place, text, kind }) => {
      const area = find(place);
      if (!area) return [];
      const [x, y, width, height] = area;
      const [cx, cy] = kind === "placed" ? [x + width / 2, y + height / 2] : [x + width / 2, y + height / 3];
      const sign = element("text", {
        x: cx,
        y: cy,
        class: `${kind}-text`,
        "text-anchor": "middle",
        "dominant-baseline": "central",
        "aria-hidden": "true",
      });
      sign.textContent = text;
      return [element("circle", { cx, cy, r: kind === "placed" ? 36 : 18, class: kind }), sign];
    });
    svg.querySelector(".over")?.replaceChildren(...drawn);
  }

  /** Where an event is in the picture that is there now: what is held may have had it drawn anew. */
  private point(event: { clientX: number; clientY: number }): DOMPoint {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg?.getScreenCTM()?.inverse());
  }

  /** Lifts what is pressed once the finger moves, takes it along, and puts it down: the same as two taps. */
  private drag(begun: PointerEvent, under: (event: PointerEvent) => string[], taken: Taken): void {
    const from = under(begun);
    let lifted = false;
    let ghost: SVGElement | null = null;
    const start = this.point(begun);
    const ends = new AbortController();
    const end = () => {
      ends.abort();
      ghost?.remove();
    };
    const heard = (name: "pointermove" | "pointerup" | "pointercancel", act: (event: PointerEvent) => void) =>
      addEventListener(name, (event) => event.pointerId === begun.pointerId && act(event), { signal: ends.signal });
    heard("pointermove", (event) => {
      if (!lifted && Math.hypot(event.clientX - begun.clientX, event.clientY - begun.clientY) < 12) return;
      if (!lifted) {
        lifted = true;
        const drawn = document
          .elementsFromPoint(begun.clientX, begun.clientY)
          .find((one) => one.localName === "use" && this.svg?.contains(one));
        if (!from.length || !taken.lifted(from)) return end();
        this.dragged = true;
        if (drawn) {
          ghost = element("g", { class: "ghost" });
          ghost.append(drawn.cloneNode(true));
          this.svg?.append(ghost);
        }
      }
      const { x, y } = this.point(event);
      ghost?.setAttribute("transform", `translate(${Math.round(x - start.x)} ${Math.round(y - start.y)})`);
    });
    heard("pointercancel", () => {
      end();
      if (lifted) taken.dropped([], from);
    });
    heard("pointerup", (event) => {
      end();
      if (lifted) taken.dropped(under(event), from);
    });
  }
}

export const board = new Board();

const known: { names: string[] | null; initials: Map<string, string[]> } = { names: null, initials: new Map() };

/** Returns the places that an action names, in order: squares anywhere in it, other names only as whole words. */
export const places = (action: string, names: string[]): string[] => {
  const found: string[] = [];
  const word = /[A-Za-z0-9.-]/;
  if (known.names !== names) {
    known.names = names;
    known.initials = new Map();
    for (const name of names) known.initials.set(name.charAt(0), [...(known.initials.get(name.charAt(0)) || []), name]);
  }
  for (let at = 0; at < action.length; ) {
    let best = "";
    for (const name of known.initials.get(action.charAt(at)) || []) {
      if (name.length <= best.length || !action.startsWith(name, at)) continue;
      const before = action[at - 1] || " ";
      const behind = action[at + name.length] || " ";
      if (is_square(name) ? !/[0-9]/.test(behind) : !word.test(before) && !word.test(behind)) best = name;
    }
    if (best) found.push(best);
    at += best.length || 1;
  }
  return found;
};
