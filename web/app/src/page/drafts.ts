// What was typed and not yet used. It is kept in this browser, so that Back, a reload or another tab loses none of it. What nobody else may
// know is kept only as long as the tab: what is planned in a sealed game. A field for a passphrase has no draft at all.
const PREFIX = "postrider/draft/";
const MOST = 20_000;

class Drafts {
  /** What this tab has: what is private, and everything where the browser keeps nothing. */
  private here = new Map<string, string>();
  private hidden = new Set<string>();

  get(key: string): string {
    const here = this.here.get(key) ?? "";
    if (this.hidden.has(key)) return here;
    try {
      return localStorage.getItem(PREFIX + key) ?? here;
    } catch {
      return here;
    }
  }

  /** `is_private`: this tab alone has it. */
  set(key: string, text: string, is_private = false): void {
    if (text) this.here.set(key, text);
    else this.here.delete(key);
    if (is_private) this.hidden.add(key);
    else this.hidden.delete(key);
    try {
      if (text && !is_private && text.length <= MOST) localStorage.setItem(PREFIX + key, text);
      else localStorage.removeItem(PREFIX + key);
    } catch {
      // This tab has it.
    }
  }

  clear(...keys: string[]): void {
    for (const key of keys) this.set(key, "");
  }

  /** Forgets what was typed into these fields, whose drafts have their ids, and empties them. */
  used(...ids: string[]): void {
    this.clear(...ids);
    for (const id of ids) {
      const field = document.getElementById(id);
      if (field instanceof HTMLInputElement) field.value = "";
    }
  }

  /** Forgets what this tab alone has, where the player's games are locked. */
  lock(): void {
    for (const key of this.hidden) this.here.delete(key);
  }
}

export const drafts = new Drafts();
