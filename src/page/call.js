// The referee in the page: unpacks the module and calls it. The module keeps nothing from one call to the next.
const referee = {
  module: null,
  instance: null,
  async load() {
    this.module = await WebAssembly.compile(unpacked(this.bytes(document.getElementById("module"))));
    this.instance = await WebAssembly.instantiate(this.module, {});
  },
  // The text of a file that is inside the page as an address, percent-encoded or in base64.
  file(address) {
    const [head, ...parts] = address.split(",");
    const body = parts.join(",");
    const bytes = head.endsWith(";base64") ? atob(body) : body.replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  },

  // Two characters hold 13 bits. There are 91 of them: all printable ones of ASCII except `&`, `<` and the backslash.
  bytes({ textContent: text, dataset }) {
    const values = new Uint8Array(128);
    let next = 0;
    for (let code = 33; code < 127; code += 1) if (!"&<\\".includes(String.fromCharCode(code))) values[code] = next++;
    const bytes = new Uint8Array(Number(dataset.length));
    let [held, bits, at] = [0, 0, 0];
    for (let nth = 0; nth + 1 < text.length; nth += 2) {
      held |= (values[text.charCodeAt(nth)] * 91 + values[text.charCodeAt(nth + 1)]) << bits;
      bits += 13;
      while (bits >= 8 && at < bytes.length) {
        bytes[at++] = held & 255;
        held >>>= 8;
        bits -= 8;
      }
    }
    return bytes;
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
const button = (text, onclick, more) => make("button", { type: "button", onclick, ...more }, text);
const say = (text) => {
  document.getElementById("live").textContent = text;
};
