import { pageScript, placeElement, placeOfFormats, vastAddress } from '../../domain/ad-serving/place-tag.ts'
import { escapeHtml } from '../../domain/creative/macros/encode.ts'
import type { Product } from '../../domain/product/product.ts'
import type { Route } from '../http/server.ts'
import { refusedMethod, reply } from './ad-reply.ts'

/** A place of the demo page. */
export interface DemoPlace {
  readonly place: string
  readonly name: string
  readonly kind: 'display' | 'native' | 'video'
  readonly sizes: readonly string[]
}

/** Places of each kind that the page shows: enough to see what was bought, few enough to scroll through. */
const MOST: Readonly<Record<DemoPlace['kind'], number>> = { display: 8, native: 2, video: 2 }

/** Places for the products of a publisher: their placements, or the product itself where it has none. */
export function demoPlaces(products: readonly Product[]): DemoPlace[] {
  const all = products.filter(({ selling }) => selling.status === 'active').flatMap(placesOf)
  const seen = new Set<string>()
  const left = { ...MOST }
  return all.filter(({ place, kind }) => {
    if (seen.has(place) || left[kind] === 0) return false
    seen.add(place)
    left[kind] -= 1
    return true
  })
}

function placesOf({ id, offer }: Product): DemoPlace[] {
  const shown = placeOfFormats(offer.format_ids.map((format) => format.id))
  if (!shown) return []
  const placements = offer.placements ?? []
  const places = placements.length > 0 ? placements : [{ placement_id: id, name: offer.name }]
  return places.map(({ placement_id: place, name }) => ({ place, name: name ?? place, ...shown }))
}

/** What the page shows of a publisher. */
export interface DemoPublisher {
  readonly name: string
  readonly products: readonly Product[]
}

export interface DemoPageParts {
  /** Undefined for a publisher that does not exist. */
  publisherOf(tenantId: string): Promise<DemoPublisher | undefined>
  readonly origin: string
}

/** `GET /ads/{publisher}/demo`: a page with tags for the places of a publisher, to see what was bought. For development. */
export function demoPageRoute({ publisherOf, origin }: DemoPageParts): Route {
  return async (request, response, [tenantId = '']) => {
    if (refusedMethod(request, response, ['GET', 'HEAD'])) return
    const publisher = await publisherOf(tenantId)
    if (!publisher) return reply(response, 404, { type: 'text/plain', body: 'There is no publisher of this id here.' })
    response.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; script-src ${origin}; connect-src ${origin}; ${PAGE_POLICY}`,
    )
    response.removeHeader('Referrer-Policy')
    reply(response, 200, { type: 'text/html; charset=utf-8', body: demoPage(tenantId, publisher, origin) })
  }
}

/** What a publisher's own page would allow: pictures and films of advertisers, frames of the ad server. */
const PAGE_POLICY =
  "img-src * data:; media-src *; frame-src *; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

function demoPage(tenantId: string, { name, products }: DemoPublisher, origin: string): string {
  const [publisher, title, at] = [tenantId, name, origin].map(escapeHtml)
  const script = pageScript(origin, tenantId)
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${title}: demo page</title><link rel="icon" href="data:,"><style>${STYLE}</style>` +
    script +
    `<script async src="${at}/ads/demo-player.js" data-publisher="${publisher}"></script></head><body><h1>${title}</h1><p>The demo page of this publisher. ` +
    `Each box is a place that a product sells. What a production buyer orders and the publisher approves shows here within seconds; reload to ask again.</p>` +
    `<p>For a page of your own, put this line into its <code>head</code>, once, and for each place the element that is shown with it below. ` +
    `Places are the placements of your products, or the products themselves.</p>${markup(script)}` +
    `${demoPlaces(products)
      .map((place) => placeHtml(place, vastAddress(origin, tenantId, place.place)))
      .join('')}</body></html>`
  )
}

const STYLE =
  ':root{color-scheme:light dark}*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem}h1{margin:0}' +
  'section{margin:2.5rem 0}h2{font-size:1.1rem;margin:0 0 .5rem}[data-ad],[data-video]{min-height:50px!important;outline:1px dashed #8888;outline-offset:4px;border-radius:2px;display:flow-root}' +
  '[data-ad-state=empty]::after{content:"no ad for this place";color:GrayText;padding:.75rem;display:block}' +
  'code{overflow-wrap:anywhere;font-size:.85rem}video{max-width:100%;height:auto}pre{overflow:auto;background:#8882;padding:.5rem;margin:.75rem 0;border-radius:4px;white-space:pre-wrap}' +
  '.ad-native{display:block;max-width:24rem;padding:1rem;color:inherit;text-decoration:none}.ad-native img{width:100%}.ad-native-cta{font-weight:600}'

function placeHtml(shown: DemoPlace, vast: string): string {
  const { place, name, kind } = shown
  const box = kind === 'video' ? `<div data-video="${escapeHtml(place)}"></div>` : placeElement(shown)
  const how =
    kind === 'video' ? `<p>For a video player, as the address of its VAST tag: <code>${escapeHtml(vast)}</code></p>` : markup(box)
  return `<section><h2>${escapeHtml(name)}</h2>${box}${how}</section>`
}

/** Markup as text, to copy. */
function markup(html: string): string {
  return `<pre tabindex="0"><code>${escapeHtml(html)}</code></pre>`
}

/** A player small enough for a demo: it asks for VAST, plays the file and calls its trackers. Pages use a real one. */
export const DEMO_PLAYER = `(() => {
  'use strict'
  const script = document.currentScript
  const origin = new URL(script.src).origin
  const call = (url) => fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'omit', keepalive: true }).catch(() => {})
  const play = async (place) => {
    const preview = new URLSearchParams(location.search).get('adcp_preview')
    const query = '?place=' + encodeURIComponent(place.dataset.video) + (preview ? '&preview=' + encodeURIComponent(preview) : '')
    const answer = await fetch(origin + '/ads/' + script.dataset.publisher + '/vast' + query, { credentials: 'omit' })
    const vast = new DOMParser().parseFromString(await answer.text(), 'application/xml')
    const texts = (name) => [...vast.getElementsByTagName(name)].map((element) => element.textContent.trim())
    const [file] = texts('MediaFile')
    if (!file) { place.dataset.adState = 'empty'; return }
    const tracked = new Map([...vast.getElementsByTagName('Tracking')].map((each) => [each.getAttribute('event'), each.textContent.trim()]))
    const once = (name) => { const url = tracked.get(name); tracked.delete(name); if (url) call(url) }
    const video = document.createElement('video')
    Object.assign(video, { src: file, muted: true, controls: true, playsInline: true, width: 640 })
    video.addEventListener('playing', () => { place.dataset.adState = 'shown'; texts('Impression').forEach(call); once('start') }, { once: true })
    video.addEventListener('timeupdate', () => {
      const share = video.currentTime / video.duration
      if (share >= 0.25) once('firstQuartile')
      if (share >= 0.5) once('midpoint')
      if (share >= 0.75) once('thirdQuartile')
    })
    video.addEventListener('ended', () => once('complete'))
    video.addEventListener('error', () => texts('Error').forEach((url) => call(url.replace('[ERRORCODE]', '405'))), { once: true })
    place.append(video)
    video.play().catch(() => {})
  }
  const begin = () => document.querySelectorAll('[data-video]').forEach((place) => play(place).catch((error) => console.warn('ads: ' + error.message)))
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin)
  else begin()
})()
`
