/** An id at one ad server of several. */
export interface ExternalId {
  readonly adServer: string
  readonly id: string
}

/**
 * Ids of ad servers as they are stored: `name:id`, percent-encoded, several separated by a space, so that an order that is booked is found again
 * after the configuration has changed. Ids of the simulator stand alone.
 */
export function writeIds(ids: readonly ExternalId[]): string {
  return ids
    .map(({ adServer, id }) => (adServer === SIMULATOR ? encodeURIComponent(id) : `${adServer}:${encodeURIComponent(id)}`))
    .join(' ')
}

/** Reads what {@link writeIds} wrote. An empty text holds no id. */
export function readIds(text: string): readonly ExternalId[] {
  return text.split(' ').flatMap((part) => {
    if (part === '') return []
    const colon = part.indexOf(':')
    const adServer = colon < 0 ? SIMULATOR : part.slice(0, colon)
    return [{ adServer, id: decodeURIComponent(part.slice(colon + 1)) }]
  })
}

/** Name of the built-in simulator; no other ad server may have it. */
export const SIMULATOR = 'simulator'

/** Name of the ad server of this program itself; no other ad server may have it. */
export const EMBEDDED = 'embedded'
