import { MEANT_IN_COMPACT } from './meant-in-compact.ts'
import { MEANT_IN_DATA } from './meant-in-data.ts'
import { MEANT_IN_READS } from './meant-in-reads.ts'

/** What a buyer who sends a member of this name means, by the place in the schemas (document, `#`, members down to the object). */
export type Meanings = Readonly<Record<string, Readonly<Record<string, string>>>>

const FLIGHT = 'start_time and end_time'
const DATES = {
  dates: FLIGHT,
  date_range: FLIGHT,
  flight: FLIGHT,
  flight_dates: FLIGHT,
  start: 'start_time',
  start_date: 'start_time',
  flight_start: 'start_time',
  flight_start_date: 'start_time',
  end: 'end_time',
  end_date: 'end_time',
  flight_end: 'end_time',
  flight_end_date: 'end_time',
}

/** How a cap says for how long, and for whom (core/frequency-cap.json). */
const CAP_WINDOW = 'window ({"interval": 1, "unit": "days"}) with per ("individuals")'

/** How an area around a point says how far it reaches (core/product-filters.json and core/targeting.json, `geo_proximity`). */
const RADIUS = 'radius ({"value": 10, "unit": "km"})'
const DISTANCE = {
  ...Object.fromEntries(['distance', 'distance_km', 'km', 'miles', 'radius_km', 'radius_miles'].map((name) => [name, RADIUS])),
  latitude: 'lat',
  lon: 'lng',
  long: 'lng',
  longitude: 'lng',
}

/** A generative format has a slot for it; `list_creative_formats` shows which formats do. */
const BRIEF = 'assets.brief, of a creative whose format takes a brief (asset_type "brief")'
const BRIEF_OF_CREATIVE = `packages[].creatives[].${BRIEF}`

/** Where people land who click (CLICK_ASSETS of the ad server). A landing page beside the assets would be lost, and the ad would lead nowhere. */
const CLICK = 'assets.click_url ({"asset_type": "url", "url": "…"})'
const OF_CREATIVE = {
  brief: BRIEF,
  format: 'format_id',
  id: 'creative_id',
  ...Object.fromEntries(
    [
      'click_through',
      'click_through_url',
      'click_url',
      'clickthrough',
      'clickthrough_url',
      'destination_url',
      'landing_page',
    ].map((name) => [name, CLICK]),
  ),
  ...Object.fromEntries(
    [
      'asset',
      'asset_url',
      'file',
      'file_url',
      'image',
      'image_url',
      'media',
      'media_url',
      'src',
      'url',
      'video',
      'video_url',
    ].map((name) => [
      name,
      'assets, by the slots of the format ({"image": {"asset_type": "image", "url": "…", "width": 300, "height": 250}})',
    ]),
  ),
  landing_page_url: CLICK,
  landing_url: CLICK,
}

const OF_PACKAGE = {
  ...DATES,
  brief: `creatives[].${BRIEF}`,
  audiences: 'targeting_overlay.audience_include',
  bid: 'bid_price',
  cpm: 'bid_price',
  max_bid: 'bid_price',
  creative_ids: 'creative_assignments',
  frequency_cap: 'targeting_overlay.frequency_cap',
  geo: 'targeting_overlay.geo_countries',
  goals: 'optimization_goals',
  product: 'product_id',
  status: 'paused (true or false) or canceled (true)',
  targeting: 'targeting_overlay',
  total_budget: 'budget (a number, in the currency of the pricing option)',
}

/** A package keeps these for good (media-buy/package-update.json, `not`); another one has to be added for others. */
const KEPT_BY_PACKAGE = Object.fromEntries(
  ['product_id', 'pricing_option_id', 'format_ids', 'format_option_refs', 'format_kind', 'params'].map((name) => [
    name,
    `new_packages[].${name} (the ${name} of a package cannot change)`,
  ]),
)

/** An order is paused, resumed and canceled by members of these names. */
const CHANGE_OF_STATE = {
  action: 'paused (true or false) or canceled (true)',
  active: 'paused',
  buyer_ref: 'media_buy_id, of create_media_buy or get_media_buys',
  cancel: 'canceled (true)',
  order_id: 'media_buy_id',
  resume: 'paused (false)',
  state: 'paused (true or false) or canceled (true)',
  status: 'paused (true or false) or canceled (true)',
}

/** A package of a change is removed, paused and resumed by members of these names. */
const CHANGE_OF_PACKAGE = {
  ...Object.fromEntries(['remove', 'removed', 'delete', 'deleted', 'drop', 'cancel'].map((name) => [name, 'canceled (true)'])),
  ...Object.fromEntries(['action', 'state'].map((name) => [name, 'paused (true or false) or canceled (true)'])),
  ...Object.fromEntries(['active', 'enabled'].map((name) => [name, 'paused (true or false)'])),
  pause: 'paused',
  resume: 'paused (false)',
}

/** Names that are no misspelling of a member and still represent one. Sources: requests of the 2.x releases, and names that other sales APIs use. */
export const MEANT_MEMBERS: Meanings = {
  ...MEANT_IN_COMPACT,
  ...MEANT_IN_DATA,
  ...MEANT_IN_READS,
  'media-buy/create-media-buy-request.json#': {
    ...DATES,
    brief: BRIEF_OF_CREATIVE,
    budget: 'packages[].budget; total_budget ({amount, currency}) limits the whole',
    ...Object.fromEntries(['items', 'line_items', 'products', 'product_ids'].map((name) => [name, 'packages[].product_id'])),
    status: 'packages[].paused',
    targeting: 'packages[].targeting_overlay',
    targeting_overlay: 'packages[].targeting_overlay',
  },
  'media-buy/update-media-buy-request.json#': {
    ...DATES,
    brief: BRIEF_OF_CREATIVE,
    budget: 'packages[].budget',
    products: 'new_packages[].product_id',
    product_ids: 'new_packages[].product_id',
    ...CHANGE_OF_STATE,
    targeting: 'packages[].targeting_overlay',
    targeting_overlay: 'packages[].targeting_overlay',
  },
  'media-buy/package-request.json#': { ...OF_PACKAGE, pricing_option: 'pricing_option_id', status: 'paused' },
  'media-buy/package-update.json#': { ...OF_PACKAGE, ...KEPT_BY_PACKAGE, ...CHANGE_OF_PACKAGE },
  'media-buy/build-creative-request.json#': {
    ...Object.fromEntries(['brief', 'description', 'instructions', 'prompt', 'text'].map((name) => [name, 'message'])),
    ...Object.fromEntries(['format', 'format_id', 'target_format'].map((name) => [name, 'target_format_id'])),
    ...Object.fromEntries(['format_ids', 'formats', 'target_formats'].map((name) => [name, 'target_format_ids'])),
    manifest: 'creative_manifest',
  },
  'creative/sync-creatives-request.json#': { brief: `creatives[].${BRIEF}` },
  'creative/sync-creatives-request.json#creatives': OF_CREATIVE,
  'creative/sync-creatives-request.json#assignments': {
    media_buy_id: 'package_id (get_media_buys lists the packages of an order)',
    media_buy_ids: 'package_id (get_media_buys lists the packages of an order)',
  },
  'core/creative-asset.json#': OF_CREATIVE,
  'core/product-filters.json#geo_proximity': DISTANCE,
  'core/targeting.json#geo_proximity': DISTANCE,
  'core/frequency-cap.json#': {
    ...Object.fromEntries(['cap', 'count', 'impressions', 'limit', 'max'].map((name) => [name, 'max_impressions'])),
    ...Object.fromEntries(['duration', 'interval', 'period', 'time_unit', 'timeframe', 'unit'].map((name) => [name, CAP_WINDOW])),
  },
  'brand/acquire-rights-request.json#campaign': {
    start: 'start_date',
    start_time: 'start_date',
    end: 'end_date',
    end_time: 'end_date',
  },
  'brand/update-rights-request.json#': { end: 'end_date', end_time: 'end_date', status: 'paused' },
  'signals/activate-signal-request.json#': {
    deployments: 'destinations',
    platform: 'destinations ([{"type": "platform", "platform": "…"}])',
    platforms: 'destinations ([{"type": "platform", "platform": "…"}])',
    signal_id: 'signal_agent_segment_id',
  },
}

/** Members that official stories or clients send to a place that does not know them: they have no effect, and are taken for no mistake. */
export const SENT_BY_OTHERS: Readonly<Record<string, readonly string[]>> = {
  'core/creative-manifest.json#': ['creative_id'],
  'creative/list-creatives-request.json#': ['creative_ids'],
}

/** Members below which nothing unnamed is accepted: it would narrow the delivery, and be echoed as if it did. */
export const NARROWING_MEMBERS: ReadonlySet<string> = new Set(['targeting_overlay'])
