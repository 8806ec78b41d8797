// The referee in the page. The module keeps nothing from one call to the next.
import { unbase64 } from "../store/base64";
import { type Answer, Instance } from "./instance";

export type { Answer };

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

export class PageReferee extends Instance {
  /** Who answers instead, where the record is that of a kept game. */
  home: ((request: Answer, ask: (request: object) => Answer) => Answer) | null = null;

  async load(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<void> {
    this.module = await WebAssembly.compile(bytes);
    this.instance = await WebAssembly.instantiate(this.module, {});
  }

  ask(request: object): Answer {
    return this.home ? this.home(request, (asked) => this.alone(asked)) : this.alone(request);
  }
}

export const referee = new PageReferee();
