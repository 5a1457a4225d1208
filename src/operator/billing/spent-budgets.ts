import { type BilledService, serviceKey } from '../../domain/billing/billing-lines.ts'
import { groupBy } from '../../domain/group-by.ts'
import { readSums } from '../../store/ad-serving/read-sums.ts'
import { chunksInTurns } from '../../store/chunks.ts'
import type { Db } from '../../store/database.ts'

/** Days before and after all others. */
const ALL_DAYS = { first: '0000-01-01', last: '9999-12-31' }

/** Services, by their keys, by the end of whose month the line had spent its budget. `budgetOf`: micros; undefined: not limited, or not known. */
export async function spentBudgets(
  db: Db,
  tenantId: string,
  services: readonly BilledService[],
  budgetOf: (service: BilledService) => number | undefined,
): Promise<ReadonlySet<string>> {
  const asked = groupBy(services, ({ packageId }) => packageId)
  const spent = new Set<string>()
  for await (const packages of chunksInTurns([...asked.keys()])) {
    const sums = await readSums(db, tenantId, { by: ['package', 'month'], ...ALL_DAYS, packages })
    const months = groupBy(sums, ({ values: [packageId = ''] }) => packageId)
    for (const service of packages.flatMap((id) => asked.get(id) ?? [])) {
      const until = (months.get(service.packageId) ?? []).filter(({ values: [, month = ''] }) => month <= service.serviceMonth)
      const micros = until.reduce((sum, { metrics }) => sum + metrics.spendMicros, 0)
      if (micros >= (budgetOf(service) ?? Number.POSITIVE_INFINITY)) spent.add(serviceKey(service))
    }
  }
  return spent
}
