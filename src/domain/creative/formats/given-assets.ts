import type { FormatAsset } from './format.ts'

/**
 * Asset slots for what an advertiser gives beside files: words, addresses, a brief, a feed. The asset id is the key that a creative manifest uses (AdCP
 * core/format.json `assets`); one id means one thing in every format of this agent.
 */

/** A line of text with a length limit in characters. */
export function textLine(assetId: string, maxLength: number, required: boolean): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: assetId,
    asset_type: 'text',
    asset_role: assetId,
    required,
    requirements: { min_length: 1, max_length: maxLength },
  }
}

/** The page a click leads to. */
export function clickUrl(required = false): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'click_url',
    asset_type: 'url',
    asset_role: 'clickthrough',
    required,
    requirements: { role: 'clickthrough', protocols: ['https', 'http'], max_length: 2048, macro_support: true },
  }
}

/** An address that is called for each impression. */
export function impressionTracker(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'impression_tracker',
    asset_type: 'url',
    asset_role: 'third_party_tracking',
    required: false,
    requirements: { role: 'impression_tracker', protocols: ['https'], max_length: 2048, macro_support: true },
  }
}

/** The brief that a generative format is made from; it travels with what was made. */
export function creativeBrief(): FormatAsset {
  return { item_type: 'individual', asset_id: 'brief', asset_type: 'brief', asset_role: 'creative_brief', required: true }
}

/** A feed of products; the ad shows up to `mostItems` of them, one at a time. */
export function productCatalog(mostItems: number): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'catalog',
    asset_type: 'catalog',
    asset_role: 'product_feed',
    required: true,
    requirements: { catalog_type: 'product', min_items: 1, max_items: mostItems, required_fields: ['title'] },
  }
}
