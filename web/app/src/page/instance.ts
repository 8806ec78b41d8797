// An instance of the module, in the page or in a worker. The module keeps nothing from one request to the next.
import type { Referee } from "../../../index.js";

/** What the module answers: its members are listed in `../../../index.d.ts`. */
export type Answer = ReturnType<Referee["ask"]>;

interface Exports {
  memory: WebAssembly.Memory;
  room(length: number): number;
  told(): number;
  answer(): number;
}

export class Instance {
  module: WebAssembly.Module | null = null;
  instance: WebAssembly.Instance | null = null;

  /** How many bytes of memory it has. */
  memory(): number {
    return this.instance ? (this.instance.exports as unknown as Exports).memory.buffer.byteLength : 0;
  }

  /** Asks the module itself. */
  alone(request: object): Answer {
    const module = this.module;
    if (!module) return { error: "the referee is not there yet" };
    try {
      this.instance ||= new WebAssembly.Instance(module, {});
      const { room, told, answer, memory } = this.instance.exports as unknown as Exports;
      const bytes = new TextEncoder().encode(JSON.stringify(request));
      const at = room(bytes.length);
      if (!at) return { error: "that is too long" };
      new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
      const length = told();
      return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length)));
    } catch (error) {
      // Most likely out of memory. A new instance starts with clean memory.
      this.instance = new WebAssembly.Instance(module, {});
      return { error: `the referee had to stop: ${error instanceof Error ? error.message : error}` };
    }
  }
}
