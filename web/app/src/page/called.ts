// What a page calls otherwise than the referee does: an entry of the record is a move.

/** A sentence of the referee in the words of players. What is typed (between backticks) and what was written (between braces) stays as it is. */
export const of_players = (text: string): string =>
  text
    .split(/(`[^`]*`|\{[^}]*\})/)
    .map((part, nth) =>
      nth % 2
        ? part
        : part.replace(/(?<![-\w])(?:([Aa])n )?([Ee])ntr(y|ies)\b/g, (_, article, first, end) =>
            [article ? `${article} ` : "", first === "E" ? "M" : "m", end === "y" ? "ove" : "oves"].join(""),
          ),
    )
    .join("");
