// The player's home, for the scripts of the page that stand beside each other in one.
import { type Asked, Keep } from "../store/keep";

declare const referee: { ask: (request: object) => Asked };

Object.assign(globalThis, { keep: new Keep((request) => referee.ask(request)) });
