// The store of open games for the pages with a game, whose scripts stand beside each other in one.
import { kept } from "../store/kept";
import { storing } from "../store/storing";

Object.assign(globalThis, { kept, storing });
