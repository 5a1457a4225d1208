import type { Meanings } from './mistaken-members.ts'

const each = (names: string, meant: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, meant]))

const REFINEMENT = 'refinements ([{"proposal_id": "…", "action": "revise", "ask": "…"}])'
const PURCHASE_ROWS = '[{"product_id": "…", "pricing_option_id": "…", "budget": 1000}]'
const OF_ORDER = 'criteria.offer_filters.start_date and criteria.offer_filters.end_date'

/** Names that stand for a member in the tasks of the compact lifecycle (AdCP 3.2). */
export const MEANT_IN_COMPACT: Meanings = {
  'media-buy/request-proposals-request.json#': {
    ...each('ask keywords message objective prompt q query search text', 'brief'),
    ...each('budget budget_range total_budget', 'criteria.offer_filters.budget_range ({max, currency})'),
    ...each('start_date end_date start_time end_time flight dates', OF_ORDER),
    ...each('channels countries delivery_type', 'criteria.offer_filters'),
    ...each('filters offer_filters', 'criteria.offer_filters'),
    ...each('product_id product_ids products', 'criteria.product_ids (a list)'),
    ...each('targeting targeting_overlay', 'criteria.targeting_overlay'),
  },
  'media-buy/refine-proposals-request.json#': {
    ...each('proposal_id proposal_ids proposals ask instructions message brief changes refine', REFINEMENT),
    finalize: 'refinements ([{"proposal_id": "…", "action": "finalize"}])',
  },
  'media-buy/proposal-refinement.json#': {
    ...each('instructions message brief text', 'ask'),
    ...each('budget total_budget currency', 'constraints'),
    ...each('products product_ids', 'product_changes'),
  },
  'media-buy/buy-products-request.json#': {
    ...each('products product_ids product_id', `purchases[].product_id (${PURCHASE_ROWS})`),
    ...each('packages items line_items', `purchases (${PURCHASE_ROWS})`),
    budget: 'purchases[].budget; total_budget ({amount, currency}) limits the whole',
    ...each('start_date flight_start start', 'start_time'),
    ...each('end_date flight_end end', 'end_time'),
    ...each('targeting targeting_overlay', 'purchases[].targeting_overlay'),
    po_number: 'purchase_order_ref',
  },
  'media-buy/control-media-buy-request.json#': {
    ...each('action command status state', 'paused (true or false) or canceled (true)'),
    ...each('pause stop', 'paused (true)'),
    ...each('resume start activate', 'paused (false)'),
    cancel: 'canceled (true)',
    budget: 'packages[].budget, or total_budget ({amount, currency})',
    ...each('end_time end_date', 'packages[].end_time'),
    ...each('start_time start_date', 'packages[].start_time'),
  },
}
