import { agentKey } from '../../domain/directory/agent-url.ts'

/** Longest address that is repeated to the caller. */
const MOST_CHARACTERS = 500
/** What is said where no agent's URL can be read from the path. */
const IN_GENERAL = '/v1/agents/{agent_url}/publishers, with https://ads.example/mcp as https%3A%2F%2Fads.example%2Fmcp'
const BEFORE = '/v1/agents/'
const BEHIND = '/publishers'

/**
 * The path of a lookup in which the agent's URL was not encoded, or half of it, as it has to be written. `requestUrl`: path and query as they came. Slashes that a
 * proxy made one of (`https:/`) are two again. What it gives is never refused as malformed.
 */
export function encodedPath(requestUrl: string): string {
  const begin = requestUrl.indexOf(BEFORE) + BEFORE.length
  const behind = requestUrl.lastIndexOf(BEHIND)
  const written = requestUrl.slice(begin, behind > begin ? behind : undefined)
  if (written.length > MOST_CHARACTERS) return IN_GENERAL
  const agent = (isPlain(written) ? written : decoded(written)).replace(/^(https?):\/+/i, '$1://')
  if (!isPlain(agent) || agentKey(agent) === undefined) return IN_GENERAL
  return `${BEFORE}${encodeURIComponent(agent)}${BEHIND}`
}

function isPlain(text: string): boolean {
  return /^https?:\//i.test(text)
}

/** The text without its percent-encoding; as it is, where it has none that can be read. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
