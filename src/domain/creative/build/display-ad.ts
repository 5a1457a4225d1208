import { escapeHtml, scriptString } from '../macros/encode.ts'
import type { Copy } from './copy.ts'
import { inkOn, type Style, writeStyle } from './style.ts'

/** Pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** Name of the element by which a document of this template is known again, and its style with it. */
export const TEMPLATE_MARK = 'adcp-sales-agent.template'

/** Name of the element that holds what the ad was made of, for refinements: few formats have a place for all of it. */
export const PIECES_MARK = 'adcp-sales-agent.pieces'

/** What an ad was made of. */
export function piecesOf({ headline, body, cta, sponsor, image }: Copy): Pieces {
  return { headline, body, cta, sponsor, ...(image?.size && { image: { url: image.url, alt: image.alt, ...image.size } }) }
}

/** The pieces of an ad as JSON. */
export interface Pieces {
  readonly headline?: string | undefined
  readonly body?: string | undefined
  readonly cta?: string | undefined
  readonly sponsor?: string | undefined
  readonly image?: { readonly url: string; readonly alt: string; readonly width: number; readonly height: number }
}

/** How the parts of an ad are laid out, by the shape of its space. */
type Layout = 'row' | 'column' | 'stack'

/**
 * A display ad as HTML that is complete in itself: inline styles, no script, no handler, nothing but escaped text and http(s) addresses
 * from outside. Macros in addresses and texts stay for the ad server to fill.
 */
export function displayAd(size: Size, copy: Copy, style: Style): string {
  const layout = layoutOf(size)
  const inner = [picture(copy, size, layout), words(copy, size, layout, style)].join('')
  const box =
    `position:relative;box-sizing:border-box;width:${size.width}px;height:${size.height}px;overflow:hidden;display:flex;` +
    `flex-direction:${layout === 'row' ? 'row' : 'column'};align-items:stretch;border:1px solid #c4c7c5;` +
    `background:${style.background};color:${inkOn(style.background)};font-family:system-ui,sans-serif;text-decoration:none`
  const ad = copy.clickUrl
    ? `<a href="${escapeHtml(copy.clickUrl)}" target="_blank" rel="noopener noreferrer" style="${box}">${inner}</a>`
    : `<div style="${box}">${inner}</div>`
  return ad + copy.trackers.map(pixel).join('')
}

/** The ad as a document of its own, as an HTML asset holds it. */
export function displayDocument(size: Size, copy: Copy, style: Style): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="ad.size" content="width=${size.width},height=${size.height}">` +
    `<meta name="${TEMPLATE_MARK}" content="${escapeHtml(writeStyle(style))}">` +
    `<meta name="${PIECES_MARK}" content="${escapeHtml(JSON.stringify(piecesOf(copy)))}"><title>${escapeHtml(copy.headline ?? copy.sponsor ?? 'Advertisement')}</title></head>` +
    `<body style="margin:0">${displayAd(size, copy, style)}</body></html>`
  )
}

/** A script tag that shows a document in a frame at its place; the frame can neither run scripts nor reach the page. */
export function displayTag(size: Size, html: string): string {
  return (
    `(function(){var s=document.currentScript,f=document.createElement("iframe");f.width="${size.width}";f.height="${size.height}";` +
    `f.title="Advertisement";f.style.border="0";f.setAttribute("sandbox","allow-popups allow-popups-to-escape-sandbox");` +
    `f.srcdoc=${scriptString(html)};s.parentNode.insertBefore(f,s)})();`
  )
}

function layoutOf({ width, height }: Size): Layout {
  const ratio = width / height
  if (ratio >= 2.5) return 'row'
  return ratio <= 0.75 ? 'column' : 'stack'
}

function picture({ image }: Copy, { width, height }: Size, layout: Layout): string {
  if (!image) return ''
  const share =
    layout === 'row'
      ? `width:${Math.round(Math.min(height * 1.2, width * 0.3))}px;height:100%`
      : `width:100%;height:${Math.round(height * 0.5)}px`
  return `<img src="${escapeHtml(image.url)}" alt="${escapeHtml(image.alt)}" style="${share};object-fit:cover;flex:none;display:block">`
}

function words(copy: Copy, size: Size, layout: Layout, style: Style): string {
  const room = roomFor(copy, size, layout)
  const unit = Math.max(8, Math.min(16, Math.round(Math.min(size.width, size.height) / 18)))
  const small = px(Math.max(9, unit) * style.textScale)
  // A strip has room for one line beside the button.
  const slim = size.height < 70
  const headline =
    copy.headline && line(copy.headline, `font-weight:700;line-height:1.15;font-size:${headlineSize(copy.headline, room, style)}`)
  const body = !slim && copy.body ? line(copy.body, `margin-top:4px;line-height:1.3;font-size:${small}`) : ''
  const price = copy.price ? line(copy.price, `margin-top:4px;font-weight:600;font-size:${small}`) : ''
  const sponsor = !slim && copy.sponsor ? line(copy.sponsor, `opacity:.75;font-size:${px(9 * style.textScale)}`) : ''
  const disclosure = copy.disclosures.map((text) => line(text, `opacity:.85;line-height:1.2;font-size:${px(9)}`)).join('')
  const button = copy.cta
    ? `<span style="flex:none;align-self:${layout === 'row' ? 'center' : 'flex-start'};margin:${layout === 'row' ? '0 0 0 8px' : '6px 0 0'};padding:4px 10px;border-radius:4px;` +
      `background:${style.accent};color:${inkOn(style.accent)};font-weight:600;white-space:nowrap;font-size:${small}">${escapeHtml(copy.cta)}</span>`
    : ''
  const text = `<span style="display:block;min-width:0;flex:1 1 auto;overflow:hidden">${sponsor}${headline ?? ''}${body}${price}</span>`
  const row = `display:flex;flex-direction:${layout === 'row' ? 'row' : 'column'};flex:1 1 auto;min-height:0;overflow:hidden`
  return (
    `<span style="display:flex;flex-direction:column;flex:1 1 0;min-width:0;min-height:0;box-sizing:border-box;padding:${slim ? '4px 8px' : '8px 10px'}">` +
    `<span style="${row}">${text}${button}</span>${disclosure}</span>`
  )
}

function line(text: string, style: string): string {
  return `<span style="display:block;${style}">${escapeHtml(text)}</span>`
}

/** Pixels that text may cover. */
function roomFor({ image }: Copy, { width, height }: Size, layout: Layout): number {
  const beside = layout === 'row' ? 0.45 : 0.35
  return width * height * (image ? beside * 0.7 : beside)
}

/** The largest size at which a headline fills its room: a letter covers about 0.6 by 1.2 of its size. */
function headlineSize(text: string, room: number, { headlineScale }: Style): string {
  const fitting = Math.sqrt(room / (Math.max(8, text.length) * 0.72))
  return px(Math.max(11, Math.min(40, fitting * 0.8)) * headlineScale)
}

function px(value: number): string {
  return `${Math.round(value * 10) / 10}px`
}

function pixel(url: string): string {
  return `<img src="${escapeHtml(url)}" alt="" width="1" height="1" style="position:absolute;border:0">`
}
