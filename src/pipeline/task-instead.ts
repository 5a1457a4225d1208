/** What does the work of a task that is not served, or not in the caller's release: tasks of 3.2 in words of the releases before, and names of other APIs. */
const INSTEAD: Readonly<Record<string, string>> = {
  accept_proposal: 'create_media_buy with proposal_id and total_budget buys a proposal',
  book_campaign: 'create_media_buy buys',
  book_media_buy: 'create_media_buy buys',
  buy_products: 'create_media_buy buys products',
  cancel_media_buy: 'update_media_buy with canceled: true cancels',
  control_media_buy: 'update_media_buy with paused or canceled pauses, resumes and cancels',
  create_campaign: 'create_media_buy buys',
  create_creative: 'sync_creatives uploads creatives',
  create_order: 'create_media_buy buys',
  create_buy: 'create_media_buy buys',
  decline_proposals: 'get_products with buying_mode "refine" and a proposal entry with action "omit" leaves a proposal out',
  find_products: 'get_products with buying_mode "brief" finds products',
  get_campaigns: 'get_media_buys lists orders',
  get_delivery: 'get_media_buy_delivery reports',
  get_inventory: 'get_products finds products',
  get_report: 'get_media_buy_delivery reports',
  list_media_buys: 'get_media_buys lists orders',
  list_orders: 'get_media_buys lists orders',
  list_products: 'get_products with buying_mode "wholesale" lists products',
  list_signals: 'get_signals lists signals',
  pause_media_buy: 'update_media_buy with paused: true pauses',
  refine_proposals: 'get_products with buying_mode "refine" changes proposals',
  request_proposals: 'get_products with buying_mode "brief" makes proposals',
  search_products: 'get_products with buying_mode "brief" finds products',
  update_campaign: 'update_media_buy changes orders',
  upload_creative: 'sync_creatives uploads creatives',
}

/** A sentence about the task to call instead of one of this name; undefined where none does its work. */
export function taskInstead(name: string): string | undefined {
  return Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined
}
