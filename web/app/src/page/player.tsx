// The page without a game: it keeps a player's games.
import { kept } from "../store/kept";
import { app } from "./app";
import { home, keep } from "./home";
import { learn } from "./learn";
import { letters } from "./letters";
import { machine } from "./machine";
import { play } from "./play";
import { referee } from "./referee";
import { start } from "./start";
import { reader, tools } from "./tools";
import { KeptDetails, KeptDock } from "./views/kept";
import { Mine } from "./views/mine";

home.views = { dock: () => <KeptDock />, details: () => <KeptDetails />, front: () => <Mine /> };
// What can be asked of the page in a console, and by tests.
Object.assign(globalThis, { app, home, keep, kept, learn, letters, machine, play, reader, referee, tools });
start(home);
