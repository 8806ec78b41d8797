// Bytes as text and back.

export const base64 = (bytes: Uint8Array): string => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
};

export const unbase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
