// What a worker of the page runs: an instance of the module of its own, which answers one request after another.
import { type Answer, Instance } from "./instance";

/** What the worker tells of a request. */
export interface Told {
  id: number;
  answer: Answer;
  took: number;
  memory: number;
}

/** What the worker is sent: the module first, then requests. */
export type Sent = { module: WebAssembly.Module | null } | { id: number; request: object };

const here = new Instance();

self.onmessage = ({ data }: MessageEvent<Sent>) => {
  if ("module" in data) {
    here.module = data.module;
    return;
  }
  const since = performance.now();
  const answer = here.alone(data.request);
  const told: Told = { id: data.id, answer, took: performance.now() - since, memory: here.memory() };
  postMessage(told);
};
