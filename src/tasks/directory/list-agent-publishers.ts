import { agentKey } from '../../domain/directory/agent-url.ts'
import { parseLookup } from '../../domain/directory/lookup-query.ts'
import type { DirectoryEnvelope } from '../../features/directory/envelope.ts'
import { readEnvelope } from '../../features/directory/lookup.ts'
import { defineTask } from '../../pipeline/task.ts'
import { createDirectoryReader } from '../../store/directory/directory-lookup.ts'

interface ListAgentPublishersRequest {
  agent_url: string
  since?: string
  cursor?: string
  status?: string[]
  limit?: number
  include?: string[]
}

/** The directory lookup as a task: the HTTP route with lists in place of repeated keys (AdCP publisher directory page). */
export const listAgentPublishers = defineTask<ListAgentPublishersRequest, DirectoryEnvelope>()({
  name: 'list_agent_publishers',
  access: 'public',
  scope: 'products',
  summary: 'List the publishers whose adagents.json authorises a sales agent, with property counts',
  async handle(request, { db, now, services, remoteAddress }) {
    const kind = request.cursor === undefined ? 'lookup' : 'continuation'
    await services.directoryLimit(agentKey(request.agent_url) ?? '', remoteAddress ?? '', kind)
    const { agent_url: agentUrl, ...filters } = request
    return readEnvelope(createDirectoryReader(db), parseLookup({ agentUrl, ...filters }, now), now)
  },
})
