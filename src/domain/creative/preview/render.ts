import type { Asset, Assets } from '../assets.ts'
import type { Format } from '../formats/format.ts'
import type { FormatKey } from '../formats/format-id.ts'
import type { ShownItem } from '../macros/catalog-macros.ts'
import { escapeHtml } from '../macros/encode.ts'
import { fillUrl, type Macros } from '../macros/fill.ts'
import { fillMarkup, fillScript } from '../macros/fill-markup.ts'
import { renderCards } from './card.ts'
import { linkAttribute } from './html.ts'
import { renderItems } from './items.ts'
import { readVast } from './player.ts'

/** One rendered piece: an HTML fragment that is complete in itself. */
export interface Rendered {
  readonly html: string
  readonly role: string
  readonly dimensions?: { readonly width: number; readonly height: number }
  /** Whether it runs third-party code, inside a frame of its own without an origin. */
  readonly scripts: boolean
  readonly fullscreen: boolean
  /** How it takes its room: `fixed` has a size of its own, all others are as wide as their container. */
  readonly layout: PreviewLayout
}

export const PREVIEW_LAYOUTS = ['fixed', 'fluid', 'cards', 'video', 'audio', 'text'] as const
export type PreviewLayout = (typeof PREVIEW_LAYOUTS)[number]

interface Size {
  readonly width: number
  readonly height: number
}

type AssetOf<T extends Asset['asset_type']> = Extract<Asset, { asset_type: T }>

/**
 * Renders a creative as it would show: third-party markup in a sandboxed frame, video and audio in a player, images and
 * texts as a card, a lone image as it is, and else the items of its catalog (`items`). Everything that came from the buyer is escaped; addresses other than http(s) are left
 * out. Undefined when there is nothing to show.
 */
export function renderCreative(
  assets: Assets,
  formatId: FormatKey,
  format: Format | undefined,
  macros: Macros,
  items: readonly ShownItem[] = [],
): Rendered | undefined {
  const size = sizeOf(assets, formatId, format)
  const link = clickLink(assets, macros)
  const piece = (html: string, more: Partial<Rendered> = {}): Rendered => ({
    html,
    role: 'primary',
    ...(size && { dimensions: size }),
    scripts: false,
    fullscreen: false,
    layout: size ? 'fixed' : 'fluid',
    ...more,
  })
  const code = first(assets, 'html') ?? first(assets, 'javascript')
  if (code) return piece(codeFrame(code, size, macros), { scripts: true })
  const video = videoSource(assets, macros)
  if (video) return piece(videoPlayer(video, size), { fullscreen: true, layout: 'video' })
  const audio = first(assets, 'audio')
  if (audio) return piece(audioPlayer(fillUrl(audio.url, macros)), { layout: 'audio' })
  const tag = first(assets, 'vast') ?? first(assets, 'daast')
  if (tag) return piece(tagCard(tag), { layout: 'text' })
  const texts = Object.values(assets).some((asset) => asset?.asset_type === 'text' || asset?.asset_type === 'markdown')
  if (texts) return piece(renderCards(assets, macros), { layout: 'cards' })
  const image = first(assets, 'image')
  const html = image && imageTag(image, size, macros)
  if (html) return piece(link ? `<a href="${link}" target="_blank" rel="noopener noreferrer">${html}</a>` : html)
  return items.length > 0 ? piece(renderItems(items), { layout: 'cards' }) : undefined
}

function first<T extends Asset['asset_type']>(assets: Assets, type: T): AssetOf<T> | undefined {
  const isWanted = (asset: Asset | undefined): asset is AssetOf<T> => asset?.asset_type === type
  return Object.values(assets).find(isWanted)
}

/** Size in pixels of a format, else of a parameterised reference to it; undefined for formats that follow their container. */
export function renderSize(formatId: FormatKey, format: Format | undefined): Size | undefined {
  const render = format?.renders?.find((candidate) => 'dimensions' in candidate)
  const fixed = render && 'dimensions' in render ? render.dimensions : undefined
  if (fixed?.width !== undefined && fixed.height !== undefined && (fixed.unit === undefined || fixed.unit === 'px')) {
    return { width: fixed.width, height: fixed.height }
  }
  return formatId.width !== undefined && formatId.height !== undefined
    ? { width: formatId.width, height: formatId.height }
    : undefined
}

/** The size of the format, else of the file. */
function sizeOf(assets: Assets, formatId: FormatKey, format: Format | undefined): Size | undefined {
  const file = format?.renders ? undefined : (first(assets, 'image') ?? first(assets, 'video'))
  return renderSize(formatId, format) ?? (file && { width: file.width, height: file.height })
}

function clickLink(assets: Assets, macros: Macros): string | undefined {
  const asset = assets.click_url ?? assets.clickthrough_url ?? assets.landing_page_url
  return asset?.asset_type === 'url' ? linkAttribute(fillUrl(asset.url, macros)) : undefined
}

function attributes(size: Size | undefined): string {
  return size ? ` width="${size.width}" height="${size.height}"` : ''
}

function imageTag(image: AssetOf<'image'>, size: Size | undefined, macros: Macros): string | undefined {
  const source = linkAttribute(fillUrl(image.url, macros))
  return (
    source &&
    `<img src="${source}" alt="${escapeHtml(image.alt_text ?? '')}"${attributes(size)} style="border:0;display:block;max-width:100%;height:auto">`
  )
}

/** A frame without an origin: its scripts reach neither the page around nor anything stored by this site. */
function codeFrame(code: AssetOf<'html'> | AssetOf<'javascript'>, size: Size | undefined, macros: Macros): string {
  // A closing tag inside a script would end it early.
  const markup =
    code.asset_type === 'html'
      ? fillMarkup(code.content, macros)
      : `<body style="margin:0"><script>${fillScript(code.content, macros).replace(/<\/script/gi, '<\\/script')}</script>`
  return `<iframe title="Creative" sandbox="allow-scripts allow-popups" srcdoc="${escapeHtml(markup)}"${attributes(size)} style="border:0"></iframe>`
}

/** The video file, or the one that an inline VAST document names first. Tags by address are not fetched. */
function videoSource(assets: Assets, macros: Macros): string | undefined {
  const file = first(assets, 'video')
  const vast = first(assets, 'vast')
  const inline = vast && 'content' in vast ? readVast(vast.content).media : undefined
  const address = file?.url ?? inline
  return address === undefined ? undefined : linkAttribute(fillUrl(address, macros))
}

/** A player of a video file, as large as the video where there is room. */
export function videoPlayer(source: string, size: Size | undefined): string {
  return `<video src="${source}" controls playsinline preload="metadata"${attributes(size)} style="display:block;max-width:100%;height:auto;background:#000"></video>`
}

function audioPlayer(address: string): string {
  const source = linkAttribute(address)
  return source ? `<audio src="${source}" controls preload="metadata" style="width:100%"></audio>` : ''
}

/** A tag that an ad server would ask at serving time: what it is and where it leads. */
function tagCard(tag: AssetOf<'vast'> | AssetOf<'daast'>): string {
  const version = 'vast_version' in tag ? tag.vast_version : 'daast_version' in tag ? tag.daast_version : undefined
  const seconds = tag.duration_ms === undefined ? '' : `, ${Math.round(tag.duration_ms / 1000)} s`
  const where = 'url' in tag ? tag.url : 'inline document'
  return (
    `<div style="border:1px solid #ccc;padding:12px;max-width:640px"><strong>${tag.asset_type.toUpperCase()}${escapeHtml(version ? ` ${version}` : '')}</strong>` +
    `${seconds}<br><code style="overflow-wrap:anywhere">${escapeHtml(where)}</code></div>`
  )
}
