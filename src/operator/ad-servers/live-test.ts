import type { AdServerBackend } from '../../ad-serving/backend.ts'
import { runStep } from '../../ad-serving/reconcile/run-step.ts'
import { withTimeLimit } from '../../ad-serving/reconcile/timed-backend.ts'
import type { DesiredOrder } from '../../domain/ad-serving/desired-order.ts'
import { diff } from '../../domain/ad-serving/diff.ts'
import { reasonOf } from '../../domain/ad-serving/reason-of.ts'
import { describeStep } from '../../domain/ad-serving/step.ts'
import { HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findProduct } from '../../store/product/products.ts'
import type { ActContext } from '../act.ts'
import { logNow } from '../audited-store.ts'
import { missingProduct } from '../missing-product.ts'
import type { OperatorContext } from '../operator-context.ts'
import { keepablePrice, lineOfProduct } from './require-keepable.ts'
import { getBackend } from './show-ad-servers.ts'

/** One thing that was tried at an ad server. */
export interface LiveCheck {
  readonly check: string
  readonly ok: boolean
  readonly ms: number
  /** What was found, or what went wrong. */
  readonly detail: string
}

export interface LiveTest {
  readonly ad_server: string
  readonly product: string
  /** Our id of the test order. */
  readonly order: string
  readonly ok: boolean
  readonly checks: readonly LiveCheck[]
}

/** Longest call, in milliseconds; reports and forecasts of a network take longer than writes. */
const CALL_MS = 60_000
/** The buyer's account of test orders. */
const ACCOUNT = 'adcp-live-test'
/** Units of the currency that the test order may cost. */
const BUDGET_MICROS = 10_000_000
/** A new order may be found some seconds after it was made. */
const LOOKS = 10
const MOST_REPORT_PARTS = 20

/**
 * Tries an ad server out with an order of one line a month from now, which has no creatives and is ended afterwards, whatever happens. Throws
 * REFERENCE_NOT_FOUND and INVALID_REQUEST before anything is written; what fails later is in the result.
 */
export async function testLive(
  context: ActContext,
  tenantId: string,
  { adServer, product: productId }: { readonly adServer?: string | undefined; readonly product?: string | undefined },
): Promise<LiveTest> {
  const { name, backend: used } = await getBackend(context, tenantId, adServer)
  const product = await productFor(context, tenantId, name, productId)
  const backend = withTimeLimit(used, CALL_MS)
  const wanted = orderFor(backend, product, { tenantId, now: context.clock() })
  const externalId = wanted.key.externalId
  context.noteSubject(externalId)
  await logNow(context)
  const checks: LiveCheck[] = []
  const attempt = async (check: string, work: () => Promise<string>) => {
    const startedAt = performance.now()
    const [ok, detail] = await work().then(
      (found) => [true, found] as const,
      (error: unknown) => [false, reasonOf(error)] as const,
    )
    checks.push({ check, ok, ms: Math.round(performance.now() - startedAt), detail })
    return ok
  }
  const answers = await attempt('answers and takes our credentials', async () => {
    await backend.check()
    return backend.description
  })
  if (answers) await tryOrder(backend, wanted, product, attempt)
  return { ad_server: name, product: product.product_id, order: externalId, ok: checks.every(({ ok }) => ok), checks }
}

type Attempt = (check: string, work: () => Promise<string>) => Promise<boolean>

async function tryOrder(
  backend: AdServerBackend,
  wanted: DesiredOrder,
  product: ProductDocument,
  attempt: Attempt,
): Promise<void> {
  const [line] = wanted.lines
  const { tenantId, externalId } = wanted.key
  await attempt('lists inventory', async () => {
    const { units, next } = await backend.listInventory(tenantId)
    return `${units.length} units${next === undefined ? '' : ' on the first page'}`
  })
  await attempt('forecasts', async () => {
    const query = { flight: wanted.settings, impressions: 1, held: new HeldInventory(new Map()) }
    const wish = { ...query, productId: product.product_id, dailyCapacity: product.selling.daily_capacity }
    const [found] = await backend.forecast(tenantId, [wish])
    return `${found?.available ?? 0} impressions on the day`
  })
  const isThere = await attempt('takes an order and its line, and finds them by our ids', () => bring(backend, wanted))
  if (isThere && backend.capabilities.pauses) {
    await attempt('pauses', () => bring(backend, { ...wanted, state: 'paused' }))
    await attempt('goes on', () => bring(backend, wanted))
  }
  if (isThere && line && backend.capabilities.changesLines) {
    const settings = { ...line.settings, budgetMicros: line.settings.budgetMicros * 2 }
    await attempt('changes a budget', () => bring(backend, { ...wanted, lines: [{ ...line, settings }] }))
  }
  if (isThere) await attempt('reports', () => readReport(backend, tenantId, externalId))
  // Also when nothing of it was found: it may be found late.
  await attempt('ends the order', () => bring(backend, { ...wanted, state: 'ended' }))
}

/** Takes the steps until the order is there as it is wanted. Throws what the ad server throws, and when it does not show what it accepted. */
async function bring(backend: AdServerBackend, wanted: DesiredOrder): Promise<string> {
  let taken = 0
  for (let look = 1; look <= LOOKS; look += 1) {
    const observed = await backend.observe(wanted.key)
    const steps = diff(wanted, observed, backend.capabilities)
    if (steps.length === 0)
      return [`${taken} steps, shown at look ${look}`, observed && `${observed.id} is ${observed.state}`, observed?.reason]
        .filter((part) => part !== undefined)
        .join('; ')
    for (const step of steps) await runStep(backend, wanted.key, step)
    taken += steps.length
  }
  const left = diff(wanted, await backend.observe(wanted.key), backend.capabilities)
  throw new Error(`accepted, but not shown after ${LOOKS} looks: ${left.map(describeStep).join(', ')}`)
}

async function readReport(backend: AdServerBackend, tenantId: string, externalId: string): Promise<string> {
  const request = { tenantId, orderExternalIds: [externalId], since: new Date(0).toISOString().slice(0, 10) }
  let rows = 0
  let after: string | undefined
  for (let part = 0; part < MOST_REPORT_PARTS; part += 1) {
    const answer = await backend.report({ ...request, ...(after !== undefined && { after }) })
    rows += answer.rows.length
    after = answer.next
    if (after === undefined) return `${rows} rows`
  }
  throw new Error(`the report did not end after ${MOST_REPORT_PARTS} parts`)
}

async function productFor(
  { services, store }: OperatorContext,
  tenantId: string,
  name: string,
  productId: string | undefined,
): Promise<ProductDocument> {
  const served = (await services.adServers()).list(tenantId).find((one) => one.name === name)
  const chosen = productId ?? served?.products?.[0]
  const product = chosen === undefined ? undefined : await findProduct(store.read, tenantId, chosen)
  if (product) return product
  if (chosen !== undefined) throw await missingProduct(store.read, tenantId, chosen, 'product')
  const message = 'name the product to book with --product; sales-agent products list shows the ids'
  throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'product' })
}

function orderFor(
  backend: AdServerBackend,
  product: ProductDocument,
  { tenantId, now }: { readonly tenantId: string; readonly now: Date },
): DesiredOrder {
  const option = keepablePrice(backend, product, now)
  const settings = { ...lineOfProduct(product, option, now), budgetMicros: BUDGET_MICROS }
  const externalId = `live-test-${now.toISOString().replaceAll(/[^0-9]/g, '')}`
  const { startsAt, endsAt, budgetMicros } = settings
  return {
    key: { tenantId, externalId },
    state: 'active',
    settings: {
      name: `Live test ${externalId}`,
      advertiserId: ACCOUNT,
      currency: option.currency,
      budgetMicros,
      startsAt,
      endsAt,
    },
    lines: [{ externalId: `${externalId}-line`, state: 'active', settings, associations: [] }],
    creatives: [],
  }
}
