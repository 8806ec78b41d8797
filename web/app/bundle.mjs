// How the scripts of the page are bundled, and what a worker runs, which the page has as text: it has no other file to load it from.
import { dirname, join } from "node:path";
import { build } from "esbuild";

export const bundled = {
  bundle: true,
  format: "iife",
  write: false,
  minify: true,
  target: ["es2022", "chrome107", "firefox113", "safari16.4"],
  legalComments: "none",
  charset: "ascii",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
};

/** A script of its own as a text: what is imported as `text:` and its path. */
export const as_text = {
  name: "as-text",
  setup(within) {
    within.onResolve({ filter: /^text:/ }, ({ path, importer }) => ({
      path: join(dirname(importer), path.slice(5)),
      namespace: "as-text",
    }));
    within.onLoad({ filter: /.*/, namespace: "as-text" }, async ({ path }) => {
      const { outputFiles } = await build({ ...bundled, entryPoints: [path] });
      return { contents: outputFiles[0].text.trim(), loader: "text" };
    });
  },
};
