/** A price of one model of a service beside media: data, creatives, rules on content. Amounts in major units of `currency`. */
type Model =
  | { model: 'cpm'; cpm: number; currency: string }
  | { model: 'percent_of_media'; percent: number; max_cpm?: number; currency: string }
  | { model: 'flat_fee'; amount: number; period: 'monthly' | 'quarterly' | 'annual' | 'campaign'; currency: string }
  | { model: 'per_unit'; unit: string; unit_price: number; currency: string }
  | { model: 'custom'; description: string; metadata: { summary_for_operator?: string }; currency?: string }

/** What a service beside media costs (AdCP core/vendor-pricing-option.json). */
export type VendorPrice = { pricing_option_id: string; ext?: object } & Model

/** A price in words: the id that orders it, what it is and how it is counted, such as `po_topics 1.5 USD CPM`. */
export function vendorPriceWords(price: VendorPrice): string {
  return `${price.pricing_option_id} ${amountWords(price)}`
}

function amountWords(price: Model): string {
  switch (price.model) {
    case 'cpm':
      return `${price.cpm} ${price.currency} CPM`
    case 'percent_of_media': {
      const most = price.max_cpm === undefined ? '' : ` (at most ${price.max_cpm} ${price.currency} CPM)`
      return `${price.percent}% of media${most}`
    }
    case 'flat_fee':
      return `${price.amount} ${price.currency} ${price.period}`
    case 'per_unit':
      return `${price.unit_price} ${price.currency} per ${price.unit}`
    case 'custom':
      return price.description
  }
}
