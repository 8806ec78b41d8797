// Unpacks LZMA, with the parameters with which `web/build` packs the module: lc 4, lp 0, pb 0, and the length in the header.
const unpacked = (bytes) => {
  const length = new DataView(bytes.buffer).getUint32(5, true);
  const out = new Uint8Array(length);
  const chances = (count) => new Uint16Array(count).fill(1024);
  const literal = chances(16 * 768);
  const [isMatch, isRep, isRep0, isRep1, isRep2, isRep0Long] = [12, 12, 12, 12, 12, 12].map(chances);
  const [slots, special, aligned] = [chances(4 * 64), chances(128), chances(16)];
  const lengths = () => ({ choice: chances(2), low: chances(8), mid: chances(8), high: chances(256) });
  const [fresh, again] = [lengths(), lengths()];
  // The range and the code, in an array that holds 32 bits without a sign.
  const held = new Uint32Array([0xffffffff, 0]);
  let at = 13;
  const narrow = () => {
    if (held[0] < 0x1000000) {
      held[0] <<= 8;
      held[1] = (held[1] << 8) | bytes[at++];
    }
  };
  for (let nth = 0; nth < 5; nth += 1) held[1] = (held[1] << 8) | bytes[at++];
  const bit = (chance, nth) => {
    const is = chance[nth];
    const bound = (held[0] >>> 11) * is;
    if (held[1] < bound) {
      held[0] = bound;
      chance[nth] = is + ((2048 - is) >> 5);
      narrow();
      return 0;
    }
    held[0] -= bound;
    held[1] -= bound;
    chance[nth] = is - (is >> 5);
    narrow();
    return 1;
  };
  // A number of so many bits, the highest first.
  const tree = (chance, bits, from) => {
    let number = 1;
    for (let nth = 0; nth < bits; nth += 1) number = (number << 1) | bit(chance, from + number);
    return number - (1 << bits);
  };
  // The lowest first.
  const reversed = (chance, bits, from) => {
    let [number, sum] = [1, 0];
    for (let nth = 0; nth < bits; nth += 1) {
      const one = bit(chance, from + number);
      number = (number << 1) | one;
      sum |= one << nth;
    }
    return sum;
  };
  const direct = (bits) => {
    let number = 0;
    for (let nth = 0; nth < bits; nth += 1) {
      held[0] >>>= 1;
      const is = held[1] >= held[0] ? 1 : 0;
      if (is) held[1] -= held[0];
      number = number * 2 + is;
      narrow();
    }
    return number;
  };
  const lengthOf = ({ choice, low, mid, high }) =>
    bit(choice, 0) ? (bit(choice, 1) ? 16 + tree(high, 8, 0) : 8 + tree(mid, 3, 0)) : tree(low, 3, 0);
  let [state, here] = [0, 0];
  let [one, two, three, four] = [0, 0, 0, 0];
  while (here < length) {
    if (!bit(isMatch, state)) {
      const from = 768 * (here ? out[here - 1] >> 4 : 0);
      let symbol = 1;
      if (state >= 7) {
        let match = out[here - one - 1];
        do {
          const above = (match >> 7) & 1;
          match <<= 1;
          const is = bit(literal, from + ((1 + above) << 8) + symbol);
          symbol = (symbol << 1) | is;
          if (above !== is) break;
        } while (symbol < 256);
      }
      while (symbol < 256) symbol = (symbol << 1) | bit(literal, from + symbol);
      out[here++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (bit(isRep, state)) {
      if (!bit(isRep0, state)) {
        if (!bit(isRep0Long, state)) {
          state = state < 7 ? 9 : 11;
          out[here] = out[here - one - 1];
          here += 1;
          continue;
        }
      } else {
        let distance = two;
        if (bit(isRep1, state)) {
          if (bit(isRep2, state)) {
            distance = four;
            four = three;
          } else distance = three;
          three = two;
        }
        two = one;
        one = distance;
      }
      count = lengthOf(again);
      state = state < 7 ? 8 : 11;
    } else {
      [four, three, two] = [three, two, one];
      count = lengthOf(fresh);
      state = state < 7 ? 7 : 10;
      const slot = tree(slots, 6, 64 * Math.min(count, 3));
      one = slot;
      if (slot > 3) {
        const bits = (slot >> 1) - 1;
        one = (2 | (slot & 1)) * 2 ** bits;
        if (slot < 14) one += reversed(special, bits, one - slot);
        else one += direct(bits - 4) * 16 + reversed(aligned, 4, 0);
      }
      if (one >= here) throw new Error("the module in this page is damaged");
    }
    for (count += 2; count > 0 && here < length; count -= 1) {
      out[here] = out[here - one - 1];
      here += 1;
    }
  }
  return out;
};
