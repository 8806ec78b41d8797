// What the page does where it stands at a web address: it is kept for use without a network, opens files, and takes what is shared with it.
import { app } from "./app";
import { reader } from "./tools";

interface Launch {
  setConsumer(consumer: (launch: { files: FileSystemFileHandle[] }) => void): void;
}

export const installed = {
  async start(): Promise<void> {
    if (!document.querySelector("link[rel=manifest]")) return;
    const launch = (window as unknown as { launchQueue?: Launch }).launchQueue;
    launch?.setConsumer(async ({ files }) => {
      if (files[0]) reader.file(await files[0].getFile());
    });
    await this.shared();
    try {
      // Where a worker is there already, another one that takes over is a newer version.
      const is_update = Boolean(navigator.serviceWorker.controller);
      navigator.serviceWorker.addEventListener("controllerchange", () => {
        if (!is_update) return;
        app.newer = true;
        app.drawn();
      });
      await navigator.serviceWorker.register("worker.js");
      await navigator.serviceWorker.ready;
      document.getElementById("version")?.append(" It is kept in this browser and works without a network.");
    } catch {
      // A browser that keeps nothing, or an address without a certificate: the page works as long as there is a network.
    }
  },

  /** What another program shared; it is looked at once. */
  async shared(): Promise<void> {
    if (location.search !== "?shared") return;
    history.replaceState(null, "", location.pathname);
    try {
      const held = await caches.open("postrider-shared");
      const file = await held.match("shared");
      await held.delete("shared");
      if (file) reader.file(await file.blob());
    } catch {
      // Nothing was kept.
    }
  },
};
