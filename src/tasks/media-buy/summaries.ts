import type { GetProductsResponse, ListCreativeFormatsResponse } from '@adcp/sdk/types'
import { conditionsOfOrders } from '../../domain/media-buy/approval-conditions.ts'
import { cancellationSentence } from '../../domain/media-buy/cancellation-terms.ts'
import { missingSentence } from '../../domain/media-buy/missing-creatives.ts'
import { notesIn } from '../../domain/media-buy/order-notes.ts'
import { PAUSED, pausedSentence } from '../../domain/media-buy/paused-ahead.ts'
import { acceptanceForm } from '../../domain/media-buy/proposal.ts'
import { type ChangeTask, waitingOrders } from '../../domain/media-buy/waits-for.ts'
import { targetingOf, targetingWords } from '../../domain/product/limited-plan.ts'
import { rowFactsOf } from '../../domain/product/present-products.ts'
import { priceWords } from '../../domain/product/price-words.ts'
import { reachWords } from '../../domain/product/reach.ts'
import { moreFormatsOf } from '../../domain/product/shown-formats.ts'
import { outline } from '../../domain/summary/outline.ts'
import { joined, money, remaining, type SummaryRow, summaryText } from '../../domain/summary/summary-text.ts'
import { saidTerms } from './terms-in-rows.ts'

type Product = GetProductsResponse['products'][number]
type Proposal = NonNullable<GetProductsResponse['proposals']>[number]
type Refinement = NonNullable<GetProductsResponse['refinement_applied']>[number]
type Format = ListCreativeFormatsResponse['formats'][number]

/** get_products: what decides of the whole answer (such as that nothing reaches a place), then each product with its prices, each proposal with its split. */
export function summarizeProducts(response: GetProductsResponse): string {
  const { products, proposals = [], pagination, sandbox } = response
  const refined = (response.refinement_applied ?? []).map(refinementLine)
  const notes = notesIn(response.ext)
  const ofProposals = (response.refinement_applied ?? []).some(({ scope }) => scope === 'proposal')
  // What became of a proposal is the reason why nothing is shown.
  if (products.length === 0) return [...notes, ...(ofProposals ? [] : [NOTHING]), ...refined].join('\n')
  if (products.length === 1 && refined.length > 0) {
    const { refinement_applied: _said, ...shown } = response
    return outline(shown, [...refined, next([])].join('\n'))
  }
  const { total_count: total = products.length } = pagination ?? {}
  const amount = total === products.length ? String(total) : `${products.length} of ${total}`
  const terms = saidTerms(
    products.map((each) => ({
      id: each.product_id,
      policy: rowFactsOf(each).cancellation_policy,
      prices: each.pricing_options ?? [],
    })),
  )
  return summaryText({
    head: [
      ...notes,
      `${amount} ${total === 1 ? 'product' : 'products'}${sandbox ? ' (sandbox)' : ''}${terms.ofAll && `; ${terms.ofAll}`}:`,
    ].join('\n'),
    rows: [...products.map((product, index) => productRow(product, terms.ofRows[index] ?? '')), ...proposals.map(proposalRow)],
    after: [...refined, remaining(pagination), next(proposals)],
  })
}

/** What to send next: for products, and for each state in which a proposal is. */
function next(proposals: readonly Proposal[]): string {
  return `Next: create_media_buy, packages of {product_id, pricing_option_id, budget, bid_price to bid}${proposals.map(nextOf).filter(isFirst).join('')}. All of one: buying_mode "refine" with its product_id, or fields.`
}

/** How a proposal is bought: a draft has to be made firm first. */
function nextOf({ proposal_status: status, insertion_order: order }: Proposal): string {
  return status === 'draft'
    ? '; or finalize a draft (refine: scope "proposal", action "finalize"), then proposal_id, total_budget'
    : `, or for a committed proposal: proposal_id with total_budget${order?.requires_signature ? ` and ${acceptanceForm(order)}` : ''}`
}

function isFirst(text: string, position: number, texts: readonly string[]): boolean {
  return texts.indexOf(text) === position
}

const NOTHING = 'No product answers this. Ask with other words or filters, or list all with buying_mode "wholesale".'

/** What became of an entry of `refine`. */
function refinementLine({ status, notes }: Refinement, index: number): string {
  return `refine[${index}]: ${notes ?? status}`
}

/** `terms`: what its row says of cancelling. */
function productRow(product: Product, terms: string): SummaryRow {
  const { product_id, name, channels, delivery_type, pricing_options, format_ids, brief_relevance } = product
  const prices = pricing_options.map((option) => priceWords(option)).join(', ')
  const where = `${placesOf(rowFactsOf(product))}${terms && `; ${terms}`}`
  const what = joined([channels?.join('/'), delivery_type])
  const more = moreFormatsOf(product.ext)
  const formats = `formats ${format_ids.map(({ id }) => id).join(' ')}${more > 0 ? ` and ${more} more` : ''}`
  return {
    full: `${product_id}: ${name}; ${what}; ${prices}${where}; ${formats}${brief_relevance === undefined ? '' : `. ${brief_relevance}`}`,
    brief: `${product_id}: ${name}; ${what}; ${prices}${where}`,
  }
}

/** Where the product reaches, as its row says. */
function placesOf({ ext }: Pick<Product, 'ext'>): string {
  const words = reachWords(ext)
  return words === '' ? '' : `; ${words}`
}

function proposalRow(proposal: Proposal): SummaryRow {
  const { proposal_id, name, proposal_status, allocations, total_budget_guidance: guidance } = proposal
  const split = allocations.map((each) => `${each.allocation_percentage}% ${each.product_id}`).join(', ')
  const budget = guidance && `${money(guidance.recommended, guidance.currency)}, min ${guidance.min}`
  const carried = targetingWords(targetingOf({ ...(proposal.ext && { ext: proposal.ext }) }))
  const where = carried.length > 0 && carried.join('; ')
  return {
    full: joined([`proposal ${proposal_id}: ${name}`, proposal_status, budget, split, where], '; '),
    brief: joined([`proposal ${proposal_id}`, proposal_status, budget, split, where], '; '),
  }
}

/** list_creative_formats: each format with its size. */
export function summarizeFormats(response: ListCreativeFormatsResponse): string {
  const { formats, pagination, sandbox } = response
  if (formats.length === 1) return outline(response, 'Next: sync_creatives with these assets.')
  const agents = [...new Set(formats.map(({ format_id }) => format_id.agent_url))]
  return summaryText({
    head: `${formats.length} formats${sandbox ? ' (sandbox)' : ''}${agents.length === 1 ? ` of agent_url ${agents[0]}` : ''}:`,
    rows: formats.map((format) => ({ full: formatLine(format, true), brief: formatLine(format, false) })),
    after: [
      remaining(pagination),
      'Next: list_creative_formats with format_ids for all assets and their requirements, then sync_creatives.',
    ],
  })
}

function formatLine({ format_id, name, renders = [], assets = [] }: Format, withAssets: boolean): string {
  const sizes = renders.flatMap((render) =>
    'dimensions' in render && render.dimensions.width !== undefined
      ? [`${render.dimensions.width}x${render.dimensions.height}`]
      : [],
  )
  const needed = assets.flatMap((asset) => (asset.required && 'asset_id' in asset ? [asset.asset_id] : []))
  return withAssets
    ? joined([`${format_id.id}: ${name}`, sizes.join(' '), needed.length > 0 && `needs ${needed.join(' ')}`], '; ')
    : format_id.id
}

/** create_media_buy: the order, its packages and what they still need. */
export const summarizeCreated = (response: object): string => outlineWithTerms(response, TO_RUN)

/** buy_products, accept_proposal: the same, in the words of the compact lifecycle. */
export const summarizeCommitted = (response: object): string => outlineWithTerms(response, TO_RUN, 'control_media_buy')

const TO_RUN = 'Next: sync_creatives for packages without creatives, then get_media_buys; get_media_buy_delivery once it runs.'

/** update_media_buy: what changed. */
export const summarizeUpdated = (response: object): string => outlineWithTerms(response, WHOLE)

/** control_media_buy: the same, in the words of its family. */
export const summarizeControlled = (response: object): string => outlineWithTerms(response, WHOLE, 'control_media_buy')

const WHOLE = 'Next: get_media_buys shows the whole order.'

/** What cancelling would cost, or cost, which creatives are missing and what had no effect, stands beside the order that it is about. */
function outlineWithTerms(response: object, next: string, task: ChangeTask = 'update_media_buy'): string {
  const { ext = {}, ...order }: { readonly ext?: object } & object = response
  const { notes: _said, ...rest }: { readonly notes?: unknown } & object = ext
  const paused = pausedSentence(Reflect.get(ext, 'paused'), task)
  const sentences = [
    ...notesIn(ext).filter((note) => paused === undefined || note !== PAUSED),
    paused,
    missingSentence(Reflect.get(ext, 'missing_creatives')),
    cancellationSentence(Reflect.get(ext, 'terms')) ?? withoutTerms(order),
  ]
  const shown = Object.keys(rest).length > 0 ? { ...order, ext: rest } : order
  return outline(shown, next, { isOne: true, said: sentences.filter((sentence) => sentence !== undefined) })
}

/** Without a word about it a reader could not tell that cancelling is free from terms that are not shown. */
function withoutTerms(order: object): string | undefined {
  const [id, actions]: unknown[] = [Reflect.get(order, 'media_buy_id'), Reflect.get(order, 'valid_actions')]
  return typeof id === 'string' && Array.isArray(actions) && actions.includes('cancel')
    ? 'Cancelling costs nothing beyond what was delivered: its products have no cancellation terms.'
    : undefined
}

const RESULTS = 'get_media_buy_delivery for results'

/** get_media_buys: each order with its status, budget and packages. */
export function summarizeMediaBuys(response: object): string {
  const next =
    countIn(response, 'media_buys') === 1
      ? `Next: ${RESULTS}${changeOf(response)}`
      : `Without status_filter or media_buy_ids: active orders alone.\nNext: media_buy_ids for one order in full; ${RESULTS}${changeOf(response)}`
  const orders: unknown = Reflect.get(response, 'media_buys')
  return outline(response, [...conditionsOfOrders(orders), ...waitingOrders(orders), next].join('\n'), {
    rows: { media_buys: orderRow },
  })
}

/** An order of several. */
function orderRow(order: Readonly<Record<string, unknown>>): SummaryRow {
  const { media_buy_id: id, status, health, currency, total_budget: budget, start_time: start, end_time: end, packages } = order
  const brief = `${id}: ${status}${health === 'impaired' ? ', impaired' : ''}; ${budget} ${currency}`
  return { full: joined([brief, `${start} to ${end}`, `packages ${countIn({ packages }, 'packages')}`], '; '), brief }
}

/** How the listed orders are changed; an order that is over takes no change. */
function changeOf(response: object): string {
  const listed: unknown = Reflect.get(response, 'media_buys')
  const actions: unknown[] = Array.isArray(listed) ? listed.map((each) => Reflect.get(each, 'valid_actions')) : []
  const isOver = actions.length > 0 && actions.every((each) => Array.isArray(each) && each.length === 0)
  return isOver ? '.' : '; update_media_buy to change it.'
}

function countIn(response: object, name: string): number {
  const list: unknown = Reflect.get(response, name)
  return Array.isArray(list) ? list.length : 0
}

/** get_media_buy_delivery: totals, and each order with its own. */
export const summarizeDelivery = (response: object): string => {
  const next = hasDelivered(response)
    ? `Next: ${isOver(response) ? '' : 'update_media_buy to move budgets; '}include_package_daily_breakdown for days.`
    : `Nothing was delivered in this period${endOf(response)}: get_media_buys says whether the order has begun, and what it lacks.`
  const whole: unknown = Reflect.get(response, 'currency')
  const rows = { media_buy_deliveries: (row: Readonly<Record<string, unknown>>) => deliveryRow(row, whole) }
  return outline(response, [...notesIn(Reflect.get(response, 'ext')), next].join('\n'), { rows })
}

/** What an order of several delivered, its spend in the currency of its packages. */
function deliveryRow(row: Readonly<Record<string, unknown>>, whole: unknown): SummaryRow {
  const { media_buy_id: id, status, totals, by_package: packages } = row
  const [first]: unknown[] = Array.isArray(packages) ? packages : []
  const currency: unknown = (typeof first === 'object' && first !== null && Reflect.get(first, 'currency')) || whole
  const sums = Object.entries({ ...(typeof totals === 'object' && totals) }).filter(([, sum]) => typeof sum === 'number')
  const texts = sums.map(([name, sum]) => (name === 'spend' ? `spend ${sum} ${currency}` : `${name} ${sum}`))
  const isBrief = (text: string) => /^(?:spend|impressions) /.test(text)
  return {
    full: `${id}: ${status}; ${texts.join(', ')}`,
    brief: `${id}: ${status}; ${texts.filter(isBrief).join(', ')}`,
  }
}

/** Whether every order of a report is over: none takes a change. */
function isOver(response: object): boolean {
  const rows: unknown = Reflect.get(response, 'media_buy_deliveries')
  const statuses: unknown[] = Array.isArray(rows) ? rows.map((row) => Reflect.get(row, 'status')) : []
  return statuses.length > 0 && statuses.every((status) => OVER.includes(status))
}

const OVER: readonly unknown[] = ['canceled', 'completed', 'rejected']

/** The day that a report ends before, in words. */
function endOf(response: object): string {
  const period: unknown = Reflect.get(response, 'reporting_period')
  const end = typeof period === 'object' && period !== null ? Reflect.get(period, 'end') : undefined
  return typeof end === 'string' ? ` (it ends before ${end}; end_date is the first day after the report)` : ''
}

function hasDelivered(response: object): boolean {
  const totals: unknown = Reflect.get(response, 'aggregated_totals')
  return (
    typeof totals !== 'object' ||
    totals === null ||
    Object.entries(totals).some(([name, value]) => name !== 'media_buy_count' && Number(value) > 0)
  )
}
