// Small parts of which the screens are made.
import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Game } from "../../../../index.js";
import { base64 } from "../../store/base64";
import { app } from "../app";
import { picture } from "../board";
import { drafts } from "../drafts";

type Act = (event: MouseEvent) => unknown;

/** A sentence in which what is to be typed stands between backticks. */
export const prose = (text: string): ComponentChildren[] =>
  text.split("`").map((part, nth) => (nth % 2 ? <code key={nth}>{part}</code> : part));

/** A button. */
export const Button = ({ act, children, ...more }: { act: Act; children: ComponentChildren; [attribute: string]: unknown }) => (
  <button type="button" onClick={act} {...more}>
    {children}
  </button>
);

/** A field whose text stays when the page is left; a passphrase does not. */
export const Field = ({
  id,
  label,
  type = "text",
  draft,
  value,
  is_private = false,
  ...more
}: {
  id: string;
  label: ComponentChildren;
  type?: string;
  draft?: string;
  value?: string;
  is_private?: boolean;
  [attribute: string]: unknown;
}) => {
  const kept = type === "password" ? "" : draft === undefined ? id : draft;
  return (
    <label>
      {label}
      <input
        key={kept}
        id={id}
        type={type}
        autocomplete="off"
        defaultValue={(kept && drafts.get(kept)) || value || ""}
        onInput={(event) => kept && drafts.set(kept, event.currentTarget.value, is_private)}
        {...more}
      />
    </label>
  );
};

/** A field for several lines. */
export const Text = ({ id, label, draft = id }: { id: string; label: string; draft?: string }) => (
  <textarea
    id={id}
    rows={4}
    aria-label={label}
    spellcheck={false}
    defaultValue={drafts.get(draft)}
    onInput={(event) => drafts.set(draft, event.currentTarget.value)}
  />
);

/** A choice among words. */
export const Choice = ({
  id,
  label,
  words,
  value,
  onChange,
}: {
  id: string;
  label: string;
  words: [string, string][];
  value?: string;
  onChange?: (value: string) => void;
}) => (
  <label>
    {label}{" "}
    <select id={id} onChange={(event) => onChange?.(event.currentTarget.value)}>
      {words.map(([word, text]) => (
        <option key={word} value={word} selected={word === value}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

/** What is folded until it is wanted. */
export const Fold = ({
  id,
  title,
  children,
  open = false,
}: {
  id: string;
  title: ComponentChildren;
  children: ComponentChildren;
  open?: boolean;
}) => (
  <details id={id} open={open}>
    <summary>{title}</summary>
    {children}
  </details>
);

/** A picture of the module, which is markup of the referee alone. */
export const Drawing = ({ svg, name }: { svg: string; name?: string }) => {
  const holder = useRef<HTMLDivElement>(null);
  // At once: a page is printed as soon as it is made.
  useLayoutEffect(() => {
    const drawn = picture(svg);
    if (name) {
      drawn.setAttribute("role", "img");
      drawn.setAttribute("aria-label", name);
    } else drawn.setAttribute("aria-hidden", "true");
    holder.current?.replaceChildren(drawn);
  }, [svg]);
  return <div class="svg" ref={holder} />;
};

/** An element that is made elsewhere. */
export const Host = ({ element, ...more }: { element: HTMLElement; [attribute: string]: unknown }) => {
  const holder = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (element.parentNode !== holder.current) holder.current?.replaceChildren(element);
  });
  return <div ref={holder} {...more} />;
};

/** The options of a game as fields. */
export const Options = ({ game, prefix }: { game: Game; prefix: string }): VNode | null =>
  game.options.length ? (
    <details>
      <summary>Options</summary>
      {game.options.map((option) => {
        const id = `${prefix}option-${option.name}`;
        return (
          <label key={id}>
            <b>{option.name}</b>{" "}
            {option.words.length ? (
              <select id={id}>
                {option.words.map((word) => (
                  <option key={word} value={word} selected={word === option.default}>
                    {word}
                  </option>
                ))}
              </select>
            ) : (
              <input id={id} type="text" defaultValue={option.default} size={8} />
            )}{" "}
            <small>{prose(`${option.about} (${option.values})`)}</small>
          </label>
        );
      })}
    </details>
  ) : null;

/** A link that saves a text. */
export const Save = ({
  name,
  text,
  children,
  ...more
}: {
  name: string;
  text: string;
  children: ComponentChildren;
  [attribute: string]: unknown;
}) => (
  <a class="button" download={name} href={`data:text/plain;charset=utf-8;base64,${base64(new TextEncoder().encode(text))}`} {...more}>
    {children}
  </a>
);

/** The parts of a text: what stands between fences as it is, and paragraphs. */
const blocks = (text: string): { lines: string[]; as_is: boolean }[] => {
  const found: { lines: string[]; as_is: boolean }[] = [];
  let lines: string[] = [];
  let fenced = false;
  const end = () => {
    if (lines.length) found.push({ lines, as_is: fenced });
    lines = [];
  };
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) {
      end();
      fenced = !fenced;
    } else if (!fenced && !line.trim()) end();
    else lines.push(line);
  }
  end();
  return found;
};

/** A line of Markdown without its signs. */
const plain = (line: string): string =>
  line
    .replace(/\*\*|__/g, "")
    .replace(/(^|[\s(])\*([^*\n]+)\*/g, "$1$2")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");

/** The cells of a row of a table, and whether it is the one that only draws a line. */
const cells = (row: string): string[] =>
  row
    .replace(/^\||\|\s*$/g, "")
    .split("|")
    .map((cell) => plain(cell.trim()));

const Block = ({ lines, as_is }: { lines: string[]; as_is: boolean }): VNode => {
  const [first = ""] = lines;
  if (as_is) return <pre tabIndex={0}>{lines.join("\n")}</pre>;
  const heading = first.match(/^#+ (.*)/);
  if (heading) return <h4>{plain(heading[1] || "")}</h4>;
  if (first.startsWith("|"))
    return (
      <table>
        <tbody>
          {lines
            .filter((row) => !/^[|\s:-]+$/.test(row))
            .map((row, nth) => (
              <tr key={nth}>
                {cells(row).map((cell, place) => (
                  <td key={place}>{prose(cell)}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    );
  // A list keeps its lines, a paragraph is one.
  const items = lines.join("\n").split(/\n(?=[-*] )/);
  return (
    <>
      {items.map((item, nth) => (
        <p key={nth}>{prose(plain(item.replace(/\n\s*/g, " ").replace(/^[-*] /, "\u2022 ")))}</p>
      ))}
    </>
  );
};

/** What of a rule or a game is Markdown, as text: headings, tables and emphasis without their signs, boards as they stand. */
export const Rule = ({ text }: { text: string }) => (
  <div class="rule" tabIndex={0}>
    {blocks(text).map((block, nth) => (
      <Block key={nth} {...block} />
    ))}
  </div>
);

/** Why something that was put into the page is no record. */
export const Refused = () => (
  <div id="refused">
    {app.refused ? (
      <div class="bad">
        <p>
          <b>{prose(app.refused.error || app.refused.verdict.summary)}</b>
        </p>
        {app.refused.verdict?.excerpts.map((text: string) => (
          <pre key={text} tabIndex={0}>
            {text}
          </pre>
        ))}
      </div>
    ) : null}
  </div>
);

/** Copies a text; where the browser does not let the page copy, it says so. What was said of one text is not said of another. */
export const Copy = ({ text }: { text: string }) => {
  const [done, is_done] = useState({ text: "", says: "" });
  return (
    <Button
      act={() =>
        navigator.clipboard.writeText(text).then(
          () => is_done({ text, says: "Copied" }),
          () => is_done({ text, says: "This browser does not let the page copy" }),
        )
      }
    >
      {done.says && done.text === text ? done.says : "Copy the text"}
    </Button>
  );
};
