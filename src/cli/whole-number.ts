import { InvalidArgumentError } from 'commander'

/** Reads an option that is a whole number within limits, both included; commander says what is wrong, with the name of the option. */
export function wholeNumber(least: number, most?: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d{1,15}$/.test(text) && number >= least && number <= (most ?? number)) return number
    throw new InvalidArgumentError(`It is a whole number from ${least}${most === undefined ? '' : ` to ${most}`}.`)
  }
}

/** Reads an option that is a TCP port; 0 picks a free one. */
export const tcpPort = wholeNumber(0, 65_535)
