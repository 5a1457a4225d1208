import type { LookupArguments } from '../../domain/directory/lookup-query.ts'

/** An answer other than the envelope; the body is `{error, code}` and what `more` adds. */
export class DirectoryRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  readonly more: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.name = 'DirectoryRefusal'
    this.status = status
    this.code = code
    this.headers = headers
    this.more = more
  }
}

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
