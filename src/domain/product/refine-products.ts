import { AdcpError } from '../../protocol/errors.ts'
import { instead, quoted } from '../../protocol/nearest-name.ts'
import { type Ask, readAsk } from './ask.ts'
import { askOfProduct } from './ask-of-product.ts'
import { applyToSelection, MOST_WISHES } from './ask-of-selection.ts'
import type { Wish } from './ask-wishes.ts'
import { readBrief } from './brief.ts'
import { channelsIn } from './brief-channels.ts'
import type { ForecastConditions } from './forecast-conditions.ts'
import type { TakesTargeting } from './overlay-support.ts'
import type { Product } from './product.ts'
import type { ProductIndex } from './product-index.ts'
import type { OfferedProducts } from './product-list.ts'
import { namesAmong } from './product-names.ts'
import type { ProductEntry, RefineEntry, RefineOutcome } from './product-question.ts'
import { rankProducts } from './rank-products.ts'
import type { Verdict } from './refine-verdict.ts'

export interface RefineContext {
  /** Everything that the caller may buy, by id. */
  readonly offered: OfferedProducts
  /** Index of the products, and whether one of them may be added to the answer (offered, and through the filters). */
  readonly index: ProductIndex
  readonly eligible: (product: Product) => boolean
  /** What the question says beside `refine`; an answer is not remembered, so the brief counts where it is sent again. */
  readonly brief?: string | undefined
  /** Names of the filters that a product does not pass. */
  readonly failedBy: (product: Product) => readonly string[]
  /** What orders of products may name of targeting. */
  readonly takes: TakesTargeting
  /** The principal that asks; undefined without credentials. */
  readonly buyer: string | undefined
  /** What the question says of a flight; undefined: nothing. */
  readonly conditions: ForecastConditions | undefined
  /** Products of the proposals that the request is about: with them the answer is about these. */
  readonly proposed: readonly Product[]
}

export interface RefinedProducts {
  readonly products: readonly Product[]
  /** One for each request- and product-scope entry, by its position in `refine`. */
  readonly outcomes: ReadonlyMap<number, RefineOutcome>
}

/** Products that resemble one: enough to choose from. */
const MAX_SIMILAR = 10

/**
 * Applies the request- and product-scope entries of `refine`. Named products come first, then what `more_like_this` and the asks
 * of request scope bring; conditions of request scope hold for all of them. A condition that nothing fulfils is refused rather
 * than answered with nothing. With no product or proposal named and nothing asked, all products are the selection.
 */
export function refineProducts(entries: readonly RefineEntry[], context: RefineContext): RefinedProducts {
  const outcomes = new Map<number, RefineOutcome>()
  const named = entries.flatMap((entry, position) => {
    if (entry.scope !== 'product') return []
    const { products, verdict } = refineProduct(entry, context)
    outcomes.set(position, { scope: 'product', product_id: entry.product_id, ...verdict })
    return products
  })
  const omitted = new Set(
    entries.flatMap((entry) => (entry.scope === 'product' && entry.action === 'omit' ? [entry.product_id] : [])),
  )
  const names = namesAmong(context.index, context.offered)
  const asks = entries.flatMap((entry, position) =>
    entry.scope === 'request' ? [{ position, ask: readAsk(entry.ask, names) }] : [],
  )
  const asked = [context.brief ?? '', ...asks.map(({ ask }) => soughtBy(ask))].join(' ')
  // Without credentials there are no proposals to be about.
  const hasProposals = context.buyer !== undefined && entries.some(({ scope }) => scope === 'proposal')
  const namesProducts = entries.some((entry) => entry.scope === 'product' && entry.action !== 'omit')
  const more = !hasProposals && (!namesProducts || asks.length > 0) ? ranked(asked, context) : []
  let selection: readonly Product[] = unique([...context.proposed, ...named, ...more]).filter(
    (product) => !omitted.has(product.id),
  )
  // What the ranking of its words leaves out may still fulfil a condition of an ask.
  const reserve = () =>
    hasProposals ? [] : context.index.products.filter((product) => context.eligible(product) && !omitted.has(product.id))
  const met: Wish[] = []
  const left = { wishes: MOST_WISHES }
  for (const { position, ask } of asks) {
    const applied = applyToSelection(selection, {
      reserve,
      met,
      left,
      ask,
      index: context.index,
      takes: context.takes,
      fixed: hasProposals,
      isOpen: (context.brief ?? '').trim() === '' && !hasProposals && !namesProducts,
    })
    selection = applied.products
    outcomes.set(position, { scope: 'request', ...applied.verdict })
  }
  return { products: selection, outcomes }
}

/** The words of an ask that products are searched by: what is to be less is not sought. */
function soughtBy({ wanted, changes }: Ask): string {
  return changes.reduce((text, change) => (change.kind === 'less' ? text.replace(change.text, ' ') : text), wanted)
}

/**
 * Throws PRODUCT_NOT_FOUND for an entry that names a product which is not offered (AdCP get_products, "Error Handling"). `tolerant` lets it pass beside
 * entries that can be carried out: its outcome is then `unable`.
 */
export function requireOffered(entries: readonly RefineEntry[], offered: OfferedProducts, tolerant: boolean): void {
  const unknown = (entry: RefineEntry) => entry.scope === 'product' && !offered.get(entry.product_id)
  const position = entries.findIndex(unknown)
  if (position === -1 || (tolerant && !entries.every(unknown))) return
  const field = `refine[${position}].product_id`
  const entry = entries[position]
  const sent = entry?.scope === 'product' ? entry.product_id : ''
  const known = () => Array.from(offered.values(), ({ id }) => id)
  const hint = instead(sent, known, 'get_products with a brief finds them')
  throw new AdcpError('PRODUCT_NOT_FOUND', `${field} ${quoted(sent)} is no product that is offered to you${hint}`, {
    field,
    suggestion: 'leave the entry out, or look for products with a brief',
  })
}

function refineProduct(entry: ProductEntry, context: RefineContext): { products: Product[]; verdict: Verdict } {
  const product = context.offered.get(entry.product_id)
  if (!product) return { products: [], verdict: { status: 'unable', notes: 'no product of this id is offered to you' } }
  if (entry.action === 'omit') return { products: [], verdict: { status: 'applied' } }
  if (!context.eligible(product)) return { products: [], verdict: { status: 'unable', notes: unfitText(product, context) } }
  const ask = entry.ask === undefined ? undefined : readAsk(entry.ask, namesAmong(context.index, context.offered))
  if (entry.action === 'more_like_this') {
    const similar = similarTo(product, entry.ask, ask, context)
    if (similar.length === 0) return { products: [product], verdict: { status: 'unable', notes: 'no other product is like it' } }
    return { products: [product, ...similar], verdict: { status: 'applied', notes: `${similar.length} similar products added` } }
  }
  return ask ? askOfProduct(product, ask, context) : { products: [product], verdict: { status: 'applied' } }
}

/** Which filters keep a product out, and the days on which it is sold where it is these. */
function unfitText(product: Product, { failedBy }: RefineContext): string {
  const names = failedBy(product).map((name) => `filters.${name}`)
  const { availableFrom: from, availableUntil: until } = product.selling
  const isDates = names.some((name) => name === 'filters.start_date' || name === 'filters.end_date')
  const days =
    isDates && (from ?? until) !== undefined
      ? `: it is on sale${from ? ` from ${from}` : ''}${until ? ` until ${until}` : ''}`
      : ''
  return `it does not pass ${names.join(', ') || 'the terms of this request'}${days}`
}

function similarTo(product: Product, text: string | undefined, ask: Ask | undefined, context: RefineContext): Product[] {
  const { offer, selling } = product
  const own = [
    offer.name,
    ...(text === undefined ? (offer.channels ?? []) : [text]),
    ...selling.keywords,
    ...selling.audiences,
  ].join(' ')
  // A medium that the ask names is what the buyer wants more of.
  const media = new Set(channelsIn(text ?? ''))
  const like = ranked(own, context)
  const named =
    media.size === 0
      ? []
      : [...like, ...ranked(text ?? '', context)].filter(({ offer }) => offer.channels?.some((channel) => media.has(channel)))
  return unique([...named, ...like])
    .filter(
      (candidate) =>
        candidate.id !== product.id && (ask?.wishes ?? []).every(({ satisfies }) => satisfies(candidate, context.takes)),
    )
    .slice(0, MAX_SIMILAR)
}

function ranked(text: string, { index, eligible }: RefineContext): Product[] {
  return rankProducts(index, readBrief(text))
    .map(({ product }) => product)
    .filter(eligible)
}

/** The first of each id, so that a product refined for a budget wins over the same one as listed. */
function unique(products: readonly Product[]): Product[] {
  const seen = new Set<string>()
  return products.filter(({ id }) => !seen.has(id) && seen.add(id))
}
