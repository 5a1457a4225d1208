import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../protocol/is-object.ts'
import { broken, type Check, type Found, unverified } from './check.ts'
import type { Caller, SellerAnswer } from './seller-caller.ts'

/** A product or a proposal, as a seller sends it. */
export type Row = Readonly<Record<string, unknown>>

/** What the checks of products begin with: the first page of what the seller has. */
export interface Shelf {
  readonly products: readonly Row[]
  readonly brief: string
}

export const rowsIn = (payload: Row, member: string): readonly Row[] =>
  Array.isArray(payload[member]) ? payload[member].filter(isObject) : []

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

const optionsOf = (product: Row) => rowsIn(product, 'pricing_options')

const idOf = (product: Row) => String(product.product_id)

/** A filter of `get_products`, and how a product shows that it passes: undefined where the product does not say. */
interface FilterRule {
  readonly name: string
  /** Values that the products of the shelf have, to ask for one of them. */
  readonly valuesOf: (product: Row) => readonly unknown[]
  readonly filterOf: (value: unknown) => object
  readonly passes: (product: Row, value: unknown) => boolean | undefined
}

const FILTERS: readonly FilterRule[] = [
  {
    name: 'channels',
    valuesOf: ({ channels }) => textsIn(channels),
    filterOf: (channel) => ({ channels: [channel] }),
    passes: ({ channels }, channel) => (channels === undefined ? undefined : textsIn(channels).includes(String(channel))),
  },
  {
    name: 'delivery_type',
    valuesOf: ({ delivery_type: type }) => (typeof type === 'string' ? [type] : []),
    filterOf: (type) => ({ delivery_type: type }),
    passes: ({ delivery_type: own }, type) => (own === undefined ? undefined : own === type),
  },
  {
    name: 'is_fixed_price',
    valuesOf: (product) => optionsOf(product).map(({ fixed_price: price }) => price !== undefined),
    filterOf: (isFixed) => ({ is_fixed_price: isFixed }),
    passes: (product, isFixed) => optionsOf(product).some(({ fixed_price: price }) => (price !== undefined) === isFixed),
  },
  {
    name: 'format_ids',
    valuesOf: ({ format_ids: ids }) => (Array.isArray(ids) ? ids.filter(isObject) : []),
    filterOf: (format) => ({ format_ids: [format] }),
    passes: ({ format_ids: ids }, format) => {
      if (!Array.isArray(ids) || !isObject(format)) return undefined
      return ids.some((each) => isObject(each) && each.id === format.id && each.agent_url === format.agent_url)
    },
  },
]

/** Values of one filter that are asked for. */
const MOST_VALUES = 3

/** Filters are hard (AdCP "get_products", filters): no product that does not pass is in the answer, nor in a proposal of it. */
export const FILTER_CHECKS: readonly Check<Shelf>[] = FILTERS.map((rule) => ({
  id: `filters-${rule.name}`,
  group: 'honesty',
  title: `the filter ${rule.name} lets through what passes it, and nothing else`,
  run: (call, shelf) => checkFilter(rule, call, shelf),
}))

async function checkFilter(rule: FilterRule, call: Caller, { products, brief }: Shelf): Promise<Found> {
  const values = new Map(products.flatMap(rule.valuesOf).map((value) => [JSON.stringify(value), value]))
  const asked = [...values.values()].slice(0, MOST_VALUES)
  // A filter that every product passes shows nothing.
  const telling = asked.filter((value) => products.some((product) => rule.passes(product, value) === false))
  if (telling.length === 0) return unverified(`every product of the seller passes any value of ${rule.name}`)
  for (const value of telling) {
    const filters = rule.filterOf(value)
    const answer = await call('get_products', { buying_mode: 'brief', brief, filters })
    if (answer.refusal) return broken(`filters ${JSON.stringify(filters)} refused: ${answer.refusal.message}`)
    const fault = wrongIn(answer, products, (product) => rule.passes(product, value))
    if (fault !== undefined) return broken(`filters ${JSON.stringify(filters)}: ${fault}`)
    if (rowsIn(answer.payload, 'products').length === 0)
      return broken(`filters ${JSON.stringify(filters)} find nothing, though products of the seller pass`)
  }
  return undefined
}

/** The first product, or allocation of a proposal, that should not be in an answer. `shelf`: products that are known besides. */
function wrongIn(
  { payload }: SellerAnswer,
  shelf: readonly Row[],
  passes: (product: Row) => boolean | undefined,
): string | undefined {
  const products = rowsIn(payload, 'products')
  const wrong = products.find((product) => passes(product) === false)
  if (wrong) return `product ${idOf(wrong)} does not pass`
  const known = new Map([...shelf, ...products].map((product) => [idOf(product), product]))
  for (const proposal of rowsIn(payload, 'proposals')) {
    const stray = rowsIn(proposal, 'allocations')
      .map((allocation) => known.get(idOf(allocation)))
      .find((product) => product && passes(product) === false)
    if (stray) return `proposal ${String(proposal.proposal_id)} holds product ${idOf(stray)}, which does not pass`
  }
  return undefined
}

/** Pages that are read of a list that goes on. */
const MOST_PAGES = 10

export const LIST_CHECKS: readonly Check<Shelf>[] = [
  {
    id: 'pages-of-products',
    group: 'honesty',
    title: 'pages of products repeat none and come to an end',
    async run(call) {
      const seen = new Set<string>()
      let cursor: unknown
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const pagination = { max_results: 5, ...(cursor !== undefined && { cursor }) }
        const answer = await call('get_products', { buying_mode: 'wholesale', pagination })
        if (answer.refusal) return unverified(`buying_mode wholesale is refused: ${answer.refusal.code}`)
        const products = rowsIn(answer.payload, 'products')
        const twice = products.find((product) => seen.has(idOf(product)))
        if (twice) return broken(`product ${idOf(twice)} is on two pages`)
        for (const product of products) seen.add(idOf(product))
        const next = isObject(answer.payload.pagination) ? answer.payload.pagination : {}
        if (next.has_more !== true) return undefined
        if (typeof next.cursor !== 'string') return broken('has_more is true and there is no cursor')
        if (products.length === 0) return broken('a page is empty and says that more follow')
        cursor = next.cursor
      }
      return undefined
    },
  },
  {
    id: 'prices',
    group: 'honesty',
    title: 'every product has prices of its own, each with an id of its own and an amount or a floor',
    async run(_call, { products }) {
      if (products.length === 0) return unverified('the seller shows no product')
      for (const product of products) {
        const options = optionsOf(product)
        if (options.length === 0) return broken(`product ${idOf(product)} has no price`)
        const ids = options.map(({ pricing_option_id: id }) => id)
        if (new Set(ids).size < ids.length) return broken(`product ${idOf(product)} has two prices of one id`)
        const both = options.find((option) => option.fixed_price !== undefined && option.floor_price !== undefined)
        if (both) return broken(`price ${String(both.pricing_option_id)} of ${idOf(product)} is fixed and has a floor`)
      }
      return undefined
    },
  },
  {
    id: 'context-returned',
    group: 'honesty',
    title: 'context comes back as it was sent, with answers and with refusals',
    async run(call, { brief }) {
      const context = { note: 'kept', list: [1, { of: null }] }
      const answered = await call('get_products', { buying_mode: 'brief', brief, context })
      const refused = await call('get_products', { buying_mode: 'no such mode', context })
      // A refusal of the transport has no place for it.
      const isOfTask = refused.refusal !== undefined && !/^(HTTP|JSON-RPC|error)/.test(refused.refusal.code)
      const seen = [['an answer', answered], ...(isOfTask ? ([['a refusal', refused]] as const) : [])] as const
      for (const [what, { payload }] of seen)
        if (!isDeepStrictEqual(payload.context, context))
          return broken(`${what} brings context back as ${JSON.stringify(payload.context) ?? 'nothing'}`)
      return undefined
    },
  },
]
