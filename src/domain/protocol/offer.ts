import type { BrandRoster } from '../brand/capabilities.ts'
import { COMPACT_LIFECYCLE, type Lifecycle } from '../identity/lifecycle.ts'
import type { PricingModel } from '../product/pricing-option.ts'
import type { Product } from '../product/product.ts'
import type { ProductIndex } from '../product/product-index.ts'

/** What a publisher has, beside products, that whole groups of tasks need. */
export interface PublisherOffer {
  /** Kinds of signals that were imported (AdCP enums/signal-catalog-type). */
  readonly signalTypes: ReadonlySet<string>
  readonly brands: BrandRoster
  /** Whether it is a governance agent for its buyers (`tenants set --governance-agent`). */
  readonly governance: boolean
  /** Which tools for buying it lists; absent: both families. */
  readonly lifecycle?: Lifecycle | undefined
  /** Whether reports can be published: their documents need a public https address. */
  readonly reports: boolean
}

type Channel = NonNullable<Product['offer']['channels']>[number]

/** What its products are like. */
export interface ProductOffer {
  readonly deliveryTypes: ReadonlySet<string>
  readonly channels: ReadonlySet<Channel>
  /** Whether each says what its channels are. */
  readonly saysChannels: boolean
  readonly catalogDriven: boolean
  readonly pricingModels: ReadonlySet<PricingModel>
  /** Metrics that at least one can be optimised for. */
  readonly optimizationMetrics: ReadonlySet<string>
}

type Need = (offer: PublisherOffer) => boolean

const SIGNALS: Need = ({ signalTypes }) => signalTypes.size > 0
const BRANDS: Need = ({ brands }) => brands.hasBrands
const RIGHTS: Need = ({ brands }) => brands.rights.length > 0
const CLAIMS: Need = ({ brands }) => brands.claimTypes.length > 0
const CONVERSATIONS: Need = ({ brands }) => brands.offerings.length > 0
const GOVERNANCE: Need = ({ governance }) => governance
const REPORTS: Need = ({ reports }) => reports
const COMPACT: Need = ({ lifecycle }) => lifecycle !== 'established'

/** Tasks that could only be refused, or answered with nothing, where the publisher has no data for them. */
const TASK_NEEDS: ReadonlyMap<string, Need> = new Map<string, Need>([
  ...COMPACT_LIFECYCLE.map((task) => [task, COMPACT] as const),
  ['get_reporting_status', REPORTS],
  ['sync_reporting_status', REPORTS],
  ['sync_reporting_receipts', REPORTS],
  ['get_signals', SIGNALS],
  ['activate_signal', SIGNALS],
  ['get_brand_identity', BRANDS],
  ['search_brands', BRANDS],
  ['verify_brand_claim', CLAIMS],
  ['verify_brand_claims', CLAIMS],
  ['get_rights', RIGHTS],
  ['acquire_rights', RIGHTS],
  ['update_rights', RIGHTS],
  ['creative_approval', RIGHTS],
  ['si_get_offering', CONVERSATIONS],
  ['si_initiate_session', CONVERSATIONS],
  ['si_send_message', CONVERSATIONS],
  ['si_terminate_session', CONVERSATIONS],
  ['sync_plans', GOVERNANCE],
  ['check_governance', GOVERNANCE],
  ['report_plan_outcome', GOVERNANCE],
  ['report_plan_adjustment', GOVERNANCE],
  ['get_plan_audit_logs', GOVERNANCE],
])

/** Whether a publisher has what a task needs. Listed in `tools/list`, the agent card and the capabilities are only such tasks. */
export function isOffered(task: string, offer: PublisherOffer): boolean {
  return TASK_NEEDS.get(task)?.(offer) ?? true
}

/** What a publisher has, and what its products are like. */
export interface WholeOffer extends PublisherOffer {
  readonly products: ProductOffer
}

/** Specialisms that follow from what a publisher sells; all others follow from the tasks alone. */
const SPECIALISM_NEEDS: ReadonlyMap<string, (offer: WholeOffer) => boolean> = new Map<string, (offer: WholeOffer) => boolean>([
  ['sales-guaranteed', ({ products }) => products.deliveryTypes.has('guaranteed')],
  ['sales-non-guaranteed', ({ products }) => products.deliveryTypes.has('non_guaranteed')],
  ['sales-proposal-mode', ({ products }) => products.deliveryTypes.size > 0],
  ['sales-broadcast-tv', ({ products }) => products.channels.has('linear_tv')],
  ['sales-social', ({ products }) => products.channels.has('social')],
  ['sales-catalog-driven', ({ products }) => products.catalogDriven],
  ['brand-rights', RIGHTS],
  ['signal-marketplace', ({ signalTypes }) => signalTypes.has('marketplace')],
  ['signal-owned', ({ signalTypes }) => signalTypes.has('owned')],
  ['governance-spend-authority', GOVERNANCE],
  ['governance-delivery-monitor', GOVERNANCE],
])

/** Whether a publisher has what a specialism (AdCP enums/specialism) is about. */
export function offersSpecialism(specialism: string, offer: WholeOffer): boolean {
  return SPECIALISM_NEEDS.get(specialism)?.(offer) ?? true
}

/** What the products on sale are like, from one of each kind. */
export function productOffer({ kinds, catalogDriven }: Pick<ProductIndex, 'kinds' | 'catalogDriven'>): ProductOffer {
  // A kind stays in the list after its last product has become another.
  const used = new Set(kinds.kindOf)
  const onSale = kinds.samples.filter(({ selling }, number) => used.has(number) && selling.status === 'active')
  return {
    deliveryTypes: new Set(onSale.map(({ offer }) => offer.delivery_type)),
    channels: new Set(onSale.flatMap(({ offer }) => offer.channels ?? [])),
    saysChannels: onSale.length > 0 && onSale.every(({ offer }) => (offer.channels ?? []).length > 0),
    catalogDriven: catalogDriven.length > 0,
    pricingModels: new Set(onSale.flatMap(({ offer }) => offer.pricing_options.map((option) => option.pricing_model))),
    optimizationMetrics: new Set(onSale.flatMap(({ offer }) => offer.metric_optimization?.supported_metrics ?? [])),
  }
}

/** Whose inventory is sold. Buyers pass sellers by whose channels a brief does not name, so that the list is there only where it is complete. */
export function portfolioOf(publisherDomain: string, { channels, saysChannels }: ProductOffer) {
  const domains: [string] = [publisherDomain]
  return { publisher_domains: domains, ...(saysChannels && { primary_channels: [...channels].sort() }) }
}
