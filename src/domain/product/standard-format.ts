import { canonicalAgentUrl } from '../creative/formats/format-id.ts'
import { standardFormatIds } from '../creative/formats/standard-formats.ts'
import type { FormatRef } from './offer.ts'

/** Distinguishes the standard formats of the agent at `agentUrl` from its own and from other agents' formats. */
export function isStandardFormatOf(agentUrl: string): (format: FormatRef) => boolean {
  const own = canonicalAgentUrl(agentUrl)
  return ({ agent_url, id }) => standardFormatIds.has(id) && (agent_url === agentUrl || canonicalAgentUrl(agent_url) === own)
}
