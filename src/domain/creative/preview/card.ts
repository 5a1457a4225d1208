import { ownValue } from '../../own-value.ts'
import type { Asset, Assets } from '../assets.ts'
import { escapeHtml } from '../macros/encode.ts'
import { fillMacros, fillUrl, type Macros } from '../macros/fill.ts'
import { linkAttribute } from './html.ts'

/** What texts of a card are for, by the asset ids that formats use. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  sponsor: ['sponsor', 'brand', 'brand_name', 'advertiser'],
  headline: ['headline', 'title'],
  body: ['body', 'primary_text', 'description', 'text', 'script'],
  cta: ['cta', 'call_to_action'],
}

const STYLES: Readonly<Record<string, string>> = {
  sponsor: 'color:#666;font-size:12px',
  headline: 'font-weight:600;font-size:16px',
  body: 'margin-top:4px',
  cta: 'margin-top:8px;display:inline-block;padding:4px 12px;border:1px solid #111;border-radius:4px',
}

/** A native ad as a card, or a carousel for a format with repetitions (`card_1_image`, `card_2_image` …). */
export function renderCards(assets: Assets, macros: Macros): string {
  const cards = new Map<string, Assets>()
  for (const [key, asset] of Object.entries(assets)) {
    const [, number = '', assetId = key] = /^[a-z0-9]+_(\d+)_(.+)$/.exec(key) ?? []
    cards.set(number, { ...cards.get(number), [assetId]: asset })
  }
  const html = [...cards].sort(([a], [b]) => Number(a) - Number(b)).map(([, card]) => renderCard(card, macros))
  return html.length === 1
    ? (html[0] ?? '')
    : `<div style="display:flex;gap:12px;overflow-x:auto;scroll-snap-type:x mandatory;padding-bottom:8px">${html.map((card) => `<div style="flex:0 0 min(300px,85%);scroll-snap-align:start">${card}</div>`).join('')}</div>`
}

function renderCard(assets: Assets, macros: Macros): string {
  const click = Object.values(assets).find((asset) => asset?.asset_type === 'url' && asset.url_type !== 'tracker_pixel')
  const link = click?.asset_type === 'url' ? linkAttribute(fillUrl(click.url, macros)) : undefined
  const parts = [imageOf(assets, macros), ...textsOf(assets, macros)].join('')
  const card = `<div style="border:1px solid #ddd;border-radius:8px;overflow:hidden;max-width:360px;padding-bottom:12px">${parts}</div>`
  return link
    ? `<a href="${link}" target="_blank" rel="noopener noreferrer" style="color:inherit;text-decoration:none">${card}</a>`
    : card
}

function imageOf(assets: Assets, macros: Macros): string {
  const images = Object.entries(assets).filter(([id, asset]) => asset?.asset_type === 'image' && id !== 'logo')
  const [, image] = images[0] ?? []
  if (image?.asset_type !== 'image') return ''
  const source = linkAttribute(fillUrl(image.url, macros))
  return source ? `<img src="${source}" alt="${escapeHtml(image.alt_text ?? '')}" style="width:100%;display:block">` : ''
}

/** Texts in the order of a card; those with an id of their own come after the body. */
function textsOf(assets: Assets, macros: Macros): string[] {
  const texts = Object.entries(assets).flatMap(([id, asset]) => {
    const content = contentOf(asset)
    return content === undefined ? [] : [{ role: roleOf(id), content: fillMacros(content, macros) }]
  })
  const order = [...Object.keys(ROLES)]
  return texts
    .sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role))
    .map(
      ({ role, content }) =>
        `<div style="padding:4px 12px 0"><span style="${ownValue(STYLES, role) ?? ''}">${escapeHtml(content).replaceAll('\n', '<br>')}</span></div>`,
    )
}

function roleOf(assetId: string): string {
  return Object.entries(ROLES).find(([, ids]) => ids.includes(assetId))?.[0] ?? 'body'
}

function contentOf(asset: Asset | undefined): string | undefined {
  return asset?.asset_type === 'text' || asset?.asset_type === 'markdown' ? asset.content : undefined
}
