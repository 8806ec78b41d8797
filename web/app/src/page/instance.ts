// An instance of the module, in the page or in a worker. The module keeps nothing from one request to the next.
import type { Referee } from "../../../index.js";
import { of_players } from "./called";

/** What the module answers: its members are listed in `../../../index.d.ts`. */
export type Answer = ReturnType<Referee["ask"]>;

interface Exports {
  memory: WebAssembly.Memory;
  room(length: number): number;
  call(): number;
  answer(): number;
}

/** An answer whose sentences are in the words of players: why something is refused, and what a look back has found. */
const told = (answer: Answer): Answer => {
  const { refused, error, entries } = answer;
  if (refused?.message) refused.message = of_players(refused.message);
  if (error) answer.error = of_players(error);
  if (answer.untold) for (const turn of entries) if (turn.says) turn.says = turn.says.map(of_players);
  return answer;
};

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
      const { room, call, answer, memory } = this.instance.exports as unknown as Exports;
      const bytes = new TextEncoder().encode(JSON.stringify(request));
      const at = room(bytes.length);
      if (!at) return { error: "that is too long" };
      new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
      const length = call();
      return told(JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length))));
    } catch (error) {
      // Most likely out of memory. A new instance starts with clean memory.
      this.instance = new WebAssembly.Instance(module, {});
      return { error: `the referee had to stop: ${error instanceof Error ? error.message : error}` };
    }
  }
}
