import { differenceText } from '../../ad-serving/embedded/direct-difference.ts'
import type { DirectOrderFile } from '../../ad-serving/embedded/direct-order.ts'
import { type DirectOrderParts, putDirectOrder, type WrittenDirectOrder } from '../../ad-serving/embedded/direct-orders.ts'
import { directRecordOf } from '../../ad-serving/embedded/direct-record.ts'
import { DIRECT, settingsOfStored } from '../../ad-serving/embedded/stored-direct-order.ts'
import { adsOrigin } from '../../config/ads-settings.ts'
import { publicOrigin } from '../../config/config.ts'
import { currencyOf, timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import { isCurrency, priceFault } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import type { Validate } from '../../protocol/schemas.ts'
import { findEmbeddedOrderByAnchor } from '../../store/embedded/orders.ts'
import { createProductCache } from '../../store/product/product-cache.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { tryOut } from '../audited-store.ts'
import { count, object as jsonObject } from '../fields.ts'
import { type ImportFile, readDocument } from '../imports/import-document.ts'
import { chosenFile, importFile } from '../imports/import-fields.ts'
import { requirePublisher } from '../require-publisher.ts'
import { SELLERS } from '../roles.ts'
import { about, anything, boolean, integer, listOf, named, number, type Of, object, orNull, string } from '../shape.ts'
import { directOrderLines, directOrderShape, type ShownDirectOrder } from './direct-order-shapes.ts'
import { budgetOf, newOrderIn, notedDifferences } from './logged-direct-order.ts'
import { readShownOrder } from './present-direct-order.ts'
import { withReasons } from './unsold-models.ts'

// Several acts in one file: the same decision or change in its directions, such as approve and reject.

/** What entering a direct order would come to. Budgets are in units of `currency`. */
export type DirectOrderConsequences = Of<typeof consequences>
const budget = about('null: not limited', orNull(number))
const consequences = named(
  'DirectOrderConsequences',
  object({
    order_id: string,
    revision: about('of the order as it is; 0: it would be entered anew', integer),
    changed: boolean,
    currency: about('ISO 4217', string),
    budget_before: budget,
    budget_after: budget,
    differences: listOf(
      object({
        line_id: orNull(string),
        creative_id: orNull(string),
        field: about('null: the whole line or creative comes or goes', orNull(string)),
        before: about('as the document of the order has it; null: it was not there', anything),
        after: about('as the document of the order has it; null: it is not there', anything),
      }),
    ),
    held: listOf(
      object({
        product_id: string,
        impressions: about('impressions reserved beyond those of before; negative: they become available to others', number),
      }),
    ),
    warnings: listOf(string),
  }),
)

const ENTERED = {
  file: chosenFile('the order (schemas/direct-order.json)'),
  document: jsonObject('the order, as the schema direct-order has it'),
  revision: count('changes the order only at this revision; 0: only creates an order'),
}

/** Works out what entering or changing a direct order would reserve and warn of, and stores nothing. Throws what {@link enterDirectOrder} throws. */
export const previewDirectOrder = defineAct({
  name: 'direct-orders.preview',
  route: 'POST /direct-orders/preview',
  id: 'previewDirectOrder',
  roles: SELLERS,
  changes: false,
  summary: 'What entering or changing a direct order would reserve, and its warnings. Nothing is stored.',
  fields: ENTERED,
  answer: consequences,
  async run(context, { revision, ...values }) {
    const { order, parts, known } = await prepare(context, importFile('order', values))
    const written = await tryOut(context, (tx) => putDirectOrder(tx, context.tenantId, order, { ...parts, revision }))
    const { before, after, differences, heldChanges } = written
    const lines = before ? (await readShownOrder(context, order.order_id)).lines : []
    return {
      order_id: order.order_id,
      revision: known,
      changed: before === undefined || differences.length > 0,
      currency: after.currency,
      budget_before: before ? budgetOf(before) : null,
      budget_after: budgetOf(after),
      differences,
      held: [...heldChanges].map(([product_id, impressions]) => ({ product_id, impressions })),
      warnings: warningsOf(written, lines, context.clock()),
    }
  },
})

/**
 * From a file or document (schemas/direct-order.json). Throws INVALID_REQUEST with one issue a problem, PRODUCT_NOT_FOUND, PRODUCT_UNAVAILABLE when a day would be
 * sold twice, INVALID_STATE for an order that has ended, CONFLICT for another revision than the one that is given (0: it has to be new).
 */
export const enterDirectOrder = defineAct({
  name: 'direct-orders.put',
  route: 'PUT /direct-orders',
  id: 'enterDirectOrder',
  roles: SELLERS,
  summary: 'Enters a direct order, or changes the one of the same id.',
  fields: ENTERED,
  answer: directOrderShape,
  command: {
    help: 'enter an order from a JSON file (schemas/direct-order.json), or change the one of the same id',
    args: ['file'],
    without: ['document'],
    dryRun: (values) => ({ act: { ...previewDirectOrder, command: { text: consequenceLines } }, values }),
    text: directOrderLines,
  },
  async run(context, { revision, ...values }) {
    const { order, parts, known } = await prepare(context, importFile('order', values))
    context.noteSubject(order.order_id)
    if (known > 0) context.noteName('direct-orders.change')
    // Without a revision from the caller, the one just read: it chose the name in the audit log, so an order that somebody enters meanwhile is a conflict.
    await context.store.transaction(async (tx) => {
      const written = await putDirectOrder(tx, context.tenantId, order, { ...parts, revision: revision ?? known })
      context.noteAllChanges(written.before ? notedDifferences(written.differences) : newOrderIn(written.after))
    })
    return readShownOrder(context, order.order_id)
  },
})

function consequenceLines({ order_id: id, revision, changed, ...what }: DirectOrderConsequences): readonly string[] {
  if (!changed) return [`${id}: nothing would change`]
  const money = (amount: number | null) =>
    amount === null ? 'not limited' : `${amountText(amount, what.currency)} ${what.currency}`
  const change = revision === 0 ? money(what.budget_after) : `${money(what.budget_before)} → ${money(what.budget_after)}`
  return [
    revision === 0 ? `${id}: would be entered` : `${id}, revision ${revision}:`,
    ...what.differences.map((difference) => `  ${differenceText(difference)}`),
    `budget: ${change}`,
    ...what.held.map(({ product_id: product, impressions }) =>
      impressions < 0
        ? `${-impressions} impressions of ${product} become free`
        : `${impressions} more impressions of ${product} are held`,
    ),
    ...what.warnings,
  ]
}

/** What entering an order and trying it out begin with; `known`: the revision that is stored, 0 for a new order. */
async function prepare(context: ActContext, file: ImportFile) {
  const { store, tenantId } = context
  const read = await readOrder(context, file)
  if (read.currency !== undefined && !isCurrency(read.currency))
    throw new AdcpError('INVALID_REQUEST', `currency ${quoted(read.currency)} is no currency of ISO 4217, such as EUR`, {
      field: 'currency',
    })
  const { parts, currency } = await directOrderParts(context)
  const known = await findEmbeddedOrderByAnchor(store.read, tenantId, `${DIRECT}${read.order_id}`)
  const order = {
    ...read,
    currency: read.currency ?? (known ? settingsOfStored(known).currency : currency),
    lines: read.lines.map((line) => ({ ...line, creatives: line.creatives ?? [] })),
  }
  return { order, parts, known: known ? directRecordOf(known).revision : 0 }
}

/** What a direct order is entered with, and the currency of one that names none. Throws REFERENCE_NOT_FOUND for a publisher that is not there. */
export async function directOrderParts({ store, config, clock, actor, tenantId }: ActContext) {
  const tenant = await requirePublisher(store.read, tenantId)
  const origin = publicOrigin(config)
  const { byId } = await createProductCache(`${origin}/mcp`).get(store.read, tenant, undefined)
  const parts: Omit<DirectOrderParts, 'revision'> = {
    now: clock(),
    person: actor.credential,
    timeZone: timeZoneOf(tenant.settings, config.ads.timeZone),
    filesOrigin: adsOrigin(config.ads, origin),
    productOf(productId: string) {
      const product = byId.get(productId)
      if (!product) return undefined
      const places = (product.offer.placements ?? []).map(({ placement_id }) => placement_id)
      return { dailyCapacity: product.selling.dailyCapacity, places }
    },
  }
  return { parts, currency: currencyOf(tenant.settings) }
}

/** What a person should know before the change is made: lines that end, are over, have delivered their new goal, or have nothing to show. */
function warningsOf({ before, after }: WrittenDirectOrder, delivered: ShownDirectOrder['lines'], now: Date): string[] {
  const impressionsOf = (id: string) => delivered.find(({ line_id }) => line_id === id)?.impressions ?? 0
  const remaining = new Set(after.lines.map(({ line_id }) => line_id))
  const gone = (before?.lines ?? []).filter(({ line_id }) => !remaining.has(line_id))
  return [
    ...gone.map(({ line_id: id }) => `${id} ends: it is not served any more, after ${impressionsOf(id)} impressions`),
    ...after.lines.flatMap(({ line_id: id, ends_at: end, impressions: goal, creatives }) => {
      if (Date.parse(end) <= now.getTime()) return [`${id} is over: its flight ended at ${end}`]
      if (creatives.length === 0) return [`${id} has no creatives: nothing of it is served until one is added`]
      const had = impressionsOf(id)
      return goal !== undefined && had >= goal
        ? [`${id} has delivered ${had} impressions, its goal of ${goal}: it is not served any more`]
        : []
    }),
  ]
}

function readOrder({ schemas }: Pick<ActContext, 'schemas'>, file: ImportFile): Promise<DirectOrderFile> {
  const validate = schemas.validator('own:direct-order.json')
  return readDocument(file, (value) => {
    const problems: { readonly pointer: string; readonly message: string }[] = []
    if (!isOrder(value, validate, problems)) return { ok: false, problems }
    const unchargeable = value.lines.flatMap(priceProblems)
    return unchargeable.length === 0 ? { ok: true, file: value } : { ok: false, problems: unchargeable }
  })
}

/** Amounts of a line that cannot be charged as they are stated. */
function priceProblems({ cpm, rate, budget }: DirectOrderFile['lines'][number], index: number) {
  return Object.entries({ cpm, rate, budget }).flatMap(([name, amount]) => {
    const message = amount === undefined ? undefined : priceFault(amount)
    return message === undefined ? [] : [{ pointer: `/lines/${index}/${name}`, message }]
  })
}

/** The schema describes {@link DirectOrderFile}. */
function isOrder(
  value: unknown,
  validate: Validate,
  problems: { readonly pointer: string; readonly message: string }[],
): value is DirectOrderFile {
  problems.push(...withReasons(value, validate(value)))
  return problems.length === 0
}
