import { AdcpError } from '../protocol/errors.ts'

/** A whole number of an option. Throws INVALID_REQUEST, naming the option. */
export function readCount(text: string, option: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new AdcpError('INVALID_REQUEST', `--${option} "${text}" is no whole number`, { field: option })
}
