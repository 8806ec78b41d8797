// Unpacks LZMA, with the parameters that `web/build` packs the module with: lc 4, lp 0, pb 0, and the length in the header.
const unpacked = (bytes) => {
  const length = new DataView(bytes.buffer).getUint32(5, true);
  const out = new Uint8Array(length);
  // The chances are in one array, so that reading a bit is one function with one kind of argument. Here each kind begins:
  const [LITERAL, MATCH, REP, REP0, REP1, REP2, LONG, SLOTS, SPECIAL, ALIGNED, FRESH, AGAIN, END] =
    [0, 12288, 12300, 12312, 12324, 12336, 12348, 12360, 12616, 12744, 12760, 13034, 13308];
  const chance = new Uint16Array(END).fill(1024);
  // Range and code have 32 bits without a sign; `>>> 0` where that matters.
  let range = -1;
  let code = 0;
  let at = 13;
  for (let nth = 0; nth < 5; nth += 1) code = (code << 8) | bytes[at++];
  const bit = (nth) => {
    const is = chance[nth];
    const bound = Math.imul(range >>> 11, is);
    let one = 0;
    if (code >>> 0 < bound >>> 0) {
      range = bound;
      chance[nth] = is + ((2048 - is) >> 5);
    } else {
      range = (range - bound) | 0;
      code = (code - bound) | 0;
      chance[nth] = is - (is >> 5);
      one = 1;
    }
    if (range >>> 24 === 0) {
      range <<= 8;
      code = (code << 8) | bytes[at++];
    }
    return one;
  };
  // A number of so many bits, the highest first.
  const tree = (from, bits) => {
    let number = 1;
    for (let nth = 0; nth < bits; nth += 1) number = (number << 1) | bit(from + number);
    return number - (1 << bits);
  };
  // The lowest first.
  const reversed = (from, bits) => {
    let number = 1;
    let sum = 0;
    for (let nth = 0; nth < bits; nth += 1) {
      const one = bit(from + number);
      number = (number << 1) | one;
      sum |= one << nth;
    }
    return sum;
  };
  // Bits that are as likely as not.
  const direct = (bits) => {
    let number = 0;
    for (let nth = 0; nth < bits; nth += 1) {
      range >>>= 1;
      const is = code >>> 0 >= range ? 1 : 0;
      if (is) code = (code - range) | 0;
      number = number * 2 + is;
      if (range >>> 24 === 0) {
        range <<= 8;
        code = (code << 8) | bytes[at++];
      }
    }
    return number;
  };
  const lengthOf = (from) =>
    bit(from) ? (bit(from + 1) ? 16 + tree(from + 18, 8) : 8 + tree(from + 10, 3)) : tree(from + 2, 3);
  let state = 0;
  let here = 0;
  let one = 0;
  let two = 0;
  let three = 0;
  let four = 0;
  while (here < length) {
    if (!bit(MATCH + state)) {
      const from = LITERAL + 768 * (here ? out[here - 1] >> 4 : 0);
      let symbol = 1;
      if (state >= 7) {
        let match = out[here - one - 1];
        do {
          const above = (match >> 7) & 1;
          match <<= 1;
          const is = bit(from + ((1 + above) << 8) + symbol);
          symbol = (symbol << 1) | is;
          if (above !== is) break;
        } while (symbol < 256);
      }
      while (symbol < 256) symbol = (symbol << 1) | bit(from + symbol);
      out[here++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (bit(REP + state)) {
      if (!bit(REP0 + state)) {
        if (!bit(LONG + state)) {
          state = state < 7 ? 9 : 11;
          out[here] = out[here - one - 1];
          here += 1;
          continue;
        }
      } else {
        let distance = two;
        if (bit(REP1 + state)) {
          if (bit(REP2 + state)) {
            distance = four;
            four = three;
          } else distance = three;
          three = two;
        }
        two = one;
        one = distance;
      }
      count = lengthOf(AGAIN);
      state = state < 7 ? 8 : 11;
    } else {
      four = three;
      three = two;
      two = one;
      count = lengthOf(FRESH);
      state = state < 7 ? 7 : 10;
      const slot = tree(SLOTS + 64 * Math.min(count, 3), 6);
      one = slot;
      if (slot > 3) {
        const bits = (slot >> 1) - 1;
        one = (2 | (slot & 1)) << bits;
        if (slot < 14) one += reversed(SPECIAL + one - slot, bits);
        else one += direct(bits - 4) * 16 + reversed(ALIGNED, 4);
      }
      if (one >= here || one < 0) throw new Error("the module in this page is damaged");
    }
    for (count += 2; count > 0 && here < length; count -= 1) {
      out[here] = out[here - one - 1];
      here += 1;
    }
  }
  return out;
};
