import { cdata, escapeXml } from '../macros/encode.ts'
import type { Copy } from './copy.ts'
import type { Size } from './display-ad.ts'

export interface MediaFile extends Size {
  /** URL template in normal form. */
  readonly url: string
  readonly mimeType: string
  readonly bitrateKbps?: number | undefined
}

export interface Spot {
  /** Stable for the same content. */
  readonly id: string
  readonly copy: Copy
  readonly durationMs: number
  /** An industry identifier of the creative. */
  readonly universalAdId?: { readonly registry: string; readonly value: string } | undefined
}

/** Names this server as the maker of a document, and lets it know its own again. */
export const AD_SYSTEM = '<AdSystem version="1">adcp-sales-agent</AdSystem>'

/** A linear video ad as a VAST 4.2 document (IAB Tech Lab VAST 4.2, §3). */
export function linearVast(spot: Spot, file: MediaFile): string {
  const { copy } = spot
  const click = copy.clickUrl ? `<VideoClicks><ClickThrough>${cdata(copy.clickUrl)}</ClickThrough></VideoClicks>` : ''
  const bitrate = file.bitrateKbps === undefined ? '' : ` bitrate="${Math.round(file.bitrateKbps)}"`
  const media =
    `<MediaFile delivery="progressive" type="${escapeXml(file.mimeType)}" width="${file.width}" height="${file.height}"${bitrate}>` +
    `${cdata(file.url)}</MediaFile>`
  return vast(spot, `<Linear><Duration>${clock(spot.durationMs)}</Duration>${click}<MediaFiles>${media}</MediaFiles></Linear>`)
}

/** A card over the content as a non-linear VAST 4.2 ad: what a template can make of a spot that has no footage. */
export function cardVast(spot: Spot, size: Size, html: string): string {
  const { copy } = spot
  const click = copy.clickUrl ? `<NonLinearClickThrough>${cdata(copy.clickUrl)}</NonLinearClickThrough>` : ''
  return vast(
    spot,
    `<NonLinearAds><NonLinear width="${size.width}" height="${size.height}" minSuggestedDuration="${clock(spot.durationMs)}">` +
      `<HTMLResource>${cdata(html)}</HTMLResource>${click}</NonLinear></NonLinearAds>`,
  )
}

function vast({ id, copy, universalAdId }: Spot, creative: string): string {
  // A registry has to be named even for an unregistered ad (VAST 4.2, 3.7.1).
  const { registry, value } = universalAdId ?? { registry: 'unknown', value: 'unknown' }
  const impressions = copy.trackers.length > 0 ? copy.trackers : ['about:blank']
  return (
    `<?xml version="1.0" encoding="UTF-8"?><VAST version="4.2" xmlns="http://www.iab.com/VAST"><Ad id="${escapeXml(id)}"><InLine>` +
    `${AD_SYSTEM}<AdTitle>${escapeXml(copy.headline ?? copy.sponsor ?? id)}</AdTitle>` +
    `<AdServingId>${escapeXml(id)}</AdServingId>${impressions.map((url) => `<Impression>${cdata(url)}</Impression>`).join('')}` +
    `${copy.sponsor ? `<Advertiser>${escapeXml(copy.sponsor)}</Advertiser>` : ''}` +
    `<Creatives><Creative id="${escapeXml(id)}" sequence="1"><UniversalAdId idRegistry="${escapeXml(registry)}">${escapeXml(value)}</UniversalAdId>` +
    `${creative}</Creative></Creatives></InLine></Ad></VAST>`
  )
}

/** An audio spot as a DAAST 1.0 document (IAB DAAST 1.0, §3). */
export function daastDocument({ id, copy, durationMs }: Spot, file: Pick<MediaFile, 'url' | 'mimeType' | 'bitrateKbps'>): string {
  const click = copy.clickUrl ? `<AudioInteractions><ClickThrough>${cdata(copy.clickUrl)}</ClickThrough></AudioInteractions>` : ''
  const impressions = copy.trackers.map((url) => `<Impression>${cdata(url)}</Impression>`).join('')
  return (
    `<?xml version="1.0" encoding="UTF-8"?><DAAST version="1.0"><Ad id="${escapeXml(id)}"><InLine>${AD_SYSTEM}` +
    `<AdTitle>${escapeXml(copy.headline ?? copy.sponsor ?? id)}</AdTitle>${impressions}<Creatives><Creative id="${escapeXml(id)}" sequence="1">` +
    `<Linear><Duration>${clock(durationMs)}</Duration>${click}<MediaFiles><MediaFile delivery="progressive" type="${escapeXml(file.mimeType)}"` +
    `${file.bitrateKbps === undefined ? '' : ` bitrate="${Math.round(file.bitrateKbps)}"`}>${cdata(file.url)}</MediaFile></MediaFiles></Linear>` +
    `</Creative></Creatives></InLine></Ad></DAAST>`
  )
}

/** `HH:MM:SS.mmm` (VAST 4.2, 3.9 Duration). */
function clock(durationMs: number): string {
  const part = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, '0')
  const seconds = durationMs / 1000
  const fraction = durationMs % 1000 === 0 ? '' : `.${part(durationMs % 1000, 3)}`
  return `${part(seconds / 3600, 2)}:${part((seconds / 60) % 60, 2)}:${part(seconds % 60, 2)}${fraction}`
}
