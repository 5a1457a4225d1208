import { readLinks } from '../../store/audit/audit.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Links read at once, fewer where they are large. */
const PAGE = 1000

/** An entry of the log with its place in the chain. */
export interface AuditLink {
  readonly number: number
  readonly entry: unknown
  readonly previous_hash: string
  readonly hash: string
}

/** A chain in its order, whole or from after a link on, with the hashes that hold it together; `bytes` is what the entry has as JSON. */
export async function* exportAudit(
  { store }: Pick<OperatorContext, 'store'>,
  tenantId: string,
  start = 0,
): AsyncGenerator<AuditLink & { readonly bytes: number }> {
  for (let after = start; ; ) {
    const { links, isCut } = await readLinks(store.read, tenantId, after, PAGE)
    for (const { seq, entry, previousHash, hash } of links) {
      const document: unknown = JSON.parse(entry)
      yield { number: seq, entry: document, previous_hash: previousHash, hash, bytes: Buffer.byteLength(entry) }
    }
    const last = links.at(-1)
    if (!last || !isCut) return
    after = last.seq
  }
}
