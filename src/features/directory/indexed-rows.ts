import { stringsOf } from '../../domain/directory/property.ts'
import { REVOCATION_HOLD_MS } from '../../domain/directory/revocation.ts'
import type { Db } from '../../store/database.ts'
import { directoryId } from '../../store/directory/directory-agents.ts'
import { findPublisher } from '../../store/directory/directory-publishers.ts'
import { pageHolds, pageShownSources, type ShownSource } from '../../store/directory/directory-sources.ts'
import type { PageOfSize } from '../../store/page-size.ts'
import { requireAgent } from './client.ts'
import type { ComparedRow } from './divergence.ts'
import { waitingPointer } from './why.ts'

const PAGE = 1_000

/**
 * What this store's index says of an agent, for a comparison with the sources: the rows that lookups show, with the addresses of their
 * files, and then every publisher that a revocation holds back at `now` and that has no row.
 */
export async function* indexedRows(db: Db, agentUrl: string, now: Date): AsyncGenerator<ComparedRow> {
  const agentId = directoryId(requireAgent(agentUrl))
  const shown = new Set<string>()
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows, isCut }: PageOfSize<ShownSource> = await pageShownSources(db, agentId, after, PAGE)
    for (const { property_ids, file_url: fileUrl, status, ...row } of rows) {
      shown.add(row.publisher_domain)
      const heldBack = status === 'revoked' ? heldBackBy(fileUrl) : await changeThatWaits(db, row)
      yield { ...row, property_ids: stringsOf(JSON.parse(property_ids)), fileUrl, heldBack }
    }
    after = isCut ? rows.at(-1)?.publisher_domain : undefined
  }
  yield* heldBackRows(db, shown, now)
}

/** The file may have taken its revocation back since (`REVOCATION_HOLD_MS`). */
function heldBackBy(fileUrl: string): string {
  return `held back for seven days after ${fileUrl} revoked it`
}

/** Why the row of a publisher is still that of the file which it pointed at before. */
async function changeThatWaits(
  db: Db,
  row: Pick<ComparedRow, 'publisher_domain' | 'discovery_method'>,
): Promise<string | undefined> {
  if (row.discovery_method !== 'authoritative_location') return undefined
  const publisher = await findPublisher(db, row.publisher_domain)
  return publisher && waitingPointer(publisher)
}

async function* heldBackRows(db: Db, shown: ReadonlySet<string>, now: Date): AsyncGenerator<ComparedRow> {
  const since = new Date(now.getTime() - REVOCATION_HOLD_MS).toISOString()
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await pageHolds(db, after, PAGE)
    const running = new Map(page.filter((hold) => hold.first_observed_at > since).map((hold) => [hold.publisher_domain, hold]))
    for (const { publisher_domain, file_url: fileUrl } of running.values()) {
      if (shown.has(publisher_domain)) continue
      const manager = new URL(fileUrl).hostname
      const route =
        manager === publisher_domain
          ? { discovery_method: 'direct', manager_domain: null }
          : { discovery_method: 'adagents_authoritative', manager_domain: manager }
      yield { publisher_domain, ...route, fileUrl, heldBack: heldBackBy(fileUrl), isOfAnyAgent: true }
    }
    after = page.length < PAGE ? undefined : page.at(-1)?.publisher_domain
  }
}
