import { hash } from 'node:crypto'
import type { Asset, Assets } from '../assets.ts'
import type { Format, FormatAsset } from '../formats/format.ts'
import { urlTemplate } from '../macros/fill.ts'
import { checkAsset } from '../validate-asset.ts'
import { type Copy, carriedBrief, TEXT_IDS } from './copy.ts'
import { displayDocument, displayTag, type Size } from './display-ad.ts'
import { nativeJson } from './native-json.ts'
import type { Directions } from './read-message.ts'
import type { Style } from './style.ts'
import { cardVast, daastDocument, linearVast, type Spot } from './vast-document.ts'

/** Asset id of the slot for a native ad in one piece. */
export const NATIVE_JSON = 'openrtb_native'

type Individual = Extract<FormatAsset, { item_type: 'individual' }>
type AssetOf<T extends Asset['asset_type']> = Extract<Asset, { asset_type: T }>

export interface AssetPlan {
  readonly format: Format
  /** Size of the ad in pixels, where the format or its reference has one. */
  readonly size: Size | undefined
  readonly source: Assets
  readonly copy: Copy
  readonly style: Style
  readonly directions: Directions
  /** Whether an earlier build made the code of the source, so that a new one may replace it. */
  readonly ownCode: boolean
  readonly universalAdId?: Spot['universalAdId']
}

/** Fills the slots of a format: what fits is taken over, what a template can make is made, the rest stays out. */
export function buildAssets(plan: AssetPlan): Assets {
  const slots = plan.format.assets ?? []
  const single = slots.flatMap((slot) => (slot.item_type === 'individual' ? [slot] : []))
  const filled = single.flatMap((slot) => {
    const asset = fill(slot, plan)
    return asset ? [[slot.asset_id, asset] as const] : []
  })
  // Repetitions have keys of their own; a template makes none, but what was sent stays.
  const groups = slots.flatMap((slot) => (slot.item_type === 'repeatable_group' ? [`${slot.asset_group_id}_`] : []))
  const repeated = Object.entries(plan.source).filter(([id]) => groups.some((prefix) => id.startsWith(prefix)))
  return Object.fromEntries([...filled, ...repeated])
}

function fill(slot: Individual, plan: AssetPlan): Asset | undefined {
  const { source, copy } = plan
  const given = source[slot.asset_id]?.asset_type === slot.asset_type ? source[slot.asset_id] : undefined
  switch (slot.asset_type) {
    case 'text':
      return slot.asset_id === NATIVE_JSON ? { asset_type: 'text', content: nativeJson(copy) } : textFor(slot, given, copy)
    case 'url':
      return urlFor(slot, given, copy)
    case 'image':
    case 'video':
    case 'audio':
      if (slot.asset_type === 'image' && plan.directions.removed.includes(slot.asset_id === 'logo' ? 'logo' : 'image'))
        return undefined
      return given && checkAsset(slot, given, '').length === 0 ? given : (fitting(slot, source) ?? undefined)
    case 'html':
      if (given && !plan.ownCode) return given
      return plan.size && { asset_type: 'html', content: displayDocument(plan.size, copy, plan.style), version: 'HTML5' }
    case 'javascript':
      if (given && !plan.ownCode) return given
      return (
        plan.size && { asset_type: 'javascript', content: displayTag(plan.size, displayDocument(plan.size, copy, plan.style)) }
      )
    case 'vast':
      return given && !plan.ownCode ? given : (vastFor(plan) ?? given)
    case 'daast':
      return given && !plan.ownCode ? given : (daastFor(plan) ?? given)
    case 'brief':
      return carriedBrief(source, plan.directions, copy)
    default:
      return given
  }
}

/** The first asset of the source that keeps every rule of the slot. Logos are no pictures of what is advertised. */
function fitting(slot: Individual, source: Assets): Asset | undefined {
  if (slot.asset_id === 'logo') return undefined
  return Object.entries(source).find(
    ([id, asset]) => id !== 'logo' && asset?.asset_type === slot.asset_type && checkAsset(slot, asset, '').length === 0,
  )?.[1]
}

function textFor(slot: Individual, given: Asset | undefined, copy: Copy): Asset | undefined {
  const [part] = Object.entries(TEXT_IDS).find(([, ids]) => ids.includes(slot.asset_id)) ?? []
  const words = part === 'headline' || part === 'body' || part === 'cta' || part === 'sponsor' ? copy[part] : undefined
  if (part === undefined) return given
  const most = slot.asset_type === 'text' ? slot.requirements?.max_length : undefined
  const language = given?.asset_type === 'text' ? given.language : undefined
  return words === undefined
    ? undefined
    : { asset_type: 'text', content: shortened(words, most), ...(language !== undefined && { language }) }
}

/** Text of at most `most` characters, ended at a word where that leaves enough. */
function shortened(text: string, most: number | undefined): string {
  const characters = [...text]
  if (most === undefined || characters.length <= most) return text
  const cut = characters.slice(0, Math.max(1, most - 1)).join('')
  const word = cut.slice(0, cut.lastIndexOf(' '))
  return `${word.length > cut.length / 2 ? word : cut}…`
}

function urlFor(slot: Individual, given: Asset | undefined, copy: Copy): Asset | undefined {
  const isTracker = slot.asset_id === 'impression_tracker'
  const isClick = slot.asset_role === 'clickthrough'
  const url = isTracker ? copy.trackers[0] : isClick ? copy.clickUrl : undefined
  if (!isTracker && !isClick) return given
  const kind = isTracker ? 'tracker_pixel' : 'clickthrough'
  return url === undefined ? undefined : { asset_type: 'url', url, url_type: kind }
}

function vastFor(plan: AssetPlan): Asset | undefined {
  const { copy, size, style } = plan
  const spot = spotOf(plan)
  const video = firstOf(plan.source, 'video')
  const url = video && urlTemplate(video.url)
  if (video && url !== undefined) {
    const { width, height, video_bitrate_kbps: bitrateKbps } = video
    const file = { url, width, height, bitrateKbps, mimeType: `video/${containerOf(video.container_format, url, 'mp4')}` }
    return {
      asset_type: 'vast',
      vast_version: '4.2',
      delivery_type: 'inline',
      content: linearVast(spot, file),
      duration_ms: spot.durationMs,
    }
  }
  // A format that is made from a brief may do without footage; any other is a film or nothing.
  if (!size || !plan.format.assets?.some((slot) => slot.item_type === 'individual' && slot.asset_type === 'brief'))
    return undefined
  const card: Size = { width: Math.min(size.width, CARD.width), height: Math.min(size.height, CARD.height) }
  const content = cardVast(spot, card, displayDocument(card, { ...copy, trackers: [] }, style))
  return { asset_type: 'vast', vast_version: '4.2', delivery_type: 'inline', content, duration_ms: spot.durationMs }
}

/** A strip at the lower edge of a 16:9 picture. */
const CARD: Size = { width: 960, height: 150 }

function daastFor(plan: AssetPlan): Asset | undefined {
  const audio = firstOf(plan.source, 'audio')
  const url = audio && urlTemplate(audio.url)
  if (!audio || url === undefined) return undefined
  const spot = spotOf(plan)
  const mimeType = `audio/${containerOf(audio.container_format, url, 'mpeg').replace(/^mp3$/, 'mpeg')}`
  const content = daastDocument(spot, { url, mimeType, bitrateKbps: audio.bitrate_kbps })
  return { asset_type: 'daast', daast_version: '1.0', delivery_type: 'inline', content, duration_ms: spot.durationMs }
}

function spotOf({ format, source, copy, universalAdId }: AssetPlan): Spot {
  const { duration_ms: stated }: Readonly<Record<string, unknown>> = { ...format.delivery }
  const file = firstOf(source, 'video') ?? firstOf(source, 'audio')
  const durationMs = file?.duration_ms ?? (typeof stated === 'number' ? stated : 15_000)
  const id = hash('sha256', JSON.stringify([format.format_id.id, copy, file?.url]), 'hex').slice(0, 32)
  return { id, copy, durationMs, universalAdId }
}

function firstOf<T extends Asset['asset_type']>(assets: Assets, type: T): AssetOf<T> | undefined {
  const isWanted = (asset: Asset | undefined): asset is AssetOf<T> => asset?.asset_type === type
  return Object.values(assets).find(isWanted)
}

function containerOf(stated: string | undefined, url: string, otherwise: string): string {
  const extension = /\.([a-z0-9]{2,4})(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase()
  const container = stated ?? extension ?? otherwise
  return container === 'mov' ? 'quicktime' : container
}
