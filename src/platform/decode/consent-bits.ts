/** A consent string that does not have the form that its specification gives it. The message repeats nothing of the string. */
export class ConsentUndecodable extends Error {}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** The six bits of each character of base64url, by its code; 64: no such character. */
const SIX_BITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const at = ALPHABET.indexOf(String.fromCharCode(code))
  return at === -1 ? 64 : at
})

/** Reads the bits of a text in base64url from the first to the last, in steps. Nothing is expanded: memory is one byte for each character. */
export class ConsentBits {
  readonly #sixes: Uint8Array
  #at = 0

  /** Throws {@link ConsentUndecodable}: a character that base64url does not have. */
  constructor(text: string) {
    this.#sixes = new Uint8Array(text.length)
    for (let at = 0; at < text.length; at += 1) {
      const six = SIX_BITS[text.charCodeAt(at)] ?? 64
      if (six === 64) throw new ConsentUndecodable('it has a character that is not of base64url')
      this.#sixes[at] = six
    }
  }

  /** Where the next bit is read. */
  get at(): number {
    return this.#at
  }

  /** The bit at a place, 0 behind the end. */
  bitAt(place: number): number {
    return ((this.#sixes[Math.floor(place / 6)] ?? 0) >> (5 - (place % 6))) & 1
  }

  /** The next `count` bits (1 to 32) as an unsigned number. Throws {@link ConsentUndecodable} where they are not there. */
  read(count: number): number {
    this.#require(count)
    let value = 0
    for (let left = count; left > 0; left -= 1, this.#at += 1) value = value * 2 + this.bitAt(this.#at)
    return value
  }

  /** Passes over bits. Throws {@link ConsentUndecodable} where they are not there. */
  skip(count: number): void {
    this.#require(count)
    this.#at += count
  }

  /** A number of 1 and more in Fibonacci coding, which ends at two set bits. Throws {@link ConsentUndecodable} above `maximum`, or where it does not end. */
  readFibonacci(maximum: number): number {
    let [value, weight, next, last] = [0, 1, 2, 0]
    for (;;) {
      const bit = this.read(1)
      if (bit === 1 && last === 1) return value
      if (bit === 1) value += weight
      if (value > maximum || weight > maximum) throw new ConsentUndecodable(`it has a number above ${maximum}`)
      ;[weight, next, last] = [next, weight + next, bit]
    }
  }

  #require(count: number): void {
    if (this.#at + count > this.#sixes.length * 6) throw new ConsentUndecodable('it ends too early')
  }
}
