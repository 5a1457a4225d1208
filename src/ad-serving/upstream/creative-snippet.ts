import type { DesiredCreative } from '../../domain/ad-serving/desired-order.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Json } from './upstream-parts.ts'

/** Kinds of formats whose creatives have a snippet. */
export const SNIPPET_FORMATS = ['image', 'html5', 'display_tag', 'video_hosted', 'video_vast'] as const

/** The snippet of each type of asset; where a creative has several, the first of these types counts. */
const SNIPPETS: readonly (readonly [type: string, snippet: (asset: Json) => string | undefined])[] = [
  ['html', ({ content }) => text(content)],
  ['javascript', ({ content }) => text(content) && `<script>${text(content)}</script>`],
  ['vast', ({ content, url }) => text(content) ?? vastWrapper(text(url))],
  ['video', (asset) => tagOf(asset, (url, size) => `<video src="${url}"${size} controls muted playsinline></video>`)],
  ['image', (asset) => tagOf(asset, (url, size) => `<img src="${url}"${size} alt="">`)],
]

/** What the API is given of a creative: markup, or VAST. Throws UNSUPPORTED_FEATURE for one that has neither, such as an HTML5 archive. */
export function snippetOf({ externalId, assets }: DesiredCreative): string {
  const all = Object.values(assets).filter(isObject)
  for (const [type, snippet] of SNIPPETS)
    for (const asset of all.filter(({ asset_type }) => asset_type === type)) {
      const found = snippet(asset)
      if (found !== undefined) return found
    }
  const types = SNIPPETS.map(([type]) => type).join(', ')
  throw new AdcpError(
    'UNSUPPORTED_FEATURE',
    `this ad server shows nothing of creative ${externalId}; it takes ${types} assets, but no archives, cards or sound`,
    { field: 'assets' },
  )
}

function tagOf(asset: Json, tag: (url: string, size: string) => string): string | undefined {
  const url = text(asset.url)
  const { width, height } = asset
  const size = typeof width === 'number' && typeof height === 'number' ? ` width="${width}" height="${height}"` : ''
  return url && tag(escaped(url), size)
}

/** VAST that leads to VAST elsewhere. Every wrapper has an Impression (VAST 4.2, 3.19.1); this one counts nothing. */
function vastWrapper(url: string | undefined): string | undefined {
  return (
    url &&
    `<VAST version="4.2"><Ad><Wrapper><AdSystem>AdCP</AdSystem><Impression><![CDATA[data:,]]></Impression><VASTAdTagURI>${escaped(url)}</VASTAdTagURI></Wrapper></Ad></VAST>`
  )
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function escaped(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
