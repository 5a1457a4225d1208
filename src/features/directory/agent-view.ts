import { fileForm } from '../../domain/directory/file-form.ts'
import type { Db } from '../../store/database.ts'
import { directoryId, findKnownAgents } from '../../store/directory/directory-agents.ts'
import { pageShownSources } from '../../store/directory/directory-sources.ts'

/** What the directory knows of one agent, a page at a time. */
export interface AgentView {
  readonly agent_url: string
  readonly publishers: readonly object[]
  /** The domain that the next page begins behind; undefined on the last. */
  readonly next: string | undefined
}

/**
 * The publishers that authorise an agent or have just revoked it: by which file, through which path, since when, last verified when.
 * `agentUrl` is canonical. Undefined for an agent that no file has ever named.
 */
export async function agentView(
  db: Db,
  agentUrl: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<AgentView | undefined> {
  if (!(await findKnownAgents(db, [agentUrl])).has(agentUrl)) return undefined
  const { rows, isCut } = await pageShownSources(db, directoryId(agentUrl), after, limit)
  const publishers = rows.map(({ verified_at, granted_at, property_ids, signing_keys_pinned, short_form, ...row }) => ({
    ...row,
    file_form: fileForm({ short_form }),
    signing_keys_pinned: signing_keys_pinned === 1,
    property_ids: JSON.parse(property_ids),
    since: granted_at,
    last_verified_at: verified_at,
  }))
  return { agent_url: agentUrl, publishers, next: isCut ? rows.at(-1)?.publisher_domain : undefined }
}
