import { AdcpError } from '../protocol/errors.ts'

/** Words that stand where an id stands in addresses of the console and of the admin API, so that nothing of such an id could be reached; `export.` with whatever follows. */
const RESERVED = {
  product: ['new', 'import', 'seen', 'export', 'export.'],
  placement: ['new'],
  'ad server': ['test'],
} as const

/** Why something may not be given an id; undefined: it may. */
function reservedFault(kind: keyof typeof RESERVED, id: string): string | undefined {
  const isTaken = RESERVED[kind].some((word) => id === word || (word.endsWith('.') && id.startsWith(word)))
  return isTaken
    ? `"${id.slice(0, 128)}" is no name of a new ${kind}: an address of the console or the admin API has this word; choose another`
    : undefined
}

/** Throws INVALID_REQUEST, naming `field`, for an id under which something new could not be reached. */
export function requireUnreserved(kind: keyof typeof RESERVED, id: string, field: string = kind): void {
  const message = reservedFault(kind, id)
  if (message !== undefined) throw new AdcpError('INVALID_REQUEST', message, { field })
}
