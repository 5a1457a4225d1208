import type { CatalogType } from './catalog-type.ts'

/** What an item of a type is known by and cannot do without (AdCP core/*-item.json, core/offering.json). */
export interface ItemRule {
  /** Identifying fields, the first present one counts. */
  readonly ids: readonly string[]
  /** Each entry needs one of its fields. */
  readonly required: readonly (readonly string[])[]
  /** Each entry should have one of its fields; an ad without it is poor. */
  readonly wanted: readonly (readonly string[])[]
}

const TITLE = ['title', 'name']
const IMAGE = ['image_url', 'image_link', 'image', 'assets']
const LANDING = ['url', 'landing_url', 'link', 'checkout_url']

/** Free-form types take any of the identifiers that feeds use. */
const PRODUCT_IDS = ['item_id', 'id', 'sku', 'offer_id', 'gtin']

export const ITEM_RULES: Readonly<Record<CatalogType, ItemRule>> = {
  offering: { ids: ['offering_id'], required: [['name']], wanted: [LANDING] },
  product: { ids: PRODUCT_IDS, required: [TITLE], wanted: [IMAGE, LANDING] },
  inventory: { ids: [...PRODUCT_IDS, 'inventory_id'], required: [], wanted: [] },
  store: { ids: ['store_id'], required: [['name'], ['location']], wanted: [] },
  promotion: { ids: ['promotion_id', ...PRODUCT_IDS], required: [TITLE], wanted: [] },
  hotel: { ids: ['hotel_id'], required: [['name'], ['location']], wanted: [IMAGE, LANDING] },
  flight: { ids: ['flight_id'], required: [['origin'], ['destination']], wanted: [LANDING] },
  job: { ids: ['job_id'], required: [['title'], ['company_name'], ['description']], wanted: [['apply_url']] },
  vehicle: { ids: ['vehicle_id'], required: [['title'], ['make'], ['model'], ['year']], wanted: [IMAGE, LANDING] },
  real_estate: { ids: ['listing_id'], required: [['title'], ['address']], wanted: [IMAGE, LANDING] },
  education: { ids: ['program_id'], required: [['name'], ['school']], wanted: [LANDING] },
  destination: { ids: ['destination_id'], required: [['name']], wanted: [IMAGE, LANDING] },
  app: { ids: ['app_id'], required: [['name'], ['platform']], wanted: [['icon_url'], ['store_url', 'deep_link_url']] },
}

/** Fields that hold an address a browser will open or load. */
export const URL_FIELDS = [
  'url',
  'link',
  'landing_url',
  'checkout_url',
  'apply_url',
  'store_url',
  'image_url',
  'image_link',
  'icon_url',
  'preview_video_url',
] as const
