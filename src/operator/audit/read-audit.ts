import { verifyChain } from '../../features/audit/verify-chain.ts'
import { chainedTenants, countUnsealed, listAudit, readLinks } from '../../store/audit/audit.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Entries of the audit log of a publisher (`''`: unknown callers and the deployment), newest first. */
export function listAuditEntries({ store }: OperatorContext, tenantId: string, filter: Parameters<typeof listAudit>[2]) {
  return listAudit(store.read, tenantId, filter)
}

/** Entries of all publishers that are written and not in a chain, and so in no list, yet. */
export function countUnchained({ store }: OperatorContext): Promise<number> {
  return countUnsealed(store.read)
}

/** Links read at once. */
const PAGE = 1000

/** An entry of the log with its place in the chain. */
export interface AuditLink {
  readonly number: number
  readonly entry: unknown
  readonly previous_hash: string
  readonly hash: string
}

/** A chain in its order, whole or from after a link on, with the hashes that hold it together. */
export async function* exportAudit({ store }: OperatorContext, tenantId: string, start = 0): AsyncGenerator<AuditLink> {
  for (let after = start; ; ) {
    const links = await readLinks(store.read, tenantId, after, PAGE)
    for (const { seq, entry, previousHash, hash } of links) {
      const document: unknown = JSON.parse(entry)
      yield { number: seq, entry: document, previous_hash: previousHash, hash }
    }
    const last = links.at(-1)
    if (!last || links.length < PAGE) return
    after = last.seq
  }
}

/**
 * Follows the chain of a publisher, or every chain, from its start. `head` is what an earlier run gave: the chain must still hold it. `waiting` entries are
 * written and not chained yet.
 */
export async function verifyAudit(
  { store }: OperatorContext,
  { tenantId, head }: { readonly tenantId?: string | undefined; readonly head?: { seq: number; hash: string } | undefined },
) {
  const tenants = tenantId === undefined ? await chainedTenants(store.read) : [tenantId]
  const chains = []
  for (const tenant of tenants) chains.push(await verifyChain(store.read, tenant, head))
  return { chains, waiting: await countUnsealed(store.read) }
}
