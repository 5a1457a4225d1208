import { errorCodeOf, errorMeaning } from '../../ad-serving/embedded/error-codes.ts'
import { listEmbeddedErrors } from '../../store/embedded/reports.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Errors that video players reported of an order that the embedded ad server shows, by package, creative and code (VAST 4.2), most first. */
export async function playerErrors({ store }: OperatorContext, tenantId: string, mediaBuyId: string) {
  const sums = new Map<string, { package_id: string; creative_id: string; code: string; meaning: string; errors: number }>()
  for (const { lineAnchor, creativeAnchor, kind, events } of await listEmbeddedErrors(store.read, tenantId, mediaBuyId)) {
    const code = errorCodeOf(kind)
    if (code === undefined) continue
    const key = JSON.stringify([lineAnchor, creativeAnchor, code])
    const errors = events + (sums.get(key)?.errors ?? 0)
    sums.set(key, { package_id: lineAnchor, creative_id: creativeAnchor, code, meaning: errorMeaning(code), errors })
  }
  return [...sums].toSorted(([a, x], [b, y]) => y.errors - x.errors || (a < b ? -1 : 1)).map(([, row]) => row)
}
