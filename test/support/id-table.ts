import type { IdMemory, RememberedId } from '../../src/domain/ad-serving/id-memory.ts'

/** Ids of one ad server in the memory of this process. */
export function idTable(): IdMemory {
  const all = new Map<string, Map<string, RememberedId>>()
  const of = ({ tenantId, externalId }: { readonly tenantId: string; readonly externalId: string }) =>
    JSON.stringify([tenantId, externalId])
  return {
    list: async (order) => [...(all.get(of(order))?.values() ?? [])],
    async save(order, id) {
      const own = all.get(of(order)) ?? new Map()
      all.set(of(order), own.set(`${id.kind} ${id.externalId}`, id))
    },
    async known(tenantId, kind, theirIds) {
      const wanted = new Set(theirIds)
      const own = [...all].flatMap(([key, ids]) => (JSON.parse(key)[0] === tenantId ? [...ids.values()] : []))
      return new Set(own.flatMap((id) => (id.kind === kind && wanted.has(id.theirId) ? [id.theirId] : [])))
    },
  }
}
