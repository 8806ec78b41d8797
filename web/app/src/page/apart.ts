// What takes long is asked of a module in a worker, so that the page answers meanwhile: the machine thinks there, and what a passphrase opens
// is opened there.
import { type Answer, referee } from "./referee";

interface Waiting {
  request: object;
  done: (answer: Answer) => void;
}

/** What the worker tells of a request. */
export interface Told {
  answer: Answer;
  took: number;
  memory: number;
}

// What the worker runs: an instance of the module of its own, which answers one request after another.
const SOURCE = `let instance = null, module = null;
const ask = (request) => {
  const { room, call, answer, memory } = instance.exports;
  try {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const at = room(bytes.length);
    if (!at) return { error: "that is too long" };
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const length = call();
    return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length)));
  } catch (error) {
    instance = new WebAssembly.Instance(module, {});
    return { error: "the referee had to stop: " + error.message };
  }
};
onmessage = ({ data }) => {
  if (data.module) { module = data.module; instance = new WebAssembly.Instance(module, {}); }
  else { const since = performance.now(); const answer = ask(data.request); postMessage({ id: data.id, answer, took: performance.now() - since, memory: instance.exports.memory.buffer.byteLength }); }
};`;

export class Apart {
  worker: Worker | null = null;
  is_blocked = false;
  asked = 0;
  waiting = new Map<number, Waiting>();

  /** Asks the worker. Where a browser has none for such a page, the page answers itself. */
  ask(request: object): Promise<Answer> {
    return new Promise((done) => {
      this.asked += 1;
      const id = this.asked;
      this.waiting.set(id, { request, done });
      if (!this.worker && !this.is_blocked) this.start();
      if (this.is_blocked) this.here();
      else this.worker?.postMessage({ id, request });
    });
  }

  /** Asks once, and ends the worker then: nothing of the request is left in its memory. */
  async once(request: object): Promise<Answer> {
    const answer = await this.ask(request);
    this.stop();
    return answer;
  }

  /** Ends the worker. Nobody waits for it any more. */
  stop(): void {
    this.worker?.terminate();
    this.worker = null;
    this.waiting.clear();
  }

  protected told_by(_: Told): void {}

  private start(): void {
    try {
      this.worker = new Worker(URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" })));
    } catch {
      this.is_blocked = true;
      return;
    }
    this.worker.onmessage = ({ data }) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      this.told_by(data);
      waiting?.done(data.answer);
    };
    this.worker.onerror = () => {
      this.is_blocked = true;
      this.worker = null;
      this.here();
    };
    this.worker.postMessage({ module: referee.module });
  }

  private here(): void {
    setTimeout(() => {
      for (const [id, { request, done }] of this.waiting) {
        this.waiting.delete(id);
        done(referee.alone(request));
      }
    }, 30);
  }
}
