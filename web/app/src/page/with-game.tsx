// The page that came with a game.
import { kept } from "../store/kept";
import { app } from "./app";
import { guest } from "./guest";
import { learn } from "./learn";
import { machine } from "./machine";
import { play } from "./play";
import { referee } from "./referee";
import { start } from "./start";
import { reader, tools } from "./tools";

// What can be asked of the page in a console, and by tests.
Object.assign(globalThis, { app, home: guest, kept, learn, machine, play, reader, referee, tools });
start(guest);
