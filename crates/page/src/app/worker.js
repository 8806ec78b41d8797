// Keeps the files of this app, so that it works without a network, and takes what another program shares with it.
const KEPT = "postrider-@DIGEST@";
const FILES = [@FILES@];
const SHARED = "postrider-shared";
// The longest file that is taken, in bytes: a message.
const MOST = 33554432;
const address = (name) => new URL(name, registration.scope).href;

addEventListener("install", (event) => {
  const all = FILES.map((name) => new Request(address(name), { cache: "reload" }));
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(all)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("postrider-") && name !== KEPT && name !== SHARED;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))).then(() => clients.claim()));
});

// A file or a text that was shared is put aside, and the page asks for it.
const taken = async (request) => {
  const form = await request.formData();
  const file = form.getAll("file").find((one) => one instanceof File && one.size > 0);
  const text = ["text", "title"].map((name) => form.get(name)).find((one) => typeof one === "string" && one.trim());
  const given = file || (text ? new Blob([text]) : null);
  if (given && given.size <= MOST) {
    const shared = await caches.open(SHARED);
    await shared.put(address("shared"), new Response(given));
  }
  return Response.redirect(address("./?shared"), 303);
};

addEventListener("fetch", (event) => {
  const { request } = event;
  const { href } = new URL(request.url.split(/[?#]/)[0]);
  if (request.method === "POST" && href === address("share")) return event.respondWith(taken(request));
  const name = FILES.find((one) => address(one) === href);
  if (request.method !== "GET" || !name) return;
  event.respondWith(caches.open(KEPT).then((kept) => kept.match(address(name))).then((file) => file || fetch(request)));
});
