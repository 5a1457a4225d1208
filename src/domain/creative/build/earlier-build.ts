import { foreignJsonIn } from '../../../platform/decode/foreign-json.ts'
import { isObject } from '../../../protocol/is-object.ts'
import type { Asset, Assets } from '../assets.ts'
import { isWebAddress } from '../macros/fill.ts'
import { PIECES_MARK, TEMPLATE_MARK } from './display-ad.ts'
import { readStyle, type StyleChange } from './style.ts'
import { AD_SYSTEM } from './vast-document.ts'

/** What an earlier build left in the code that it made. */
export interface EarlierBuild {
  readonly style: StyleChange
  /** Texts and picture of the ad as assets, for formats that have no place for them. */
  readonly pieces: Assets
}

/**
 * The earlier build that made the code among the assets; undefined when somebody else made it, or there is none. Code of others is never
 * replaced. Anybody can write these marks: what they say is read like any other input.
 */
export function earlierBuild(assets: Assets): EarlierBuild | undefined {
  const code = Object.values(assets).flatMap((asset) => (asset ? codeOf(asset) : []))
  if (code.length === 0 || !code.every((text) => text.includes(TEMPLATE_MARK) || text.includes(AD_SYSTEM))) return undefined
  const marked = code.find((text) => text.includes(TEMPLATE_MARK)) ?? ''
  return { style: readStyle(markIn(marked, TEMPLATE_MARK)), pieces: piecesIn(markIn(marked, PIECES_MARK)) }
}

/** Code of a creative; of a script tag the document that it shows. */
function codeOf(asset: Asset): string[] {
  switch (asset.asset_type) {
    case 'html':
      return [asset.content]
    case 'javascript':
      return [shownBy(asset.content)]
    case 'vast':
    case 'daast':
      return ['content' in asset ? asset.content : asset.url]
    default:
      return []
  }
}

function shownBy(script: string): string {
  const [, literal = '""'] = /f\.srcdoc=("(?:[^"\\]|\\.)*");s\.parentNode/s.exec(script) ?? []
  const text = foreignJsonIn(literal)
  return typeof text === 'string' ? text : ''
}

/** The content of a mark, its escapes undone. */
function markIn(html: string, name: string): string {
  const start = `<meta name="${name}" content="`
  const at = html.indexOf(start)
  if (at === -1) return ''
  const rest = html.slice(at + start.length)
  return rest
    .slice(0, Math.max(0, rest.indexOf('"')))
    .replace(/&#(\d{2,3});/g, (_whole, code: string) => String.fromCharCode(Number(code)))
}

function piecesIn(mark: string): Assets {
  const value = foreignJsonIn(mark)
  const words: Readonly<Record<string, unknown>> = isObject(value) ? value : {}
  const texts = ['headline', 'body', 'cta', 'sponsor'].flatMap((part) => {
    const content = words[part]
    return typeof content === 'string' ? [[part, { asset_type: 'text' as const, content: content.slice(0, 2000) }] as const] : []
  })
  const image = imageOf(words.image)
  return { ...Object.fromEntries(texts), ...(image && { image }) }
}

function imageOf(value: unknown): Asset | undefined {
  if (!isObject(value)) return undefined
  const { url, alt, width, height } = value
  if (typeof url !== 'string' || !isWebAddress(url) || !isSize(width) || !isSize(height)) return undefined
  return { asset_type: 'image', url, width, height, ...(typeof alt === 'string' && { alt_text: alt.slice(0, 1000) }) }
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
}
