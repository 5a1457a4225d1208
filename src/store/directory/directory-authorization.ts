import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'
import { directoryId } from './directory-agents.ts'

/** Which of some publisher domains the directory holds a verified file for. */
export async function listVerifiedPublishers(db: Db, domains: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for await (const chunk of chunksInTurns(domains)) {
    const rows = await db
      .selectFrom('directory_claims as c')
      .innerJoin('directory_documents as d', 'd.document_id', 'c.document_id')
      .select('c.publisher_domain')
      .distinct()
      .where('c.publisher_domain', 'in', chunk)
      .where('d.verified_at', 'is not', null)
      .execute()
    for (const row of rows) found.add(row.publisher_domain)
  }
  return found
}

/** Which of some publisher domains authorise an agent now, as lookups show it. `agentUrl` is canonical. */
export async function listAuthorizingPublishers(
  db: Db,
  agentUrl: string,
  domains: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for await (const chunk of chunksInTurns(domains)) {
    const rows = await db
      .selectFrom('directory_claims')
      .select('publisher_domain')
      .where('agent_id', '=', directoryId(agentUrl))
      .where('publisher_domain', 'in', chunk)
      .where('shown', '=', 'authorized')
      .execute()
    for (const row of rows) found.add(row.publisher_domain)
  }
  return found
}
