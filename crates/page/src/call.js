// The longest address that opens a letter in every mail program, in characters.
const LONGEST_LINK = 1800;

// The referee in the page. The module keeps nothing from one call to the next.
const referee = {
  module: null,
  instance: null,
  async load(bytes) {
    this.module = await WebAssembly.compile(bytes);
    this.instance = await WebAssembly.instantiate(this.module, {});
  },
  // The module as it is run: from the page in base64, or from the file beside it. Some servers unpack that on their own.
  async bytes(module) {
    const packed = module.dataset.file ? new Uint8Array(await this.fetched(module.dataset.file)) : unbase64(module.textContent);
    if (packed[0] !== 31 || packed[1] !== 139) return packed;
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  },

  async fetched(file) {
    const response = await fetch(file);
    if (!response.ok) throw new Error(`${file}: ${response.status}`);
    return response.arrayBuffer();
  },

  // The text of a file that is inside the page as an address, percent-encoded or in base64.
  file(address) {
    const [head, ...parts] = address.split(",");
    const body = parts.join(",");
    const bytes = head.endsWith(";base64") ? atob(body) : body.replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  },

  ask(request) {
    const { room, call, answer, memory } = this.instance.exports;
    try {
      const bytes = new TextEncoder().encode(JSON.stringify(request));
      const at = room(bytes.length);
      if (!at) return { error: "that is too long" };
      new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
      const length = call();
      return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length)));
    } catch (error) {
      // Most likely out of memory. A new instance starts with clean memory.
      this.instance = new WebAssembly.Instance(this.module, {});
      return { error: "the referee had to stop: " + error.message };
    }
  },
};

// Makes an element from its name, its attributes and listeners, and its content. Text never becomes markup.
const make = (name, given, ...inside) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(given || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...inside.flat().filter((part) => part !== null && part !== undefined && part !== false));
  return element;
};
// A sentence in which what is to be typed stands between backticks.
const prose = (text) => text.split("\x60").map((part, nth) => (nth % 2 ? make("code", {}, part) : part));
const button = (text, onclick, more) => make("button", { type: "button", onclick, ...more }, text);
const say = (text) => {
  document.getElementById("live").textContent = text;
};
const base64 = (bytes) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
};
const unbase64 = (text) => Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
