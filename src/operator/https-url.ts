import { AdcpError } from '../protocol/errors.ts'
import { required, text } from './fields.ts'

/** The field of an address to which webhooks are sent. */
export const HTTPS_ADDRESS = required(text('https address'))

/** The text when it is an https URL. Throws INVALID_REQUEST, naming `field`. */
export function requireHttpsUrl(text: string, field: string): string {
  if (URL.canParse(text) && new URL(text).protocol === 'https:') return text
  throw new AdcpError('INVALID_REQUEST', `"${text}" is not an https URL`, { field })
}
