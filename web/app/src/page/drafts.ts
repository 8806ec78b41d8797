// What was typed and not yet used. It is kept in this browser, so that Back, a reload or another tab loses none of it. Nothing that is
// secret is ever kept here: a field for a passphrase has no draft.
const PREFIX = "postrider/draft/";
const MOST = 20_000;

class Drafts {
  /** What this tab has, where the browser keeps nothing. */
  private here = new Map<string, string>();

  get(key: string): string {
    try {
      return localStorage.getItem(PREFIX + key) ?? this.here.get(key) ?? "";
    } catch {
      return this.here.get(key) ?? "";
    }
  }

  set(key: string, text: string): void {
    if (text) this.here.set(key, text);
    else this.here.delete(key);
    try {
      if (text && text.length <= MOST) localStorage.setItem(PREFIX + key, text);
      else localStorage.removeItem(PREFIX + key);
    } catch {
      // This tab has it.
    }
  }

  /** Forgets what was typed into fields whose keys begin so. */
  clear(...keys: string[]): void {
    for (const key of keys) this.set(key, "");
  }
}

export const drafts = new Drafts();
