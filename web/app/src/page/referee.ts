// The referee in the page. The module keeps nothing from one call to the next.
import type { Referee } from "../../../index.js";
import { unbase64 } from "../store/base64";

type Ask = Referee["ask"];
/** What the module answers: its members are listed in `../../../index.d.ts`. */
export type Answer = ReturnType<Ask>;

interface Exports {
  memory: WebAssembly.Memory;
  room(length: number): number;
  call(): number;
  answer(): number;
}

/** The module as it is run: from the page in base64, or from the file beside it. Some servers unpack that on their own. */
export const module_bytes = async (module: HTMLElement): Promise<ArrayBuffer | Uint8Array<ArrayBuffer>> => {
  const { file } = module.dataset;
  let packed: Uint8Array<ArrayBuffer>;
  if (file) {
    const response = await fetch(file);
    if (!response.ok) throw new Error(`${file}: ${response.status}`);
    packed = new Uint8Array(await response.arrayBuffer());
  } else packed = unbase64(module.textContent || "");
  if (packed[0] !== 31 || packed[1] !== 139) return packed;
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
};

/** The text of a file that is inside the page as an address, percent-encoded or in base64. */
export const file_text = (address: string): string => {
  const [head = "", ...parts] = address.split(",");
  const body = parts.join(",");
  const bytes = head.endsWith(";base64")
    ? atob(body)
    : body.replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
};

export class PageReferee {
  module: WebAssembly.Module | null = null;
  instance: WebAssembly.Instance | null = null;
  /** Who answers instead, where the record is that of a kept game. */
  home: ((request: Answer, ask: Ask) => Answer) | null = null;

  async load(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<void> {
    this.module = await WebAssembly.compile(bytes);
    this.instance = await WebAssembly.instantiate(this.module, {});
  }

  ask(request: object): Answer {
    return this.home ? this.home(request, (asked) => this.alone(asked)) : this.alone(request);
  }

  /** Asks the module itself. */
  alone(request: object): Answer {
    const module = this.module;
    if (!module) return { error: "the referee is not there yet" };
    try {
      this.instance ||= new WebAssembly.Instance(module, {});
      const { room, call, answer, memory } = this.instance.exports as unknown as Exports;
      const bytes = new TextEncoder().encode(JSON.stringify(request));
      const at = room(bytes.length);
      if (!at) return { error: "that is too long" };
      new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
      const length = call();
      return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length)));
    } catch (error) {
      // Most likely out of memory. A new instance starts with clean memory.
      this.instance = new WebAssembly.Instance(module, {});
      return { error: `the referee had to stop: ${error instanceof Error ? error.message : error}` };
    }
  }
}

export const referee = new PageReferee();
