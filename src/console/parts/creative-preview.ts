import type { PreviewLayout } from '../../domain/creative/preview/render.ts'
import { type Html, html } from '../html.ts'

/** Width of a phone in CSS pixels: that of most phones of the last years. */
const PHONE = 390

interface Shown {
  readonly layout: PreviewLayout
  readonly dimensions?: { readonly width: number; readonly height: number } | undefined
}

/** A creative as it will run, on a page that is wide enough and on a phone, in frames without an origin. `path`: where its document is. */
export function previewPanel(shown: Shown | null, path: string): Html {
  if (!shown) return html`<section class="panel"><h2>Preview</h2><p>Nothing of this creative can be shown.</p></section>`
  const { layout, dimensions } = shown
  const size = layout === 'fixed' ? dimensions : undefined
  const wide = size && html` width="${size.width}" height="${size.height}"`
  const phone = html` width="${PHONE}"${size && html` height="${size.height}"`}`
  const frame = (kind: string, at: Html | undefined, title: string) =>
    html`<iframe class="preview ${kind} ${layout}"${at} title="${title}" sandbox="allow-scripts" loading="lazy" src="${path}"></iframe>`
  const isWider = size !== undefined && size.width > PHONE
  return html`<section class="panel"><h2>Preview</h2>
<div class="scroll" role="region" aria-label="Preview" tabindex="0">${frame('page', wide, 'Preview of the creative')}</div>
<p class="hint">${size && html`At its true size, ${size.width} × ${size.height}. `}It runs without access to this page. Scripts, pictures and videos come from the buyer's addresses.</p>
<details><summary>On a phone, ${PHONE} pixels wide</summary><div class="scroll" role="region" aria-label="On a phone" tabindex="0">${frame('phone', phone, 'Preview on a phone')}</div>${isWider && html`<p class="hint">It is ${size.width} pixels wide: a picture is made smaller there, code is cut.</p>`}</details></section>`
}
