/** Control characters but for line breaks and tabs, and those that turn the direction of a text round (UAX #9). */
const STEERING = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu

/** Text of others must not steer the terminal, nor hide what stands on it: such characters are shown as `?`. */
export function terminalText(text: string): string {
  return text.replaceAll(STEERING, '?')
}
