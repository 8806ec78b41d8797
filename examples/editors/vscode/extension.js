// Starts `postrider lsp` for records, and stops it with the editor. A workspace cannot choose the program: the setting is the machine's.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("postrider").get("program") || "postrider";
  client = new LanguageClient("postrider", "postrider", { command, args: ["lsp"] }, { documentSelector: [{ language: "pbem" }] });
  return client.start();
};

exports.deactivate = () => client?.stop();
