import { unitPrice, words } from '../format.ts'

/** A product as an answer of `get_products` has it. */
export interface SeenProduct {
  readonly id: string
  readonly name: string
  readonly delivery: string
  /** In words, such as `CPM $12.00`. */
  readonly prices: readonly string[]
}

/** What an answer of `get_products` shows; members that are missing are left empty. */
export function seenProducts(answer: Readonly<Record<string, unknown>>) {
  const list: readonly unknown[] = Array.isArray(answer.products) ? answer.products : []
  const { total_count: total } = recordOf(answer.pagination)
  return {
    products: list.map(recordOf).map(seenProduct),
    total: typeof total === 'number' ? total : undefined,
    message: typeof answer.message === 'string' ? answer.message : undefined,
  }
}

function seenProduct(product: Readonly<Record<string, unknown>>): SeenProduct {
  const { product_id: id, name, delivery_type: delivery, pricing_options: prices } = product
  const options: readonly unknown[] = Array.isArray(prices) ? prices : []
  return {
    id: String(id ?? ''),
    name: String(name ?? ''),
    delivery: words(String(delivery ?? '–')),
    prices: [...new Set(options.map((option) => priceOf(recordOf(option))))],
  }
}

function priceOf(option: Readonly<Record<string, unknown>>): string {
  const { pricing_model: model, currency, fixed_price: fixed, floor_price: floor } = option
  const name = String(model ?? '')
    .replaceAll('_', ' ')
    .toUpperCase()
  if (typeof fixed === 'number') return `${name} ${unitPrice(fixed, String(currency ?? ''))}`
  if (typeof floor === 'number') return `${name} from ${unitPrice(floor, String(currency ?? ''))}`
  return typeof currency === 'string' ? `${name} in ${currency}, price with a key` : `${name}, price with a key`
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
