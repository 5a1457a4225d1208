import type { AdServerBackend } from '../../src/ad-serving/backend.ts'
import { runStep } from '../../src/ad-serving/reconcile/run-step.ts'
import type { DesiredCreative, DesiredOrder } from '../../src/domain/ad-serving/desired-order.ts'
import { diff } from '../../src/domain/ad-serving/diff.ts'
import { BANNER, line, order, SETTINGS } from './ad-server-orders.ts'

/** Creatives of an order with this id: an image and a tag. */
export function gamCreatives(id: string): readonly DesiredCreative[] {
  return [
    { ...BANNER, externalId: `${id}_image` },
    { ...BANNER, externalId: `${id}_tag`, assets: { html: { asset_type: 'html', content: '<b>Shoes</b>' } } },
  ]
}

/** An order of two lines that an emulated network can keep, each of which shows all of these creatives. */
export function gamOrder(id: string, creatives: readonly DesiredCreative[] = []): DesiredOrder {
  const associations = creatives.map(({ externalId }) => ({ creativeExternalId: externalId, weight: null, placementIds: null }))
  const { startsAt, endsAt } = SETTINGS
  return order({
    key: { tenantId: 'acme', externalId: id },
    settings: { name: id, advertiserId: 'acc_1', currency: 'USD', budgetMicros: 10_000_000_000, startsAt, endsAt },
    lines: ['pkg_1', 'pkg_2'].map((name) => line(`${id}_${name}`, { associations })),
    creatives,
  })
}

/** Takes the steps that are left, at most `most` of them. Gives how many are left then. Throws what the network throws. */
export async function takeSteps(
  backend: AdServerBackend,
  wanted: DesiredOrder,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  const steps = diff(wanted, await backend.observe(wanted.key), backend.capabilities)
  const now = steps.slice(0, most)
  for (const step of now) await runStep(backend, wanted.key, step)
  return steps.length - now.length
}
