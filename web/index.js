// The referee as a module: loads it, and asks it. README.md explains every call. Nothing here is of Node or of browsers alone, and the module
// comes by an import, so that every bundler packs it without being told.

/** The referee; `load` makes one. */
export class Referee {
  #module;
  #instance;

  constructor(module) {
    this.#module = module;
    this.#instance = new WebAssembly.Instance(module, {});
  }

  /** Asks, and returns the answer. A request that asks for what is not there throws. */
  ask(request) {
    if (typeof request.record === "string" && halves.test(request.record)) return this.#unreadable(request);
    // What is typed may have half a character in it; a record never has, for it would become another one.
    const text = this.askText(JSON.stringify(request, (_, value) => (typeof value === "string" ? value.replace(allHalves, "\ufffd") : value)));
    const answer = JSON.parse(text);
    if (answer.error !== undefined) throw new Error(answer.error);
    if (answer.refused?.start !== undefined) inUtf16(answer.refused);
    return answer;
  }

  /** A record with half a character is no Unicode and so no record, which the verdict says. */
  #unreadable(request) {
    const verdict = this.verify(withHalves(request.record));
    switch (request.call) {
      case "verify": return verdict;
      case "open": return { verdict, game: null };
      case "position": throw new Error(verdict.summary);
      default: return { refused: { message: verdict.summary, verdict } };
    }
  }

  /** The same with JSON as text. */
  askText(request) {
    const { room, call, answer, memory } = this.#instance.exports;
    const bytes = new TextEncoder().encode(request);
    try {
      const at = room(bytes.length);
      if (at === 0) throw new RangeError("the request is too long");
      new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
      const length = call();
      return new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length));
    } catch (error) {
      // What was in its memory is not to be trusted after it stopped in the middle.
      if (error instanceof WebAssembly.RuntimeError) this.#instance = new WebAssembly.Instance(this.#module, {});
      throw error;
    }
  }

  /** About a player's home; only the module that has one answers. */
  home(request) { return this.ask({ call: "home", ...request }); }
  about() { return this.ask({ call: "about" }); }
  rule(book, number) { return this.ask(number === undefined ? { call: "rule", book } : { call: "rule", book, number }); }
  begin(game) { return this.ask({ call: "begin", ...game }); }
  verify(record) {
    if (typeof record === "string") return this.ask({ call: "verify", record });
    const bytes = bytesOf(record);
    let binary = "";
    for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return this.ask({ call: "verify", base64: btoa(binary) });
  }
  open(record, { at } = {}) { return this.ask({ call: "open", record, at }); }
  moves(record, { at } = {}) { return this.ask({ call: "moves", record, at }); }
  position(record, look = {}) { return this.ask({ call: "position", record, ...look }); }
  next(record, begun = "", { seed = 0, at } = {}) { return this.ask({ call: "next", record, begun, seed, at }); }
  judge(record, typed, beside = {}) { return this.ask({ call: "judge", record, typed, ...beside }); }
  append(record, typed, beside = {}) { return this.ask({ call: "append", record, typed, time: now(), ...beside }); }
  practice(game) { return this.ask({ call: "practice", ...game }); }
  answer(record, thinking = {}) { return this.ask({ call: "answer", record, ...thinking }); }
  choose(record, thinking = {}) { return this.ask({ call: "choose", record, ...thinking }); }
  undo(record) { return this.ask({ call: "undo", record }); }
  review(record, part = {}) { return this.ask({ call: "review", record, ...part }); }
  minute(game) { return this.ask({ call: "minute", game }); }
  lessons(game) { return this.ask({ call: "lessons", game }); }
  lesson(game, number, typed) { return this.ask({ call: "lesson", game, number, typed }); }
}

// The bytes of a buffer, or of whatever looks into one.
const bytesOf = (given) => {
  if (given instanceof ArrayBuffer) return new Uint8Array(given);
  if (ArrayBuffer.isView(given)) return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  throw new TypeError("a record is a string, an ArrayBuffer or a view of one");
};

// Halves of characters that stand alone: UTF-16 has them, Unicode has not.
const halves = /\p{Surrogate}/u;
const allHalves = new RegExp(halves, "gu");

// A text with such halves as bytes, which are no UTF-8.
const withHalves = (text) => {
  const bytes = [];
  for (const character of text) {
    const code = character.codePointAt(0);
    if (halves.test(character)) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else bytes.push(...new TextEncoder().encode(character));
  }
  return new Uint8Array(bytes);
};

// The module counts bytes, and JavaScript units of UTF-16.
const inUtf16 = (refused) => {
  const bytes = new TextEncoder().encode(refused.typed);
  for (const end of ["start", "end"]) refused[end] = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, refused[end])).length;
};

// The module has no clock. It leaves the time out where the entries of a record have none.
const now = () => new Date().toISOString().slice(0, 19) + "Z";

/** Loads the referee: the one that belongs to this package, or from the bytes given, packed by gzip or not. */
export async function load(bytes) {
  let packed = bytes;
  if (packed === undefined) {
    const { base64 } = await import("./referee.js");
    packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  }
  const head = new Uint8Array(packed.buffer ?? packed, packed.byteOffset ?? 0, 2);
  if (head[0] === 0x1f && head[1] === 0x8b) {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    packed = await new Response(stream).arrayBuffer();
  }
  return new Referee(await WebAssembly.compile(packed));
}
