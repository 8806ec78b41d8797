// The board as the module draws it, with areas that can be tapped.
const board = {
  picture(text) {
    const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
    // Hidden because screen readers would read the letters on the board in addition to the description.
    for (const text of svg.querySelectorAll("text")) text.setAttribute("aria-hidden", "true");
    return svg;
  },

  // Shows a position in `holder`. `marks` has the class of each marked place by its name. `tapped` is called with the names of the
  // places at a tap, the topmost first.
  show(holder, look, marks, tapped) {
    const seen = referee.ask({ call: "position", look: "classes", ...look });
    if (seen.error) {
      holder.replaceChildren(make("p", { class: "bad" }, seen.error));
      return seen;
    }
    const svg = this.picture(seen.svg);
    if (tapped) {
      for (const { name, area } of seen.targets) {
        const place = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        for (const [key, at] of [["x", 0], ["y", 1], ["width", 2], ["height", 3]]) place.setAttribute(key, area[at]);
        place.setAttribute("class", "tap " + (marks.get(name) || ""));
        place.setAttribute("data-name", name);
        svg.append(place);
      }
      svg.addEventListener("click", (event) => {
        // A tap on a card may mean the card or the field below it.
        const at = svg.createSVGPoint();
        [at.x, at.y] = [event.clientX, event.clientY];
        const { x, y } = at.matrixTransform(svg.getScreenCTM().inverse());
        const hit = ({ area: [left, top, width, height] }) => x >= left && x < left + width && y >= top && y < top + height;
        const names = seen.targets.filter(hit).map((target) => target.name).reverse();
        if (names.length) tapped(names);
      });
    }
    holder.replaceChildren(svg);
    return seen;
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
