// The board as the module draws it, with areas that can be tapped.
const board = {
  picture(text) {
    const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
    // Hidden because screen readers would read the letters on the board in addition to the description.
    for (const text of svg.querySelectorAll("text")) text.setAttribute("aria-hidden", "true");
    return svg;
  },

  // Shows a position in `holder`. `marks` has the class of each marked place by its name. `taken` has what is called with the names of the
  // places at a tap, the topmost first, and where something is dragged from and to.
  show(holder, look, marks, taken) {
    const seen = referee.ask({ call: "position", look: "classes", ...look });
    if (seen.error) {
      holder.replaceChildren(make("p", { class: "bad" }, seen.error));
      return seen;
    }
    const svg = this.picture(seen.svg);
    if (taken) {
      for (const { name, area } of seen.targets) {
        const place = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        for (const [key, at] of [["x", 0], ["y", 1], ["width", 2], ["height", 3]]) place.setAttribute(key, area[at]);
        place.setAttribute("class", "tap " + (marks.get(name) || ""));
        place.setAttribute("data-name", name);
        svg.append(place);
      }
      // A tap on a card may mean the card or the field below it.
      const under = (event) => {
        const { x, y } = this.point(svg, event);
        const hit = ({ area: [left, top, width, height] }) => x >= left && x < left + width && y >= top && y < top + height;
        return seen.targets.filter(hit).map((target) => target.name).reverse();
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
        if (event.isPrimary && event.button === 0) this.drag(svg, event, under, taken);
      });
    }
    holder.replaceChildren(svg);
    return seen;
  },

  // Whether the last press was a drag, after which a browser may report a click as well.
  dragged: false,
  // Whether what is pressed can be moved.
  held: false,

  // Where an event is in the picture.
  point(svg, event) {
    const at = svg.createSVGPoint();
    [at.x, at.y] = [event.clientX, event.clientY];
    return at.matrixTransform(svg.getScreenCTM().inverse());
  },

  // Lifts what is pressed once the finger moves, takes it along, and puts it down: the same as two taps.
  drag(svg, begun, under, taken) {
    const from = under(begun);
    let lifted = false;
    let ghost = null;
    const start = this.point(svg, begun);
    const move = (event) => {
      if (event.pointerId !== begun.pointerId) return;
      if (!lifted && Math.hypot(event.clientX - begun.clientX, event.clientY - begun.clientY) < 12) return;
      if (!lifted) {
        lifted = true;
        const drawn = document.elementsFromPoint(begun.clientX, begun.clientY).find((one) => one.localName === "use" && svg.contains(one));
        if (!from.length || !taken.lifted(from)) return end();
        this.dragged = true;
        if (drawn && svg.isConnected) {
          ghost = document.createElementNS("http://www.w3.org/2000/svg", "g");
          ghost.setAttribute("class", "ghost");
          ghost.append(drawn.cloneNode(true));
          svg.append(ghost);
        }
      }
      const { x, y } = this.point(svg, event);
      if (ghost) ghost.setAttribute("transform", `translate(${Math.round(x - start.x)} ${Math.round(y - start.y)})`);
    };
    const end = () => {
      for (const [name, heard] of [["pointermove", move], ["pointerup", up], ["pointercancel", stop]]) removeEventListener(name, heard);
      if (ghost) ghost.remove();
    };
    const stop = (event) => {
      if (event.pointerId !== begun.pointerId) return;
      end();
      if (lifted) taken.dropped([], from);
    };
    const up = (event) => {
      if (event.pointerId !== begun.pointerId) return;
      end();
      if (lifted) taken.dropped(under(event), from);
    };
    for (const [name, heard] of [["pointermove", move], ["pointerup", up], ["pointercancel", stop]]) addEventListener(name, heard);
  },
};

// Returns the places that an action names, in order: squares anywhere in it, other names only as whole words.
const places = (action, names) => {
  const found = [];
  const word = /[A-Za-z0-9.-]/;
  if (places.names !== names) {
    places.names = names;
    places.initials = new Map();
    for (const name of names) places.initials.set(name[0], [...(places.initials.get(name[0]) || []), name]);
  }
  for (let at = 0; at < action.length; ) {
    let best = "";
    for (const name of places.initials.get(action[at]) || []) {
      if (name.length <= best.length || !action.startsWith(name, at)) continue;
      const square = /^[a-z][0-9]$/.test(name);
      const before = action[at - 1] || " ";
      const behind = action[at + name.length] || " ";
      if (square ? !/[0-9]/.test(behind) : !word.test(before) && !word.test(behind)) best = name;
    }
    if (best) found.push(best);
    at += best.length || 1;
  }
  return found;
};
