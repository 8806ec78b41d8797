// What takes long is asked of a module in a worker, so that the page answers meanwhile: the machine thinks there, and what a passphrase opens
// is opened there.
import script from "text:./worker.ts";
import { type Answer, referee } from "./referee";
import type { Sent, Told } from "./worker";

export type { Told };

interface Waiting {
  request: object;
  done: (answer: Answer) => void;
}

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
      else this.tell({ id, request });
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
      this.worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    } catch {
      this.is_blocked = true;
      return;
    }
    this.worker.onmessage = ({ data }: MessageEvent<Told>) => {
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
    this.tell({ module: referee.module });
  }

  private tell(sent: Sent): void {
    this.worker?.postMessage(sent);
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
