import type { EventKind } from '../../ad-serving/embedded/line.ts'
import type { Decision } from '../../ad-serving/embedded/service.ts'
import { cdata, escapeXml } from '../../domain/creative/macros/encode.ts'
import { fillUrl } from '../../domain/creative/macros/fill.ts'
import { adMacros } from './ad-macros.ts'
import type { AdAddresses } from './addresses.ts'
import type { DecisionRequest } from './decision-request.ts'

/** Versions of VAST that are written; players that know 4.1 or 2.0 read the nearest of them. */
export type VastVersion = '3.0' | '4.2'

/** The tracking events that are counted (VAST 4.2, 3.14.1). */
const QUARTILES = ['start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'] as const satisfies readonly EventKind[]

/** An answer without an ad (VAST 4.2, 3.2.1). */
export function emptyVast(version: VastVersion): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<VAST version="${version}"${namespaceOf(version)}/>`
}

/** A video ad as a VAST document: a hosted file as InLine, a tag of another ad server as Wrapper. */
export function vastOf(decision: Decision, version: VastVersion, request: DecisionRequest, addresses: AdAddresses): string {
  const { token, served, creative } = decision
  const { content, clickUrl, name, trackers, viewTrackers = [], clickTrackers = [] } = creative
  if (content.kind !== 'video' && content.kind !== 'vast') return emptyVast(version)
  const macros = adMacros(decision, { click: addresses.click(token) }, request)
  const filled = (urls: readonly string[]) => urls.map((each) => fillUrl(each, macros))
  const is4 = version === '4.2'
  const impressions = [addresses.event(token, 'impression'), ...filled(trackers)]
  const id = escapeXml(served.decisionId)
  const shared =
    `${element('Error', `${addresses.event(token, 'error')}&code=[ERRORCODE]`)}` +
    impressions.map((url) => element('Impression', url)).join('') +
    (is4 ? viewable([addresses.event(token, 'viewable'), ...filled(viewTrackers)]) : '')
  const tracking = QUARTILES.map((kind) => `<Tracking event="${kind}">${cdata(addresses.event(token, kind))}</Tracking>`).join('')
  const through = clickUrl === undefined ? '' : element('ClickThrough', addresses.click(token))
  const counted = filled(clickTrackers)
    .map((url) => element('ClickTracking', url))
    .join('')
  const inClicks = (parts: string) => (parts === '' ? '' : `<VideoClicks>${parts}</VideoClicks>`)
  const clicks = inClicks(through + counted)
  if (content.kind === 'vast') {
    const uri = element('VASTAdTagURI', fillUrl(content.url, macros))
    const body =
      `<AdSystem>adcp-sales-agent</AdSystem>${uri}${shared}<Creatives><Creative><Linear><TrackingEvents>${tracking}</TrackingEvents>` +
      `${inClicks(counted)}</Linear></Creative></Creatives>`
    return document(
      version,
      `<Ad id="${id}"><Wrapper followAdditionalWrappers="true" allowMultipleAds="false">${body}</Wrapper></Ad>`,
    )
  }
  const { url, mimeType, durationMs, width, height, bitrateKbps } = content
  const bitrate = bitrateKbps === undefined ? '' : ` bitrate="${Math.round(bitrateKbps)}"`
  const file = `<MediaFile delivery="progressive" type="${escapeXml(mimeType)}" width="${width}" height="${height}"${bitrate}>${cdata(addresses.file(served.tenantId, url))}</MediaFile>`
  const universal = is4 ? `<UniversalAdId idRegistry="unknown">${escapeXml(served.creativeId)}</UniversalAdId>` : ''
  const body =
    `<AdSystem>adcp-sales-agent</AdSystem>${is4 ? `<AdServingId>${id}</AdServingId>` : ''}<AdTitle>${escapeXml(name)}</AdTitle>${shared}` +
    `<Creatives><Creative id="${escapeXml(served.creativeId)}" sequence="1">${universal}<Linear><Duration>${clock(durationMs)}</Duration>` +
    `<TrackingEvents>${tracking}</TrackingEvents>${clicks}<MediaFiles>${file}</MediaFiles></Linear></Creative></Creatives>`
  return document(version, `<Ad id="${id}" sequence="1"><InLine>${body}</InLine></Ad>`)
}

function viewable(urls: readonly string[]): string {
  return `<ViewableImpression>${urls.map((url) => element('Viewable', url)).join('')}</ViewableImpression>`
}

function document(version: VastVersion, ad: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<VAST version="${version}"${namespaceOf(version)}>${ad}</VAST>`
}

function namespaceOf(version: VastVersion): string {
  return version === '4.2' ? ' xmlns="http://www.iab.com/VAST"' : ''
}

function element(name: string, url: string): string {
  return `<${name}>${cdata(url)}</${name}>`
}

/** `HH:MM:SS.mmm` (VAST 4.2, 3.9). */
function clock(durationMs: number): string {
  return new Date(durationMs).toISOString().slice(11, 23)
}
