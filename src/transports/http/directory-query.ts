import type { LookupArguments } from '../../domain/directory/lookup-query.ts'
import { DirectoryRefusal } from './directory-refusal.ts'

const SINGLE = ['since', 'cursor', 'limit'] as const
const REPEATED = ['status', 'include'] as const

/**
 * Reads path and query of a lookup. Parameters that the directory does not know are left alone; a bracketed or twice
 * given one is refused, because it would otherwise be ignored in silence. Throws DirectoryRefusal 400.
 */
export function lookupArguments(segment: string, url: string): LookupArguments {
  const agentUrl = decodeSegment(segment)
  const queryAt = url.indexOf('?')
  const query = new URLSearchParams(queryAt === -1 ? '' : url.slice(queryAt + 1))
  for (const name of SINGLE) {
    if (query.getAll(name).length > 1) throw new DirectoryRefusal(400, `invalid_${name}`, `${name} may be given once`)
  }
  for (const name of REPEATED) {
    if (query.has(`${name}[]`)) {
      throw new DirectoryRefusal(
        400,
        `invalid_${name}`,
        `${name}[] is not a parameter: repeat the key ${name} once for each value`,
      )
    }
  }
  return {
    agentUrl,
    since: query.get('since') ?? undefined,
    status: query.has('status') ? query.getAll('status') : undefined,
    cursor: query.get('cursor') ?? undefined,
    limit: query.get('limit') ?? undefined,
    include: query.has('include') ? query.getAll('include') : undefined,
  }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new DirectoryRefusal(400, 'invalid_agent_url', 'agent_url is not valid percent-encoding')
  }
}
