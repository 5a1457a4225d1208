import type { Asset, Assets } from '../creative.ts'
import type { Copy } from './copy.ts'
import { TEMPLATE_MARK } from './display-ad.ts'
import { readStyle, type StyleChange } from './style.ts'
import { AD_SYSTEM } from './vast-document.ts'

/**
 * The style of the build that made the code among the assets; undefined when somebody else made it, or there is none. Code of others is never
 * replaced.
 */
export function earlierStyle(assets: Assets): StyleChange | undefined {
  const code = Object.values(assets).flatMap((asset) => (asset ? codeOf(asset) : []))
  if (code.length === 0 || !code.every((text) => text.includes(TEMPLATE_MARK) || text.includes(AD_SYSTEM))) return undefined
  const marks = code.flatMap((text) => text.split(TEMPLATE_MARK).slice(1))
  // In a script the quotes of the markup are escaped.
  const [, style = ''] = /content=\\?"([^"\\]{0,200})/.exec((marks[0] ?? '').slice(0, 300)) ?? []
  return readStyle(style)
}

function codeOf(asset: Asset): string[] {
  switch (asset.asset_type) {
    case 'html':
    case 'javascript':
      return [asset.content]
    case 'vast':
    case 'daast':
      return ['content' in asset ? asset.content : asset.url]
    default:
      return []
  }
}

const TEXTS = ['headline', 'body', 'cta', 'sponsor'] as const

/** The words of a built ad as its manifest carries them (`ext.sales_agent.texts`), since not every format has a place for them. */
export function carriedTexts(copy: Copy): Readonly<Record<string, string>> {
  return Object.fromEntries(TEXTS.flatMap((part) => (copy[part] === undefined ? [] : [[part, copy[part]]])))
}

/** Those words as assets; anything else in their place is left out. */
export function textsOf(ext: unknown): Assets {
  const { sales_agent } = isRecord(ext) ? ext : {}
  const { texts } = isRecord(sales_agent) ? sales_agent : {}
  const words = isRecord(texts) ? texts : {}
  return Object.fromEntries(
    TEXTS.flatMap((part) => {
      const content = words[part]
      return typeof content === 'string' ? [[part, { asset_type: 'text' as const, content: content.slice(0, 1000) }]] : []
    }),
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
