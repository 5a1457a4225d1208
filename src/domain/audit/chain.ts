import { hash } from 'node:crypto'

/** A stored link of the chain: `entry` is the JSON text that was hashed. */
export interface AuditLink {
  readonly tenantId: string
  readonly seq: number
  readonly entry: string
  readonly previousHash: string
  readonly hash: string
}

/** What the first link follows. */
export const CHAIN_START = '0'.repeat(64)

/** Hash of a link: SHA-256 (hex) over tenant, sequence number, hash of the link before and entry, a line each. */
export function linkHash({ tenantId, seq, previousHash, entry }: Omit<AuditLink, 'hash'>): string {
  return hash('sha256', [tenantId, seq, previousHash, entry].join('\n'), 'hex')
}

/** Where a chain is at: what its next link follows. */
export interface ChainHead {
  readonly seq: number
  readonly hash: string
}

/** The link that carries `entry` after `head`. */
export function nextLink(tenantId: string, head: ChainHead, entry: string): AuditLink {
  const link = { tenantId, seq: head.seq + 1, previousHash: head.hash, entry }
  return { ...link, hash: linkHash(link) }
}

/** Why a link does not follow `head`, in words; undefined when it does. */
export function breakOf(head: ChainHead, link: AuditLink): string | undefined {
  if (link.seq !== head.seq + 1) return `number ${head.seq + 1} is missing`
  if (link.previousHash !== head.hash) return `number ${link.seq} does not follow the one before it`
  if (link.hash !== linkHash(link)) return `number ${link.seq} was changed after it was written`
  return undefined
}
