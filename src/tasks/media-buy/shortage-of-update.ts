import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { OrderChange } from '../../domain/media-buy/order-request.ts'
import type { WithTotal } from '../../domain/media-buy/redistribute.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { renamedError } from '../../protocol/renamed-error.ts'

/** Of an update of a package, what asks for more inventory, in the order in which it is named. */
const ASKS = ['budget', 'impressions', 'end_time', 'start_time'] as const

/** Runs what looks for inventory for an update: a shortage names the member that was sent, not the package of the order that it is about. */
export async function namingWhatWasSent<T>(sent: WithTotal, after: MediaBuy, look: () => Promise<T>): Promise<T> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof AdcpError) || error.code !== 'PRODUCT_UNAVAILABLE' || error.field === undefined) throw error
    throw renamedError(error, { [error.field]: memberSent(sent, after, error.details?.product_id) ?? error.field })
  }
}

function memberSent(sent: WithTotal, after: MediaBuy, productId: unknown): string | undefined {
  const own = new Set(after.packages.flatMap((each) => (each.productId === productId ? [each.packageId] : [])))
  const index = sent.packages?.findIndex(({ package_id: id }) => own.has(id)) ?? -1
  const changed = sent.packages?.[index]
  if (changed) return `packages[${index}].${ASKS.find((name) => changed[name] !== undefined) ?? 'package_id'}`
  const added = sent.new_packages?.findIndex((each) => each.product_id === productId) ?? -1
  if (added >= 0) return `new_packages[${added}].product_id`
  if (sent.total_budget) return 'total_budget.amount'
  return (['end_time', 'start_time'] as const satisfies readonly (keyof OrderChange)[]).find((name) => sent[name] !== undefined)
}
