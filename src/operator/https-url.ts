import { AdcpError } from '../protocol/errors.ts'

/** The text when it is an https URL. Throws INVALID_REQUEST, naming `field`. */
export function requireHttpsUrl(text: string, field: string): string {
  if (URL.canParse(text) && new URL(text).protocol === 'https:') return text
  throw new AdcpError('INVALID_REQUEST', `"${text}" is not an https URL`, { field })
}
