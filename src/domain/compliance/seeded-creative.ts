import { isObject } from '../../protocol/is-object.ts'
import type { Assets } from '../creative/assets.ts'
import { sampleAssets } from '../creative/build/sample-assets.ts'
import type { Creative, CreativeStatus } from '../creative/creative.ts'
import type { Format } from '../creative/formats/format.ts'
import type { FormatKey } from '../creative/formats/format-id.ts'
import { TRANSITIONS } from '../creative/lifecycle.ts'
import type { VendorPrice } from '../vendor-price.ts'
import { oneOf, type Params } from './params.ts'

/**
 * A library creative of what the controller seeds, which may be as little as an id. It belongs to the agent (`accountId` ''),
 * so every account of the agent has it. Throws INVALID_REQUEST for a status that does not exist.
 */
export function seededCreative(
  creativeId: string,
  fixture: Params,
  { agentUrl, existing, formatOf, now }: SeedContext,
): Creative {
  const statuses = Object.keys(TRANSITIONS) as CreativeStatus[]
  const status = fixture.status === undefined ? 'approved' : oneOf(fixture.status, statuses, 'fixture.status')
  const at = now.toISOString()
  const formatId = formatKeyOf(fixture.format_id, agentUrl)
  const prices = pricesOf(fixture.pricing_options)
  return {
    creativeId,
    accountId: '',
    content: {
      name: typeof fixture.name === 'string' ? fixture.name : creativeId,
      formatId,
      assets: fixture.assets === undefined ? sampleAssets(formatOf(formatId)) : assetsOf(fixture.assets),
      tags: Array.isArray(fixture.tags) ? fixture.tags.filter((tag) => typeof tag === 'string') : [],
      ...(prices.length > 0 && { prices }),
      ...(typeof fixture.concept_id === 'string' && { conceptId: fixture.concept_id }),
      ...(typeof fixture.concept_name === 'string' && { conceptName: fixture.concept_name }),
    },
    status,
    ...(status === 'approved' && { approvedAt: at }),
    createdAt: existing?.createdAt ?? at,
    updatedAt: at,
    revision: existing?.revision ?? 1,
  }
}

export interface SeedContext {
  readonly agentUrl: string
  readonly existing: Creative | undefined
  /** The format that a reference names, as far as it is known. */
  readonly formatOf: (formatId: FormatKey) => Format | undefined
  readonly now: Date
}

/** Prices of a fixture, whose short form has `rate` where the official one has a member named for the model. */
function pricesOf(value: unknown): VendorPrice[] {
  return (Array.isArray(value) ? value : []).flatMap((entry: unknown): VendorPrice[] => {
    const { pricing_option_id, model, pricing_model, rate, cpm, currency }: Params = isObject(entry) ? entry : {}
    const amount = cpm ?? rate
    if (typeof pricing_option_id !== 'string' || typeof currency !== 'string' || typeof amount !== 'number') return []
    return (model ?? pricing_model) === 'cpm' ? [{ pricing_option_id, model: 'cpm', cpm: amount, currency }] : []
  })
}

/** Fixtures may leave the owner of a format out: it is then this agent's. */
function formatKeyOf(value: unknown, agentUrl: string): FormatKey {
  const { id, agent_url, width, height }: Params = isObject(value) ? value : { id: value }
  return {
    agent_url: typeof agent_url === 'string' && URL.canParse(agent_url) ? agent_url : agentUrl,
    id: typeof id === 'string' && /^[a-zA-Z0-9_-]+$/.test(id) ? id : 'display_300x250',
    ...(isSize(width) && isSize(height) && { width, height }),
  }
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0
}

/** Files and texts of a fixture; whatever could not be shown in a listing stays out. */
function assetsOf(value: unknown): Assets {
  const assets: Record<string, NonNullable<Assets[string]>> = {}
  for (const [key, asset] of Object.entries(isObject(value) ? value : {})) {
    if (!/^[a-z0-9_]+$/.test(key) || !isObject(asset)) continue
    const { asset_type, url, width, height, content } = asset
    const address = typeof url === 'string' && URL.canParse(url) ? url : undefined
    if ((asset_type === 'image' || asset_type === 'video') && address !== undefined && isSize(width) && isSize(height)) {
      assets[key] = { asset_type, url: address, width, height }
    } else if ((asset_type === 'audio' || asset_type === 'url') && address !== undefined) {
      assets[key] = { asset_type, url: address }
    } else if (asset_type === 'text' && typeof content === 'string') {
      assets[key] = { asset_type, content }
    }
  }
  return assets
}
