import { AdcpError } from '../protocol/errors.ts'
import { required, text } from './fields.ts'

/** The field of an address to which webhooks are sent. */
export const HTTPS_ADDRESS = required(text('https address'))

/** The text when it is an https URL without credentials of a user and without a fragment. Throws INVALID_REQUEST, naming `field`. */
export function requireHttpsUrl(text: string, field: string): string {
  if (URL.canParse(text) && new URL(text).protocol === 'https:') {
    const { username, password } = new URL(text)
    if (text.includes('#')) {
      const message = `${field} has a fragment, which is never sent, and would be stored and shown as it is; leave out the # and what follows`
      throw new AdcpError('INVALID_REQUEST', message, { field })
    }
    if (username === '' && password === '') return text
    const message = `${field} has a user name or password before its host: addresses are shown and logged; leave out what is before the @`
    throw new AdcpError('INVALID_REQUEST', message, { field })
  }
  throw new AdcpError('INVALID_REQUEST', `"${text}" is not an https URL`, { field })
}
