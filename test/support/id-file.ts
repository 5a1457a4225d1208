import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { IdMemory, RememberedId } from '../../src/domain/ad-serving/id-memory.ts'

type Stored = Readonly<Record<string, readonly RememberedId[]>>

/** Ids of one ad server in a file, which processes share; what one was killed while it wrote is whole or not there. */
export function idFile(path: string): IdMemory {
  const read = (): Stored => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {})
  const keyOf = ({ tenantId, externalId }: { readonly tenantId: string; readonly externalId: string }) =>
    JSON.stringify([tenantId, externalId])
  return {
    list: async (order) => read()[keyOf(order)] ?? [],
    async save(order, id) {
      const all = read()
      const others = (all[keyOf(order)] ?? []).filter(({ kind, externalId }) => kind !== id.kind || externalId !== id.externalId)
      writeFileSync(`${path}.${process.pid}`, JSON.stringify({ ...all, [keyOf(order)]: [...others, id] }))
      renameSync(`${path}.${process.pid}`, path)
    },
    async known(tenantId, kind, theirIds) {
      const wanted = new Set(theirIds)
      const all = Object.entries(read()).flatMap(([key, ids]) => (JSON.parse(key)[0] === tenantId ? ids : []))
      return new Set(all.flatMap((id) => (id.kind === kind && wanted.has(id.theirId) ? [id.theirId] : [])))
    },
  }
}
