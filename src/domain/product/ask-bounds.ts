import { AdcpError } from '../../protocol/errors.ts'
import { withoutMarks } from '../normal-text.ts'

/** Asks of one request, and their characters together: a plan and its products, each with a paragraph. */
const MOST_ENTRIES = 100
const MOST_CHARACTERS = 5_000

/**
 * Throws INVALID_REQUEST for more entries, or longer asks, than one request may have in `field`: each is read whole and held against every product. A character that
 * stands for several (a ligature) counts as those.
 */
export function requireAskBounds(entries: readonly { readonly ask?: string | undefined }[], field: string): void {
  const refuse = (message: string) => new AdcpError('INVALID_REQUEST', message, { field, suggestion: 'ask in several calls' })
  if (entries.length > MOST_ENTRIES) throw refuse(`${field} has ${entries.length} entries; at most ${MOST_ENTRIES}`)
  const total = (lengthOf: (text: string) => number) => entries.reduce((sum, { ask = '' }) => sum + lengthOf(ask), 0)
  const sent = total((text) => text.length)
  // Only what is short enough as it was sent is written out.
  const characters =
    sent > MOST_CHARACTERS
      ? sent
      : Math.max(
          sent,
          total((text) => withoutMarks(text).length),
        )
  if (characters > MOST_CHARACTERS)
    throw refuse(`the asks of ${field} have ${characters} characters; at most ${MOST_CHARACTERS} together`)
}
