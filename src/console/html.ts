export { attribute, Html, html, type Part } from '../domain/html.ts'

/** An address that a buyer wrote, for a link or an image; undefined for any that is not http or https (`javascript:`, `data:`). */
export function webAddress(text: unknown): string | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined
  return ['https:', 'http:'].includes(new URL(text).protocol) ? text : undefined
}
