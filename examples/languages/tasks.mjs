// The ten tasks of README.md in JavaScript: tasks.mjs RECORD REFUSED LONG.
import { readFileSync } from "node:fs";
import { load } from "postrider-referee";

const [record, refused, long] = process.argv.slice(2).map((name) => readFileSync(name, "utf8"));
const referee = await load();

// 1. Is a record legal, how long is it, and how did it end?
const { report } = referee.verify(record);
console.log(report.verdict, report.entries, report.result);

// 2. What is wrong with a refused one, and where?
const [fault] = referee.verify(refused).report.errors;
console.log(fault.entry, fault.line, fault.column, fault.rule);

// 3. Which game is it, and whose entry is due?
const game = referee.open(long);
console.log(game.id, game.due, game.entries.length);

// 4. What may be entered?
const { moves } = referee.moves(long);
console.log(moves.length, moves[0]);

// 5. How did it stand after an earlier entry?
const earlier = referee.open(long, { at: 1 });
console.log(earlier.due, earlier.entries.length, referee.moves(long, { at: 1 }).moves.length);

// 6. Is an entry legal, and how is it written?
const judged = referee.judge(earlier.record, "C4-C5");
console.log(judged.number, judged.side, judged.line);

// 7. Which rule does another one break, and what in it is wrong?
const { refused: error } = referee.judge(earlier.record, " b4-b3");
console.log(error.rule, error.typed.slice(error.start, error.end));

// 8. What is the record with the entry?
const longer = referee.append(earlier.record, "c4-c5", { message: "hello", time: "2026-10-22T08:00:00Z" }).record;
console.log(longer.trimEnd().split("\n").at(-1));

// 9. What may follow the beginning of a turn, at an earlier entry?
console.log(referee.next(record, "", { at: 0 }).actions[0], referee.moves(record, { at: 0 }).moves[0]);

// 10. What does the position look like in words, and what does a rule say?
console.log(referee.position(earlier.record).words.split("\n")[0]);
console.log(referee.rule("asalto", "T21").text.split("\n")[0]);
