import { NOTHING } from '../../domain/media-buy/delivery.ts'
import { presentBreakdowns } from '../../domain/media-buy/present-breakdowns.ts'
import type { ReportedBuy } from '../../domain/media-buy/present-delivery.ts'
import type { Breakdowns, Dimensions } from '../../domain/media-buy/shown-delivery.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { sizesOf } from '../../store/audience/audience-members.ts'
import { findAudiences } from '../../store/audience/audiences.ts'

/**
 * A media buy with the breakdowns that were asked for. Only the simulator's: it cuts what a package delivered by what the package targets now; what an
 * ad server knows of its audiences and devices it would have to report itself.
 */
export async function withBreakdowns<B extends ReportedBuy>(
  context: InTransaction<AuthenticatedContext>,
  reported: B,
  asked: Dimensions | undefined,
): Promise<B> {
  const { tx, tenant, principal, services } = context
  const { simulated } = services.adServers.of(tenant.tenantId, principal)
  if (asked === undefined || Object.keys(asked).length === 0 || !simulated) return reported
  const { byId } = await services.products.get(tx, tenant, principal)
  const { buy, delivery } = reported
  const audiences = asked.audience ? await audiencesOf(context, reported) : new Map()
  const breakdowns = new Map<string, Breakdowns>()
  await inTurns(
    (function* () {
      for (const { packageId, productId, targetingOverlay: overlay, channels, pricing } of buy.packages) {
        const product = byId.get(productId)
        const total = delivery.packages.get(packageId)?.total ?? NOTHING
        if (product)
          breakdowns.set(packageId, presentBreakdowns(total, pricing, { product, overlay, channels, audiences }, asked))
        yield
      }
    })(),
  )
  return { ...reported, breakdowns }
}

async function audiencesOf({ tx, principal }: InTransaction<AuthenticatedContext>, { buy }: ReportedBuy) {
  const { tenantId, principalId, conformance } = principal
  const reach = { tenantId, principalId, accountId: conformance ? undefined : buy.accountId }
  const ids = [...new Set(buy.packages.flatMap(({ targetingOverlay }) => targetingOverlay?.audience_include ?? []))]
  const audiences = await findAudiences(tx, reach, ids)
  const sizes = await sizesOf(
    tx,
    tenantId,
    audiences.map(({ sellerId }) => sellerId),
  )
  return new Map(
    audiences.map(({ audienceId, sellerId, document }) => [
      audienceId,
      { name: document.name, matched: sizes.get(sellerId)?.matched ?? 0 },
    ]),
  )
}
