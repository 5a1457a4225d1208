/** A price of one model of a service beside media: data, creatives, rules on content. Amounts in major units of `currency`. */
type Model =
  | { model: 'cpm'; cpm: number; currency: string }
  | { model: 'percent_of_media'; percent: number; max_cpm?: number; currency: string }
  | { model: 'flat_fee'; amount: number; period: 'monthly' | 'quarterly' | 'annual' | 'campaign'; currency: string }
  | { model: 'per_unit'; unit: string; unit_price: number; currency: string }
  | { model: 'custom'; description: string; metadata: { summary_for_operator?: string }; currency?: string }

/** What a service beside media costs (AdCP core/vendor-pricing-option.json). */
export type VendorPrice = { pricing_option_id: string; ext?: object } & Model
