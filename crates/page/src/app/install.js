// What the page does where it stands at a web address: it is kept for use without a network, opens files, and takes what is shared with it.
const installed = {
  async start() {
    if (!document.querySelector("link[rel=manifest]")) return;
    if (window.launchQueue) {
      launchQueue.setConsumer(async ({ files }) => {
        if (files.length) reader.file(await files[0].getFile());
      });
    }
    await this.shared();
    try {
      await navigator.serviceWorker.register("worker.js");
      await navigator.serviceWorker.ready;
      document.getElementById("version").append(" It is kept in this browser and works without a network.");
    } catch {
      // A browser that keeps nothing, or an address without a certificate: the page works as long as there is a network.
    }
  },

  // What another program shared; it is looked at once.
  async shared() {
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
