import { breakOf, CHAIN_START, type ChainHead } from '../../domain/audit/chain.ts'
import type { AuditEntry } from '../../domain/audit/entry.ts'
import { readLinks, type StoredLink } from '../../store/audit/audit.ts'
import type { Db } from '../../store/database.ts'

/** What following a chain from its start came to. */
export interface ChainReport {
  readonly tenant: string
  readonly links: number
  /** Hash of the last link, to be stored elsewhere: without it a truncated chain verifies. */
  readonly head: string
  /** Why the chain does not hold, in words. */
  readonly broken?: string
}

/** Links read at once: memory stays the same whatever the length of the chain. */
const PAGE = 1000

/**
 * Follows a tenant's chain from its start. `expected` is a head noted earlier: the chain must still hold it.
 */
export async function verifyChain(db: Db, tenantId: string, expected?: ChainHead): Promise<ChainReport> {
  let head: ChainHead = { seq: 0, hash: CHAIN_START }
  for (;;) {
    const { links, isCut } = await readLinks(db, tenantId, head.seq, PAGE)
    for (const link of links) {
      const broken = breakOf(head, link) ?? mislabelled(link) ?? contradiction(link, expected)
      if (broken !== undefined) return { tenant: tenantId, links: head.seq, head: head.hash, broken }
      head = link
    }
    if (!isCut) break
  }
  const report = { tenant: tenantId, links: head.seq, head: head.hash }
  if (expected && expected.seq > head.seq) return { ...report, broken: `it ends at ${head.seq}; ${expected.seq} was there` }
  return report
}

/** Columns that were changed on their own would hide an entry from searches. */
function mislabelled({ seq, entry, columns }: StoredLink): string | undefined {
  const { at, principal, task, outcome }: AuditEntry = JSON.parse(entry)
  const isSame =
    at === columns.at && (principal ?? null) === columns.principal && task === columns.task && outcome === columns.outcome
  return isSame ? undefined : `number ${seq} is filed as something else than it says`
}

function contradiction(link: ChainHead, expected: ChainHead | undefined): string | undefined {
  if (expected?.seq !== link.seq || expected.hash === link.hash) return undefined
  return `number ${link.seq} is another one than was there`
}
